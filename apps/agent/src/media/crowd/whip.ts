import type { IncomingMessage, RequestOptions } from "node:http";
import { request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import type { Clock } from "../../ports/clock.ts";

/** Where a media server takes the machine's video, by WHIP (RFC 9725). */
interface WhipEndpoint {
  readonly url: string;
  /** Goes into the `Authorization` header alone; null: the server wants none. */
  readonly token: string | null;
}

/** A media server's answer to our offer. */
export interface WhipSession {
  /** Hostile until read. */
  readonly sdp: string;
  /** The address that answered. */
  readonly address: string | undefined;
  /** Ends it at the server, as far as that can be reached. Never rejects. */
  end(): Promise<void>;
}

/** The server takes no video now. The sentence says why and what to do, and repeats nothing of what the server sent. */
export class WhipProblem extends Error {
  override readonly name = "WhipProblem";
  /** As the server wishes, ms. */
  readonly retryAfterMs: number;
  constructor(sentence: string, { retryAfterMs = 0, ...options }: ErrorOptions & { retryAfterMs?: number } = {}) {
    super(sentence, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The whole answer to an offer, and to the end of a session, must arrive within these, ms. */
const OFFER_MS_MAX = 10_000;
const END_MS_MAX = 2_000;
/** An answer with two media sections has 2 KB. */
const ANSWER_BYTES_MAX = 16 * 1024;
const LOCATION_CHARS_MAX = 2_048;
/** A server that is busy may put us off for this long, s. */
const RETRY_AFTER_S_MAX = 300;

/**
 * Offers the server our video; rejects with a `WhipProblem`. Redirects are not followed and a session at another origin is refused, because the
 * token goes to the configured address alone.
 */
export async function postOffer(
  { url, token }: WhipEndpoint,
  offer: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<WhipSession> {
  const headers = { ...authorization(token), "content-type": "application/sdp", accept: "application/sdp" };
  const within = { clock, signal, waitMs: OFFER_MS_MAX };
  const { message, body, address } = await call(url, { method: "POST", headers }, offer, within);
  refuseStatus(message);
  if (!/^application\/sdp\s*(;|$)/i.test(message.headers["content-type"] ?? ""))
    throw new WhipProblem("The media server's answer is no SDP; give the address of a WHIP endpoint.");
  const session = sessionOf(message.headers.location, url);
  const end = async (): Promise<void> => {
    const ending = { clock, signal: new AbortController().signal, waitMs: END_MS_MAX };
    await call(session, { method: "DELETE", headers: authorization(token) }, "", ending).catch(() => undefined);
  };
  return { sdp: body, address, end };
}

const authorization = (token: string | null): Record<string, string> =>
  token === null ? {} : { authorization: `Bearer ${token}` };

function refuseStatus({ statusCode = 0, headers }: IncomingMessage): void {
  if (statusCode === 201) return;
  if (statusCode >= 300 && statusCode < 400)
    throw new WhipProblem("The media server redirects to another address; give that one instead.");
  if (statusCode === 401 || statusCode === 403) throw new WhipProblem("The media server refuses the token.");
  const seconds = /^\d{1,6}$/.test(headers["retry-after"] ?? "") ? Number(headers["retry-after"]) : 0;
  const retryAfterMs = Math.min(RETRY_AFTER_S_MAX, seconds) * 1_000;
  throw new WhipProblem(`The media server answers an offer with status ${statusCode}.`, { retryAfterMs });
}

function sessionOf(location: string | undefined, url: string): string {
  if (location === undefined || location.length > LOCATION_CHARS_MAX)
    throw new WhipProblem("The media server names no session (Location); give the address of a WHIP endpoint.");
  const session = URL.parse(location, url);
  if (session?.origin !== new URL(url).origin)
    throw new WhipProblem("The media server names a session at another address; give its own address.");
  return session.href;
}

type Called = { readonly message: IncomingMessage; readonly body: string; readonly address: string | undefined };
type Within = { readonly clock: Clock; readonly signal: AbortSignal; readonly waitMs: number };

/** One request, its whole answer within limits of time and size. */
async function call(url: string, options: RequestOptions, sent: string, within: Within): Promise<Called> {
  const { clock, signal, waitMs } = within;
  const stopped = new AbortController();
  const stop = clock.after(waitMs, () => stopped.abort(new WhipProblem("The media server does not answer.")));
  try {
    return await exchange(url, options, sent, AbortSignal.any([signal, stopped.signal]));
  } catch (error) {
    if (stopped.signal.aborted) throw stopped.signal.reason;
    if (error instanceof WhipProblem) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new WhipProblem(`The media server cannot be reached (${code ?? "no answer"}).`, { cause: error });
  } finally {
    stop();
  }
}

function exchange(url: string, options: RequestOptions, sent: string, signal: AbortSignal): Promise<Called> {
  const request = url.startsWith("https:") ? overHttps : overHttp;
  const { promise, resolve, reject } = Promise.withResolvers<Called>();
  // A connection of its own: nothing of an earlier one's answer can be taken for this one's.
  const sending = request(url, { ...options, signal, agent: false }, (message) => {
    const { remoteAddress: address } = message.socket;
    const parts: Buffer[] = [];
    let bytes = 0;
    message.on("error", reject);
    message.on("data", (part: Buffer) => {
      bytes += part.length;
      parts.push(part);
      if (bytes <= ANSWER_BYTES_MAX) return;
      reject(new WhipProblem("The media server's answer is too long."));
      sending.destroy();
    });
    message.on("end", () => resolve({ message, body: Buffer.concat(parts).toString("utf8"), address }));
    message.on("close", () => reject(new WhipProblem("The media server breaks its answer off.")));
  });
  sending.on("error", reject);
  sending.end(sent);
  return promise;
}
