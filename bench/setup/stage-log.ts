import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import type { FrameStages, PressArrival } from "../../apps/agent/src/media/stages.ts";
import { FRAME_STAGES, PRESS_ARRIVAL } from "../../apps/agent/src/media/stages.ts";

/*
 * Imported into the agent's process by the bench (`node --import …stage-log.ts?to=file`): writes what the agent reports of each picture
 * and press into a file, one line each. See `agent-stages.ts`, which reads it.
 */

const WRITE_MS = 250;
const file = new URL(import.meta.url).searchParams.get("to");
let lines: string[] = [];

subscribe(FRAME_STAGES, (message) => {
  const { timestamp, capturedAtMs, encodeFromMs, encodedAtMs, sentAtMs } = message as FrameStages;
  lines.push(JSON.stringify([timestamp, capturedAtMs, encodeFromMs, encodedAtMs, sentAtMs]));
});
subscribe(PRESS_ARRIVAL, (message) => {
  lines.push(JSON.stringify([(message as PressArrival).atMs]));
});
setInterval(() => {
  if (file === null || lines.length === 0) return;
  appendFileSync(file, `${lines.join("\n")}\n`);
  lines = [];
}, WRITE_MS).unref();
