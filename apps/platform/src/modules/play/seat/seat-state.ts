import type { Meters } from "@longarm/contract/machine";
import { MACHINE_STATUS } from "@longarm/contract/machine";
import type { ProblemName } from "@longarm/contract/problems";
import type * as z from "zod/mini";
import type { EndReason, MetersNow, PlayState } from "../tables.ts";
import type { Next, PlayEvent } from "./play-states.ts";
import { rowOfState } from "./play-states.ts";

/** Everything a held seat's state depends on. */
export type SeatFacts = {
  /** The holder has a game socket on some node. */
  readonly holder: boolean;
  /** The machine can be reached: a link to its agent lives on some node, and the machine answers it. */
  readonly agent: boolean;
  /** A money command was sent and its outcome is not known. */
  readonly unknownTransfer: boolean;
  /** Credits by the ledger, minor units. */
  readonly credit: number;
  readonly meters: z.output<typeof Meters>;
  /** Set once the play session has to end. */
  readonly ending: EndReason | null;
};

/** The state a held seat is in by its facts: the gravest thing that holds decides. */
export function homeState(facts: SeatFacts): PlayState {
  const { meters } = facts;
  if (!facts.agent) return "agentAway";
  if (facts.unknownTransfer) return "transferUnknown";
  if (meters.handPay !== undefined) return "handPay";
  if (meters.bonus || meters.inGame) return runningState(facts);
  // A machine at fault still gives its credits back where it can, so an ending goes on.
  if (facts.ending !== null) return "ending";
  if (meters.lockup !== undefined) return "fault";
  if (!facts.holder) return "waiting";
  return facts.credit > 0 ? "playing" : "seated";
}

function runningState({ ending, holder, meters }: SeatFacts): PlayState {
  if (ending !== null) return "draining";
  if (meters.bonus) return holder ? "inBonus" : "bonusWaiting";
  return holder ? "inGame" : "waiting";
}

/** Events after which a state's time starts again even when the state is the same, unless the table says that they change nothing there. */
const restarts: ReadonlySet<PlayEvent> = new Set(["sit", "holderBack", "input", "credited", "emptied"]);

/** What a seat does on an event. */
export type Decision =
  | { readonly is: "refused"; readonly problem: ProblemName }
  | {
      readonly is: "next";
      readonly state: PlayState;
      readonly ending: EndReason | null;
      /** The state's time begins anew. */
      readonly restart: boolean;
      /** Staff is needed. */
      readonly alarm: boolean;
    };

/**
 * Decides an event by the table and the facts as they are with it.
 * @param given why the play session ends, for `playerEnds` and `houseEnds`.
 */
export function decide(state: PlayState, event: PlayEvent, facts: SeatFacts, given: EndReason = "left"): Decision {
  const next = rowOfState(state).on[event];
  if (typeof next === "object" && "refuse" in next) return { is: "refused", problem: next.refuse };
  const wanted = typeof next === "object" && "end" in next ? next.end : null;
  // The first reason holds: kicking a player who is leaving anyway changes nothing.
  const ending = facts.ending ?? (wanted === "given" ? given : wanted);
  const target = targetOf(state, next, { ...facts, ending });
  const cleared = target === "free" ? null : ending;
  return {
    is: "next",
    state: target,
    ending: cleared,
    restart: target !== state || (restarts.has(event) && next !== "stay") || event === "timeUp",
    alarm: next === "alarm",
  };
}

function targetOf(state: PlayState, next: Exclude<Next, { refuse: ProblemName }>, facts: SeatFacts): PlayState {
  if (next === "stay" || next === "alarm") return state;
  if (typeof next === "object" && "to" in next) return next.to;
  return homeState(facts);
}

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
