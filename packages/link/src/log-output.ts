import { writeSync } from "node:fs";

/** What takes lines and throws when it cannot. */
export type LineSink = { write(line: string): void };

/** A full pipe is waited for so long, ms; while lines are lost it is not waited for at all. */
const FULL_PIPE_MS = 100;
const LOOK_MS = 2;

/**
 * A process log that outlives its destination. A full disk, a closed pipe or the stuck reader of a non-blocking pipe costs lines and
 * nothing else (a blocking pipe blocks): they are counted, and `recovered` gets the number of lost lines once a line can be written again.
 */
export class LogOutput implements LineSink {
  readonly #sink: LineSink;
  readonly #recovered: (lost: number) => void;
  #lost = 0;
  #lostNow = 0;

  /** `recovered` may write to the same log. */
  constructor(sink: LineSink, recovered: (lost: number) => void) {
    this.#sink = sink;
    this.#recovered = recovered;
  }

  /** Lines that were lost since the process began. */
  get lost(): number {
    return this.#lost;
  }

  /** Never throws. */
  write(line: string): void {
    try {
      this.#sink.write(line);
    } catch {
      this.#lost += 1;
      this.#lostNow += 1;
      return;
    }
    const lost = this.#lostNow;
    this.#lostNow = 0;
    if (lost > 0) this.#recovered(lost);
  }
}

/** Writes to an open descriptor at once: what was written before a crash is there after it. */
export function descriptorSink(descriptor: number, write: typeof writeSync = writeSync): LineSink {
  /** The last line is not, or only in part, written: the next one begins on a line of its own. */
  let broken = false;
  return {
    write(line) {
      const bytes = Buffer.from(broken ? `\n${line}` : line);
      const patienceMs = broken ? 0 : FULL_PIPE_MS;
      broken = true;
      let waitedMs = 0;
      for (let done = 0; done < bytes.length; ) {
        try {
          done += write(descriptor, bytes, done);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || waitedMs >= patienceMs) throw error;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
          waitedMs += LOOK_MS;
        }
      }
      broken = false;
    },
  };
}
