import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describeExchange } from "../protocol/describe.ts";
import { TRACE_FILES } from "./trace-file.ts";

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
