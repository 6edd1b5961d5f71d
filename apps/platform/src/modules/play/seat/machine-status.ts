import { MACHINE_STATUS } from "@longarm/contract/machine";
import type { MetersNow, PlayState } from "../tables.ts";
import { rowOfState } from "./play-states.ts";

export type StatusFacts = {
  readonly state: PlayState;
  readonly holder: boolean;
  /** The agent's link lives, and the machine answers its agent. */
  readonly agent: boolean;
  readonly meters: MetersNow;
  /** Staff has taken it out of play. */
  readonly closed: boolean;
  /** The player it is kept for. */
  readonly reservedFor: string | null;
};

/** The status number of a machine as everybody but its holder sees it. */
export function machineStatus({ state, holder, agent, meters, closed, reservedFor }: StatusFacts): number {
  const { status } = rowOfState(state);
  if (state === "free") {
    if (!agent || closed || !isFree(meters)) return MACHINE_STATUS.notAvailable;
    return reservedFor === null ? MACHINE_STATUS.available : MACHINE_STATUS.reserved;
  }
  if (status === "holder") return holder ? MACHINE_STATUS.playing : MACHINE_STATUS.waiting;
  return status;
}

/** Whether a player may be seated by what the meters say: nothing locks it, nothing runs, no credits of anybody are on it. */
export function isFree(meters: MetersNow): boolean {
  return (
    meters.lockup === undefined &&
    meters.handPay === undefined &&
    !meters.inGame &&
    !meters.bonus &&
    meters.credit === 0
  );
}
