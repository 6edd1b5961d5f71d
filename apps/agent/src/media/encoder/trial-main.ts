import { systemClock } from "../../system-clock.ts";
import type { EncoderName } from "./h264-encoders.ts";
import { tryEncoder } from "./trial.ts";
import { createVideoEncoder } from "./video-encoder.ts";

/*
 * Tries one encoder, reports to its parent what was found, and ends. It is a process because a driver may crash or hang, and nothing but a process can be
 * ended whatever its native code does.
 */

process.once("disconnect", () => process.exit(1));
const encoder = process.argv[2] as EncoderName;
const processorMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
const outcome = await tryEncoder((settings) => createVideoEncoder({ ...settings, encoder }), {
  clock: systemClock(),
  processorMs,
});
process.send?.(outcome, () => process.exit(0));
