import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

/* A mail server of another maker, for tests of what the platform sends: strict about the protocol, and failing as mail servers do. */

type Received = {
  readonly from: string;
  readonly to: readonly string[];
  /** Header lines by their name in small letters, unfolded. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
  readonly raw: string;
  readonly user: string;
};
/** `unknown`: no such mailbox. `later`: come back. `refuses`: this text never. `silent`: takes the mail and does not answer. `cut`: answers nothing and is gone after the mail has arrived. */
type Fault = "none" | "unknown" | "later" | "refuses" | "silent" | "cut" | "password";

/** `tls`: from the first byte. `startTls`: offers it. */
export async function openMailServer({ tls = false, startTls = false, portNumber = 0 } = {}) {
  const mails: Received[] = [];
  let fault: Fault = "none";
  const failure = (text: string, responseCode: number) => Object.assign(new Error(text), { responseCode });
  const server = new SMTPServer({
    secure: tls,
    hideSTARTTLS: !startTls,
    authOptional: true,
    allowInsecureAuth: true,
    logger: false,
    onAuth: ({ username = "" }, _session, answer) =>
      fault === "password" ? answer(failure("no", 535)) : answer(null, { user: username }),
    onRcptTo: (_address, _session, answer) => {
      if (fault === "unknown") return answer(failure("no mailbox vera@example.test here", 550));
      return fault === "later" ? answer(failure("try later", 451)) : answer();
    },
    onData: (stream, session, answer) => {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        if (fault === "refuses") return answer(failure("looks like spam", 554));
        const { mailFrom, rcptTo } = session.envelope;
        const user = typeof session.user === "string" ? session.user : "";
        const to = rcptTo.map(({ address }) => address);
        mails.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to,
          user,
          ...read(Buffer.concat(parts).toString()),
        });
        if (fault === "none") answer();
        if (fault === "cut") for (const connection of server.connections) connection.close();
      });
    },
  });
  server.on("error", () => undefined);
  await new Promise<void>((open) => server.listen(portNumber, "127.0.0.1", open));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `${tls ? "smtps" : "smtp"}://127.0.0.1:${port}`,
    mails,
    /** What one address received, the oldest first. */
    to: (address: string) => mails.filter(({ to }) => to.includes(address)),
    fail(wanted: Fault): void {
      fault = wanted;
    },
    close: () => new Promise<void>((closed) => server.close(() => closed())),
  };
}
export type MailServer = Awaited<ReturnType<typeof openMailServer>>;

/** Reads headers and the two bodies of a mail of ours. */
function read(raw: string) {
  const [head = ""] = raw.split("\r\n\r\n", 1);
  const lines = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      decodedWords(line.slice(line.indexOf(":") + 2)),
    ]),
  );
  return { headers, raw, text: bodyOf(raw, "text/plain"), html: bodyOf(raw, "text/html") };
}

/** RFC 2047, with the one character set that we write. */
const decodedWords = (text: string): string =>
  text
    .replaceAll(/\?= =\?/g, "?==?")
    .replaceAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_all, kind: string, given: string) =>
      kind.toLowerCase() === "b"
        ? Buffer.from(given, "base64").toString()
        : quotedPrintable(given.replaceAll("_", " ")),
    );

const quotedPrintable = (text: string): string =>
  Buffer.from(
    text
      .replaceAll(/=\r?\n/g, "")
      .replaceAll(/=([0-9A-F]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString();

function bodyOf(raw: string, type: string): string {
  const from = raw.indexOf(`Content-Type: ${type}`);
  if (from === -1) return "";
  const [head = "", body = ""] = raw.slice(from).split("\r\n\r\n", 2);
  const rest = raw.slice(from + head.length + 4).split("\r\n--", 1)[0] ?? body;
  if (/base64/i.test(head)) return Buffer.from(rest, "base64").toString();
  return /quoted-printable/i.test(head) ? quotedPrintable(rest) : rest;
}
