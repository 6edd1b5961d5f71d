import { appendFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Log } from "@longarm/database/log";

/** The launcher's own log: JSON lines in a file, or on standard error; `now` stamps them, ms since 1970. */
export function fileLog(file: string | null, now: () => number): Log {
  if (file !== null) mkdirSync(dirname(file), { recursive: true });
  const write =
    (level: string) =>
    (fields: object, text: string): void => {
      const line = `${JSON.stringify({ level, time: new Date(now()).toISOString(), text, ...fields })}\n`;
      if (file === null) process.stderr.write(line);
      else appendFileSync(file, line);
    };
  return { info: write("info"), warn: write("warn"), error: write("error") };
}
