import { createHash } from "node:crypto";

/* RTSP 1.0 as a viewer of a camera speaks it (RFC 2326), with the packets of its tracks inside the same connection. Nothing here does I/O. */

/** What a camera sends. `other`: a request of its own, which needs no answer from a viewer. */
export type RtspMessage =
  | { readonly is: "packet"; readonly channel: number; readonly bytes: Buffer }
  | { readonly is: "other" }
  | {
      readonly is: "answer";
      readonly status: number;
      readonly sequence: number;
      /** By name in small letters; of several with one name the last. */
      readonly headers: ReadonlyMap<string, string>;
      readonly challenges: readonly string[];
      readonly body: string;
    };

/** A camera that speaks no RTSP, or another one than is read here. */
export class RtspProblem extends Error {
  override readonly name = "RtspProblem";
}

const INTERLEAVED = 0x24;
const HEAD_BYTES_MAX = 16_384;
const HEADERS_MAX = 64;
const BODY_BYTES_MAX = 65_536;

/** Cuts a camera's bytes into messages. Throws an `RtspProblem`. */
export function createRtspReader(): (chunk: Buffer) => RtspMessage[] {
  let waiting: Buffer = Buffer.alloc(0);
  return (chunk) => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    const messages: RtspMessage[] = [];
    for (let next = take(waiting); next !== undefined; next = take(waiting)) {
      messages.push(next.message);
      waiting = waiting.subarray(next.used);
    }
    return messages;
  };
}

type Taken = { readonly message: RtspMessage; readonly used: number };

function take(bytes: Buffer): Taken | undefined {
  if (bytes[0] !== INTERLEAVED) return bytes.length === 0 ? undefined : takeText(bytes);
  if (bytes.length < 4) return undefined;
  const used = 4 + bytes.readUInt16BE(2);
  if (bytes.length < used) return undefined;
  return { message: { is: "packet", channel: bytes[1] ?? 0, bytes: bytes.subarray(4, used) }, used };
}

function takeText(bytes: Buffer): Taken | undefined {
  const end = bytes.subarray(0, HEAD_BYTES_MAX).indexOf("\r\n\r\n");
  if (end < 0) {
    if (bytes.length < HEAD_BYTES_MAX) return undefined;
    throw new RtspProblem("The head of an answer does not end");
  }
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  if (lines.length > HEADERS_MAX) throw new RtspProblem("An answer has too many headers");
  const headers = new Map<string, string>();
  const challenges: string[] = [];
  for (const line of lines) {
    const [, name = "", value = ""] = /^([!-9;-~]{1,64}):[ \t]*(.{0,4096}?)[ \t]*$/.exec(line) ?? [];
    if (name === "") throw new RtspProblem("A header cannot be read");
    headers.set(name.toLowerCase(), value);
    if (name.toLowerCase() === "www-authenticate") challenges.push(value);
  }
  const length = headers.get("content-length") ?? "0";
  if (!/^\d{1,5}$/.test(length) || Number(length) > BODY_BYTES_MAX) throw new RtspProblem("An answer is too long");
  const used = end + 4 + Number(length);
  if (bytes.length < used) return undefined;
  const status = /^RTSP\/1\.\d (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) {
    if (!/^[A-Z_]{1,20} \S{1,500} RTSP\/1\.\d$/.test(first)) throw new RtspProblem("It speaks no RTSP");
    return { message: { is: "other" }, used };
  }
  const sequence = Number(/^\d{1,9}$/.exec(headers.get("cseq") ?? "")?.[0] ?? Number.NaN);
  const body = bytes.subarray(end + 4, used).toString("utf8");
  return { message: { is: "answer", status: Number(status), sequence, headers, challenges, body }, used };
}

/** What a request proves to whom. */
interface Proof {
  readonly method: string;
  readonly uri: string;
  readonly user: string;
  readonly password: string;
}

/** The answer to a camera's challenges: Digest (RFC 7616 and 2069) where it may be, else Basic; undefined: neither. */
export function authorization(challenges: readonly string[], proof: Proof): string | undefined {
  const digests = challenges.filter((text) => /^digest /i.test(text)).map(parametersOf);
  const digest = digests.find(({ algorithm }) => hashOf(algorithm) === "sha256") ?? digests.find(isKnown);
  if (digest !== undefined) return digestOf(digest, proof);
  if (!challenges.some((text) => /^basic\b/i.test(text))) return undefined;
  return `Basic ${Buffer.from(`${proof.user}:${proof.password}`).toString("base64")}`;
}

type Parameters = Readonly<Record<string, string>>;

function parametersOf(challenge: string): Parameters {
  const found = challenge.matchAll(/([a-z]{1,20})\s*=\s*(?:"([^"\\]{0,1024})"|([^\s,"]{1,1024}))/gi);
  return Object.fromEntries(
    [...found].map(([, name = "", quoted, plain]) => [name.toLowerCase(), quoted ?? plain ?? ""]),
  );
}

const hashOf = (algorithm = "MD5"): "md5" | "sha256" | undefined =>
  (({ MD5: "md5", "SHA-256": "sha256" }) as const)[algorithm.toUpperCase() as "MD5" | "SHA-256"];

const isKnown = ({ algorithm, nonce }: Parameters): boolean => nonce !== undefined && hashOf(algorithm) !== undefined;

function digestOf({ realm = "", nonce = "", opaque, algorithm, qop }: Parameters, proof: Proof): string {
  const kind = hashOf(algorithm) ?? "md5";
  const hash = (...of: readonly string[]): string => createHash(kind).update(of.join(":")).digest("hex");
  const { method, uri, user, password } = proof;
  const secret = hash(user, realm, password);
  const order = hash(method, uri);
  const isCounted = (qop ?? "").split(",").some((word) => word.trim() === "auth");
  // Of this nonce alone, and only who has the password can know it.
  const own = hash(secret, nonce, uri).slice(0, 16);
  const response = isCounted ? hash(secret, nonce, COUNT, own, "auth", order) : hash(secret, nonce, order);
  const quoted = { username: user, realm, nonce, uri, response, ...(opaque !== undefined && { opaque }) };
  return [
    `Digest ${Object.entries(quoted)
      .map(([name, value]) => `${name}="${value.replaceAll(/[\p{Cc}"\\]/gu, "")}"`)
      .join(", ")}`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(isCounted ? [`qop=auth, nc=${COUNT}, cnonce="${own}"`] : []),
  ].join(", ");
}

const COUNT = "00000001";

/** The H.264 track of a camera. */
export interface CameraTrack {
  /** The address that it is set up by. */
  readonly control: string;
  readonly payloadType: number;
  /** Of its description; a camera need not repeat them in the stream. */
  readonly parameterSets: readonly Buffer[];
}

const LINES_MAX = 500;
const SETS_MAX = 8;

/** The first H.264 track of a session description (RFC 8866); undefined: there is none that is read here. */
export function h264TrackOf(description: string, base: string): CameraTrack | undefined {
  const sections = description.split(/\r?\n/).slice(0, LINES_MAX).join("\n").split(/^m=/m).slice(1);
  for (const section of sections) {
    const payloadType = Number(/^a=rtpmap:(\d{1,3}) H264\/90000\s*$/im.exec(section)?.[1] ?? Number.NaN);
    if (!section.startsWith("video ") || !(payloadType <= 127)) continue;
    const format = new RegExp(`^a=fmtp:${payloadType} (.{1,4096})$`, "m").exec(section)?.[1] ?? "";
    if (/packetization-mode=(?![01]\b)/i.test(format)) continue;
    const sets = /sprop-parameter-sets=([^;\s]{1,4096})/i.exec(format)?.[1]?.split(",") ?? [];
    const parameterSets = sets
      .slice(0, SETS_MAX)
      .map((text) => Buffer.from(text, "base64"))
      .filter(({ length }) => length > 0);
    const control = /^a=control:(\S{1,500})\s*$/m.exec(section)?.[1] ?? "*";
    return { control: addressOf(control, base), payloadType, parameterSets };
  }
  return undefined;
}

function addressOf(control: string, base: string): string {
  if (control === "*") return base;
  return /^rtsps?:\/\//i.test(control) ? control : `${base}${base.endsWith("/") ? "" : "/"}${control}`;
}
