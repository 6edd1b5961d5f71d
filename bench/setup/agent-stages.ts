import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { FrameStages } from "../../apps/agent/src/media/stages.ts";

/** What the agent reported since the last reading: pictures, and when presses came (ms since 1970). */
export type AgentLog = { readonly pictures: readonly FrameStages[]; readonly pressesAt: readonly number[] };

/** Reads what `stage-log.ts` writes in the agent's process. */
export type AgentStages = {
  /** For the agent's environment. */
  readonly env: Readonly<Record<string, string>>;
  take(): Promise<AgentLog>;
};

/** What came last is in the file by then, ms. */
const WRITTEN_MS = 600;
const LOG = new URL("./stage-log.ts", import.meta.url).href;

export async function openAgentStages(file: string): Promise<AgentStages> {
  await writeFile(file, "");
  const imported = `--import=${LOG}?to=${encodeURIComponent(file)}`;
  let read = 0;
  return {
    env: { NODE_OPTIONS: [process.env["NODE_OPTIONS"], imported].filter(Boolean).join(" ") },
    async take() {
      await pause(WRITTEN_MS);
      const text = await readFile(file, "utf8");
      const fresh = text.slice(read, text.lastIndexOf("\n") + 1);
      read += fresh.length;
      return readStages(fresh);
    },
  };
}

/** Lines of the log; a press has one figure, a picture five. */
export function readStages(text: string): AgentLog {
  const rows = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as number[]);
  return {
    pictures: rows
      .filter((row) => row.length === 5)
      .map(([timestamp = 0, capturedAtMs = 0, encodeFromMs = 0, encodedAtMs = 0, sentAtMs = 0]) => ({
        timestamp,
        capturedAtMs,
        encodeFromMs,
        encodedAtMs,
        sentAtMs,
      })),
    pressesAt: rows.filter((row) => row.length === 1).map(([at = 0]) => at),
  };
}
