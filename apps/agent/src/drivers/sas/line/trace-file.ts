import { appendFile, mkdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Stop } from "../../../ports/clock.ts";
import type { Exchange } from "./line.ts";
import { traceLine } from "./line.ts";

/** Two files of this size at most: the present one and the one before, bytes. At 200 ms a file lasts about four hours. */
const FILE_BYTES_MAX = 8 * 1_024 * 1_024;
const WRITE_MS = 1_000;
/** Exchanges that wait for a slow disk; beyond them the oldest are dropped. */
const WAITING_MAX = 5_000;
/** The folder of the trace, below the machine's. */
export const TRACE_FOLDER = "line";
/** The present file, then the one before. */
export const TRACE_FILES = ["line.log", "line.1.log"] as const;

/** The ring buffer of a line's exchanges, on disk. It never delays a poll: a disk that fails costs exchanges, nothing else. */
export class TraceFile {
  readonly #folder: string;
  readonly #stop: Stop;
  #waiting: string[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#stop = clock.every(WRITE_MS, () => this.#write());
  }

  add(exchange: Exchange): void {
    this.#waiting.push(traceLine(exchange));
    if (this.#waiting.length > WAITING_MAX) this.#waiting.shift();
  }

  async close(): Promise<void> {
    this.#stop();
    this.#write();
    await this.#writing;
  }

  #write(): void {
    this.#writing = this.#writing.then(async () => {
      const text = this.#waiting.splice(0).join("");
      if (text === "") return;
      const [present, before] = TRACE_FILES.map((name) => join(this.#folder, name)) as [string, string];
      try {
        await mkdir(this.#folder, { recursive: true });
        await appendFile(present, text);
        if ((await stat(present)).size > FILE_BYTES_MAX) await rename(present, before);
      } catch {
        // The log of the agent names a full disk already; the line works without its trace.
      }
    });
  }
}
