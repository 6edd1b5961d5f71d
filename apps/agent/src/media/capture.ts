import type { Clock, Stop } from "../ports/clock.ts";
import type { OpenSource, Source, SourceSink } from "../ports/source.ts";

/** A source that failed is opened again after this, ms, as long as it is wanted; each further failure doubles the delay, a frame resets it. */
const RETRY_MS = 2_000;
const RETRY_MS_MAX = 15_000;

export interface Capture {
  /** Open or closed; one change at a time, outdated values are skipped. */
  want(open: boolean): void;
  /** One more frame now, where the source can. */
  soon(): void;
  /** Settles once the source is closed for good. */
  close(): Promise<void>;
}

/** Keeps a source open exactly while it is wanted, and opens it again when it fails. */
export function createCapture(
  source: Source,
  clock: Clock,
  sink: Pick<SourceSink, "video" | "audio">,
  problem: (sentence: string) => void,
): Capture {
  let wanted = false;
  let opened: OpenSource | null = null;
  let running: Promise<void> | null = null;
  let closed = false;
  const retry = createRetry(clock, () => converge());

  const retryLater = (sentence: string) => {
    problem(sentence);
    retry.later();
  };
  const sinkOf = (opening: { over: boolean }): SourceSink => ({
    video(frame) {
      retry.worked();
      if (wanted) sink.video(frame);
    },
    audio: (block) => wanted && sink.audio(block),
    ended(reason) {
      opening.over = true;
      const lost = opened;
      opened = null;
      void lost?.close();
      if (!closed) retryLater(`The source stopped: ${reason}`);
    },
  });
  const openOrClose = async () => {
    while (wanted !== (opened !== null) && !retry.waits()) {
      if (!wanted) {
        const last = opened;
        opened = null;
        await last?.close();
        continue;
      }
      try {
        const opening = { over: false };
        const open = await source.open(sinkOf(opening));
        // It may have ended before `open` resolved.
        if (opening.over) void open.close();
        else opened = open;
      } catch (error) {
        retryLater(`The source does not open: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  };
  const converge = () => {
    running ??= openOrClose().finally(() => {
      running = null;
      if (wanted !== (opened !== null) && !retry.waits()) converge();
    });
  };

  return {
    want(open) {
      wanted = open && !closed;
      if (!wanted) retry.forget();
      converge();
    },
    soon: () => opened?.soon?.(),
    async close() {
      closed = true;
      this.want(false);
      while (running !== null) await running;
    },
  };
}

/** The delay before the next attempt, growing while nothing works. */
function createRetry(clock: Clock, run: () => void) {
  let failures = 0;
  let stop: Stop | null = null;
  return {
    later(): void {
      stop?.();
      stop = clock.after(Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** failures), () => {
        stop = null;
        run();
      });
      failures += 1;
    },
    worked(): void {
      failures = 0;
    },
    waits: () => stop !== null,
    forget(): void {
      failures = 0;
      stop?.();
      stop = null;
    },
  };
}
