import { appendFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Log } from "@longarm/database/log";
import { descriptorSink, LogOutput } from "@longarm/link/log-output";

const STANDARD_ERROR = 2;

/** The launcher's own log: JSON lines in a file, or on standard error; `now` stamps them, ms since 1970. */
export function fileLog(file: string | null, now: () => number): Log {
  if (file !== null) mkdirSync(dirname(file), { recursive: true });
  const sink = file === null ? descriptorSink(STANDARD_ERROR) : { write: (line: string) => appendFileSync(file, line) };
  const output = new LogOutput(sink, (lines) =>
    write("warn")({ lines }, "lines of this log could not be written and are lost"),
  );
  const write =
    (level: string) =>
    (fields: object, text: string): void => {
      const line = `${JSON.stringify({ level, time: new Date(now()).toISOString(), text, ...fields })}\n`;
      output.write(line);
    };
  return { info: write("info"), warn: write("warn"), error: write("error") };
}
