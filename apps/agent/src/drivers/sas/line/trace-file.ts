import { appendFile, mkdir, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Stop } from "../../../ports/clock.ts";
import { describeExchange } from "../protocol/describe.ts";
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

/** Spacer polls and empty general polls are most of a trace and say nothing. */
const QUIET = new Set(["other address", "general poll"]);

/** Prints the exchanges of a line in words, oldest first. Idle polls are left out. Rejects with a sentence when there is no trace. */
export async function printTrace(folder: string, write: (text: string) => void): Promise<void> {
  let found = false;
  for (const name of [...TRACE_FILES].reverse()) {
    const text = await readFile(join(folder, name), "latin1").catch(() => undefined);
    if (text === undefined) continue;
    found = true;
    for (const line of text.split("\n")) {
      const words = wordsOf(line);
      if (words !== undefined) write(`${words}\n`);
    }
  }
  if (!found) throw new Error(`There is no trace in ${folder}: the machine was never opened, or its trace is off.`);
}

/** One line of a trace in words; undefined: it is idle, or damaged. */
export function wordsOf(line: string): string | undefined {
  const match = /^(\d{1,15}) ([0-9a-f]{2,520}) ([0-9a-f]{2,1040}|-) (\w+) ([\d.]{1,12})$/.exec(line);
  if (match === null) return undefined;
  const [, at, sent = "", received = "", , tookMs] = match;
  const { poll, answer } = describeExchange(Buffer.from(sent, "hex"), Buffer.from(received, "hex"));
  if (QUIET.has(poll) && (answer === "" || answer === "nothing happened")) return undefined;
  const time = new Date(Number(at)).toISOString().slice(0, 23).replace("T", " ");
  return `${time}  ${poll} → ${answer}  (${tookMs} ms; ${sent} ${received})`;
}
