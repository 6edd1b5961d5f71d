import { createBackOff } from "@longarm/link/back-off";
import type { Clock, Stop } from "../../ports/clock.ts";
import type { Exchange } from "../../ports/transport.ts";
import type { WhipSession } from "./whip.ts";
import { WhipProblem } from "./whip.ts";

/** Waits between attempts, ms: the first, the longest, and how long a publication must last for the first to hold again. */
const [RETRY_MS, RETRY_MS_MAX, STEADY_MS] = [1_000, 60_000, 60_000];
/** A crowd that thins is served for this much longer, ms: watchers come and go, and each publication begins with a handshake. */
const LINGER_MS = 60_000;

/** One connection to the media server, while it is made and afterwards. */
interface Joined {
  close(): Promise<void>;
}

export interface PublisherDeps {
  /** Spectators from whom on the machine is published; 0: always. */
  readonly from: number;
  readonly clock: Clock;
  /** 0 to below 1. */
  readonly random: () => number;
  post(offer: string, signal: AbortSignal): Promise<WhipSession>;
  /** Connects to the media server; `closed` is called when that connection ends by itself. */
  join(exchange: Exchange, closed: (reason: string) => void): Promise<Joined>;
  problem(sentence: string): void;
}

/** Publishes a machine's video once, to a media server that serves any number of watchers. */
export interface Publisher {
  /** So many spectators watch now. */
  watched(spectators: number): void;
  close(): Promise<void>;
}

export function createPublisher(deps: PublisherDeps): Publisher {
  const { clock, random, from } = deps;
  const retries = { backOffMs: RETRY_MS, backOffMsMax: RETRY_MS_MAX, steadyMs: STEADY_MS };
  const backOff = createBackOff({ ...retries, timers: clock, random });
  let wanted = false;
  let present: Publication | undefined;
  let stopRetry: Stop | undefined;
  let stopLinger: Stop | undefined;
  /** The last sentence for the log: a server that is away for hours is reported once. */
  let said: string | undefined;
  let closed = false;

  const lost = ({ message, retryAfterMs }: Lost): void => {
    present = undefined;
    backOff.lost();
    if (said !== message) deps.problem(`The crowd's video: ${message}`);
    said = message;
    stopRetry = clock.after(Math.max(backOff.next(), retryAfterMs), () => {
      stopRetry = undefined;
      begin();
    });
  };
  const begin = (): void => {
    if (closed || !wanted || present !== undefined || stopRetry !== undefined) return;
    present = publish(deps, {
      lost,
      begun: () => {
        said = undefined;
        backOff.opened();
      },
    });
  };
  const end = async (): Promise<void> => {
    wanted = false;
    stopRetry?.();
    stopRetry = undefined;
    backOff.lost();
    const ended = present;
    present = undefined;
    await ended?.end();
  };
  const forget = (): void => {
    stopLinger?.();
    stopLinger = undefined;
  };

  return {
    watched(spectators) {
      if (spectators >= from) {
        forget();
        wanted = true;
        begin();
      } else if (wanted && stopLinger === undefined) stopLinger = clock.after(LINGER_MS, () => void end());
    },
    async close() {
      closed = true;
      forget();
      await end();
    },
  };
}

type Lost = { readonly message: string; readonly retryAfterMs: number };

interface Publication {
  end(): Promise<void>;
}

type PublicationEvents = {
  /** It is over, and was not ended by us. */
  lost(why: Lost): void;
  /** The server has taken the offer. */
  begun(): void;
};

/** One attempt and the connection that comes of it. */
function publish({ post, join }: PublisherDeps, on: PublicationEvents): Publication {
  const stop = new AbortController();
  let session: WhipSession | undefined;
  let connection: Joined | undefined;
  let over = false;
  const leave = async (): Promise<void> => {
    over = true;
    stop.abort();
    await Promise.all([connection?.close(), session?.end()]);
  };
  const fail = (message: string, retryAfterMs = 0): void => {
    if (over) return;
    void leave();
    on.lost({ message, retryAfterMs });
  };
  const exchange: Exchange = async (offer) => {
    session = await post(offer, stop.signal);
    return session;
  };
  const joined = join(exchange, fail).then(
    async (made) => {
      connection = made;
      if (over) await made.close();
      else on.begun();
    },
    (error: unknown) => {
      const retryAfterMs = error instanceof WhipProblem ? error.retryAfterMs : 0;
      fail(error instanceof Error ? error.message : String(error), retryAfterMs);
    },
  );
  return {
    async end() {
      await leave();
      await joined;
    },
  };
}
