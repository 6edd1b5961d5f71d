import type { Answer } from "@longarm/link/answer";
import type { Timers } from "@longarm/link/socket";

/** The media server has this long to answer an offer, ms. */
const ANSWER_MS_MAX = 5_000;
/** An answer with two media sections has 2 KB. */
const SDP_BYTES_MAX = 16_384;
const SDP_TYPE = "application/sdp";

type Fetch = (address: string, init: RequestInit) => Promise<Response>;

export type CrowdDeps = {
  /** Where the machine is shown, by WHEP. */
  readonly whep: string;
  readonly fetch: Fetch;
  readonly timers: Timers;
  readonly log: (sentence: string, error?: unknown) => void;
};

/** Watches a machine at the operator's media server, by WHEP. Each offer is a watch of its own there, and ends the one before. */
export type Crowd = {
  /** The server's answer; unknown without one: it is away, refuses, or answers with something else. */
  offer(sdp: string): Promise<Answer<{ sdp: string }>>;
  end(): void;
};

export function joinCrowd({ whep, fetch, timers, log }: CrowdDeps): Crowd {
  let session: string | undefined;
  let ended = false;
  const leave = (): void => {
    const left = session;
    session = undefined;
    // A server that does not receive it notices that nothing comes from us any more.
    if (left !== undefined) fetch(left, { ...PLAIN, method: "DELETE", keepalive: true }).catch(() => {});
  };
  return {
    async offer(sdp) {
      leave();
      const stopped = new AbortController();
      const stop = timers.after(ANSWER_MS_MAX, () => stopped.abort());
      try {
        const body = { method: "POST", headers: { "content-type": SDP_TYPE }, body: sdp };
        const reply = await fetch(whep, { ...PLAIN, ...body, signal: stopped.signal });
        const answer = reply.status === 201 && isSdp(reply) ? await textOf(reply) : "";
        if (answer === "") throw new Error(`The media server answered with status ${reply.status}.`);
        session = sessionOf(reply, whep);
        if (ended) leave();
        return { is: "done", data: { sdp: answer } };
      } catch (error) {
        log("The media server did not take the page's offer.", error);
        return { is: "unknown", cause: "closed" };
      } finally {
        stop();
      }
    },
    end() {
      ended = true;
      leave();
    },
  };
}

/** Nothing of the player's goes to another origin. */
const PLAIN = { credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store" } as const;

const isSdp = ({ headers }: Response): boolean => headers.get("content-type")?.split(";")[0]?.trim() === SDP_TYPE;

/** The whole answer. @throws once it is longer than an SDP may be; the rest is not read. */
async function textOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    bytes += part.value.length;
    if (bytes > SDP_BYTES_MAX) {
      await reader?.cancel();
      throw new Error("The media server's answer is too long.");
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

/** Where the watch is ended; undefined where the server names another origin, which gets nothing from us. */
function sessionOf({ headers }: Response, whep: string): string | undefined {
  const named = headers.get("location");
  const session = named === null ? null : URL.parse(named, whep);
  return session?.origin === new URL(whep).origin ? session.href : undefined;
}
