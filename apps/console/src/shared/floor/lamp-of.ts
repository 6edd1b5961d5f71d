import type { FloorMachine } from "@longarm/contract/staff-floor";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import type { TextKey } from "../texts.ts";

/** The lamp of a machine and its words. */
export function lampOf({
  lamp,
  lockup,
  mode,
  answers,
}: Pick<FloorMachine, "lamp" | "lockup" | "mode" | "answers">): readonly [LampStatus, TextKey] {
  if (mode === "stopped") return ["fault", "floor.stopped"];
  if (!answers) return ["off", "floor.silent"];
  if (lockup !== null) return ["fault", `floor.lockup_${lockup}` as TextKey];
  if (lamp === "notAvailable") return ["off", `floor.mode_${mode}` as TextKey];
  return [lamp, `floor.lamp_${lamp}` as TextKey];
}
