import type { FinalReason } from "@longarm/contract/envelope";
import { FINAL_REASONS } from "@longarm/contract/envelope";
import type { MachineState } from "@longarm/contract/machine";
import type { Settings } from "@longarm/contract/settings";
import type { LeaveReason } from "../../../shared/play-deps.ts";

/** What the lobby says after the platform closed the game socket with 4000 and this reason; of one that is not ours, its own words or code. */
export function reasonOfClose(reason: string): LeaveReason {
  if (isFinal(reason)) return { is: "closed", reason };
  return reason === "" ? { is: "refused", code: 50100 } : { is: "refused", code: reason, message: reason };
}

const isFinal = (reason: string): reason is FinalReason => FINAL_REASONS.some((known) => known === reason);

/** A number that the settings do not know means not available (decision D-22). */
export function stateOf(status: number, { machineStatus }: Settings): MachineState {
  const number = String(status);
  return (Object.hasOwn(machineStatus, number) ? machineStatus[number] : undefined) ?? "notAvailable";
}

export type MachineTold = { readonly id: string; readonly status: number };

/**
 * Whether a `machine` notification ends the game (R-2.5-07): the machine on the screen is not being played any more. Nothing counts
 * before the seat is ours, and while our own socket is away a machine that waits for its player waits for us.
 * Undefined: the game goes on.
 */
export function endedBy(
  told: MachineTold,
  about: {
    readonly machineId: string;
    readonly seated: boolean;
    readonly online: boolean;
    readonly settings: Settings;
  },
): MachineState | undefined {
  if (String(told.id) !== String(about.machineId) || !about.seated) return undefined;
  const state = stateOf(told.status, about.settings);
  if (state === "playing" || (state === "waiting" && !about.online)) return undefined;
  return state;
}
