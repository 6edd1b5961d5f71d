import { isLoopback } from "@longarm/link/environment";
import { createTransport } from "nodemailer";
import type { Outcome } from "../outbox/index.ts";

/** A mail as it leaves. */
export type Mail = {
  /** The same for each repeat: a receiver's server recognises by it what it has already. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
};

/** Sends mails; never throws. */
export interface Mailer {
  send(mail: Mail, signal: AbortSignal): Promise<Outcome>;
}

type Sender = { readonly name: string; readonly address: string };

/** The parts of one try, ms; together they stay below the lease of the outbox. */
const CONNECT_MS = 5_000;
const ANSWER_MS = 10_000;
const TRY_MS_MAX = 20_000;
const PORTS: Readonly<Record<string, number>> = { "smtps:": 465, "smtp:": 587 };

/**
 * Sends by SMTP, one connection for each mail. `mayBePlain`: the server may be spoken to without TLS; otherwise a server that offers none, or whose
 * certificate is not its name's, gets nothing, not even the password.
 */
export function smtpMailer(
  server: string,
  from: Sender,
  mayBePlain = isLoopback(new URL(server).hostname.replaceAll(/[[\]]/g, "")),
): Mailer {
  const { hostname, protocol, port, username, password } = new URL(server);
  const secure = protocol === "smtps:";
  const transport = createTransport({
    host: hostname.replaceAll(/[[\]]/g, ""),
    port: port === "" ? PORTS[protocol] : Number(port),
    secure,
    requireTLS: !mayBePlain,
    ignoreTLS: mayBePlain,
    tls: { minVersion: "TLSv1.2" },
    ...(username !== "" && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.address.slice(from.address.lastIndexOf("@") + 1);

  return {
    async send({ id, to, ...body }, signal) {
      try {
        await transport.sendMail({
          ...body,
          // As an object it is one address, whatever it looks like.
          from,
          to: { name: "", address: to },
          messageId: `<${id}@${domain}>`,
          // No answer of a machine comes back: "I am on holiday".
          headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
          signal: AbortSignal.any([signal, AbortSignal.timeout(TRY_MS_MAX)]),
        });
        return { is: "done", answer: "sent" };
      } catch (error) {
        return failed(error);
      }
    },
  };
}

/** What the server said may name the receiver: only its codes are kept. `moot`: there is no such mailbox. */
function failed(error: unknown): Outcome {
  const {
    code = "failed",
    responseCode,
    command,
  } = error as { code?: string; responseCode?: number; command?: string };
  const answer = [code, responseCode, command].filter((part) => part !== undefined).join(" ");
  const isFinal = responseCode !== undefined && responseCode >= 500;
  if (isFinal && command === "RCPT TO") return { is: "moot", answer };
  return { is: isFinal && (command === "DATA" || code === "EMESSAGE") ? "dead" : "retry", answer };
}
