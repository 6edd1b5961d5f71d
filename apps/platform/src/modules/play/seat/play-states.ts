import type { SessionStatus } from "@longarm/contract/lobby-lists";
import { MACHINE_STATUS } from "@longarm/contract/lobby-lists";
import type { Meters } from "@longarm/contract/machine";
import type { CountdownCode, ProblemName } from "@longarm/contract/problems";
import type * as z from "zod/mini";
import type { EndReason, MetersNow, PlayState } from "../tables.ts";

/** What can happen to a seat. All but `sit`, `input`, `playerEnds` and `houseEnds` are facts: they cannot be refused. */
export const PLAY_EVENTS = [
  "sit",
  "holderBack",
  "holderGone",
  "credited",
  "emptied",
  "gameStarted",
  "gameEnded",
  "bonusStarted",
  "bonusEnded",
  "input",
  "checkMoved",
  "playerEnds",
  "houseEnds",
  "timeUp",
  "transferUnknown",
  "transferDecided",
  "cashOutRefused",
  "handPayPending",
  "handPayReset",
  "fault",
  "repaired",
  "agentGone",
  "agentBack",
  "settled",
] as const;
export type PlayEvent = (typeof PLAY_EVENTS)[number];

/** How long a state may last, by name; the lengths are configuration (`PlayTimes`). */
export type TimeName = "noDepositMs" | "idleMs" | "idleCountMs" | "waitingMs" | "bonusWaitingMs" | "retryMs" | "awayMs";

/**
 * What an event does. `home` asks the facts for the state (`homeState`), `end` notes why the play session ends and does the
 * same, `alarm` stays and calls for staff, `refuse` is for commands only.
 */
export type Next =
  | "stay"
  | "home"
  | "alarm"
  | { readonly to: PlayState }
  | { readonly end: EndReason | "given" }
  | { readonly refuse: ProblemName };

export type StateRow = {
  /** Status number others see: `holder` is 3 while the holder has a game socket and 2 while not. */
  readonly status: 0 | 1 | 2 | 3 | "holder";
  /** `machine_status` of the holder's `session`. */
  readonly session: SessionStatus | null;
  /** Whether a press is passed on by the platform, or why not. The agent judges presses of the data channel by itself. */
  readonly press: true | ProblemName;
  /** Whether a cash-in or a cash-out of the player may start, or why not. */
  readonly cashIn: true | ProblemName;
  readonly cashOut: true | ProblemName;
  /** After this long without leaving the state `timeUp` happens. */
  readonly after?: TimeName;
  /** Pushed to the holder once a second while the time runs. */
  readonly count?: CountdownCode;
  /** The platform itself has something to do in this state, again each time its time is up. */
  readonly work?: "settle" | "recover";
  readonly on: Readonly<Record<PlayEvent, Next>>;
};

const end = (reason: EndReason | "given"): Next => ({ end: reason });
const to = (state: PlayState): Next => ({ to: state });
const refuse = (problem: ProblemName): Next => ({ refuse: problem });

/** Facts that move every held seat to where the facts say it is. */
const facts = {
  sit: refuse("seat.taken"),
  holderBack: "home",
  holderGone: "home",
  credited: "home",
  emptied: "home",
  gameStarted: "home",
  gameEnded: "home",
  bonusStarted: "home",
  bonusEnded: "home",
  transferUnknown: "home",
  transferDecided: "home",
  cashOutRefused: "alarm",
  handPayPending: "home",
  handPayReset: "home",
  fault: "home",
  repaired: "home",
  agentGone: "home",
  agentBack: "home",
  checkMoved: "home",
  houseEnds: end("given"),
  settled: "stay",
} as const satisfies Partial<Record<PlayEvent, Next>>;

/** With credits or without, the player sits and nothing runs. */
const calm = { ...facts, input: "home", playerEnds: end("given") } as const;
/** A game or a bonus runs: it must be complete first. */
const running = { ...facts, input: "stay", playerEnds: refuse("game.in_progress"), timeUp: "stay" } as const;
/** The platform is bringing the credits back: nothing but the facts moves it, and a second wish to leave is the same wish. */
const leaving = { ...facts, input: refuse("session.terminated"), playerEnds: "stay", houseEnds: "stay" } as const;

const noSession: ProblemName = "session.terminated";
const wait: ProblemName = "game.in_progress";
const checked: ProblemName = "transfer.being_checked";
const locked: ProblemName = "machine.locked";
const away: ProblemName = "machine.unreachable";

/** The table of architecture.md section 4, as data. Every event is decided in every state: the type asks for it. */
export const playStates: Readonly<Record<PlayState, StateRow>> = {
  free: {
    status: 1,
    session: null,
    press: noSession,
    cashIn: noSession,
    cashOut: noSession,
    on: {
      ...(Object.fromEntries(PLAY_EVENTS.map((event) => [event, "stay"])) as Record<PlayEvent, "stay">),
      sit: "home",
      input: refuse(noSession),
      playerEnds: refuse(noSession),
    },
  },
  seated: {
    status: 3,
    session: "playing",
    press: true,
    cashIn: true,
    cashOut: true,
    after: "noDepositMs",
    count: "CODE_18800",
    on: { ...calm, input: "stay", timeUp: end("noDeposit") },
  },
  playing: {
    status: 3,
    session: "playing",
    press: true,
    cashIn: true,
    cashOut: true,
    after: "idleMs",
    on: { ...calm, timeUp: to("idling") },
  },
  idling: {
    status: 3,
    session: "playing",
    press: true,
    cashIn: true,
    cashOut: true,
    after: "idleCountMs",
    count: "CODE_18802",
    on: { ...calm, timeUp: end("idle") },
  },
  inGame: { status: 3, session: "playing", press: true, cashIn: wait, cashOut: wait, on: running },
  inBonus: { status: 3, session: "in-bonus", press: true, cashIn: wait, cashOut: wait, on: running },
  waiting: {
    status: 2,
    session: "waiting",
    press: noSession,
    cashIn: noSession,
    cashOut: noSession,
    after: "waitingMs",
    on: { ...calm, input: "stay", timeUp: end("lostLink") },
  },
  bonusWaiting: {
    status: 2,
    session: "in-bonus",
    press: noSession,
    cashIn: noSession,
    cashOut: noSession,
    after: "bonusWaitingMs",
    on: { ...running, bonusEnded: end("lostLink"), timeUp: "alarm" },
  },
  ending: {
    status: "holder",
    session: "trying-cashout",
    press: noSession,
    cashIn: checked,
    cashOut: checked,
    after: "retryMs",
    work: "settle",
    on: { ...leaving, timeUp: "stay", settled: to("free") },
  },
  transferUnknown: {
    status: "holder",
    session: "trying-cashout",
    press: checked,
    cashIn: checked,
    cashOut: checked,
    after: "retryMs",
    work: "recover",
    on: { ...facts, input: "stay", playerEnds: end("given"), timeUp: "stay" },
  },
  handPay: {
    status: "holder",
    session: "error",
    press: locked,
    cashIn: locked,
    cashOut: locked,
    on: { ...facts, input: "stay", playerEnds: refuse(locked), timeUp: "stay" },
  },
  fault: {
    status: 0,
    session: "error",
    press: locked,
    cashIn: locked,
    cashOut: true,
    on: { ...facts, input: "stay", playerEnds: end("given"), timeUp: "stay" },
  },
  agentAway: {
    status: "holder",
    session: "offline",
    press: away,
    cashIn: away,
    cashOut: away,
    after: "awayMs",
    // Only a seat whose machine never got credits is settled without its agent.
    on: { ...facts, input: "stay", playerEnds: end("given"), timeUp: "alarm", settled: to("free") },
  },
  draining: {
    status: "holder",
    session: "playing",
    press: wait,
    cashIn: wait,
    cashOut: wait,
    on: { ...leaving, timeUp: "stay" },
  },
};

const elsewhere: ProblemName = "machine.not_available";

/** A state that only a newer node has a name for: this node does nothing to the seat, and lets no command of a player through. */
const unknownState: StateRow = {
  status: 0,
  session: null,
  press: elsewhere,
  cashIn: elsewhere,
  cashOut: elsewhere,
  on: Object.fromEntries(PLAY_EVENTS.map((event) => [event, refuse(elsewhere)])) as Record<PlayEvent, Next>,
};

/** The row of the table for a state as the database has it: nodes of two versions share one while they are replaced one by one. */
export function rowOfState(state: PlayState): StateRow {
  return Object.hasOwn(playStates, state) ? playStates[state] : unknownState;
}

/** Lengths of the states' times, ms. Defaults are those of the table. */
export type PlayTimes = Readonly<Record<TimeName, number>>;
export const defaultPlayTimes: PlayTimes = {
  noDepositMs: 60_000,
  idleMs: 120_000,
  idleCountMs: 60_000,
  waitingMs: 150_000,
  bonusWaitingMs: 900_000,
  retryMs: 2_000,
  awayMs: 600_000,
};

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
  /** A reality check waits for the player's answer: no time of a player who sits at a machine at rest runs meanwhile. */
  readonly checked: boolean;
};

/** States in which a machine rests and its player sits there. */
const AT_REST: ReadonlySet<PlayState> = new Set(["seated", "playing", "idling"]);
export const isAtRest = (state: PlayState): boolean => AT_REST.has(state);

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
const restarts: ReadonlySet<PlayEvent> = new Set(["sit", "holderBack", "input", "credited", "emptied", "checkMoved"]);

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
