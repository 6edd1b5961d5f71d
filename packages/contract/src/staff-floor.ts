import * as z from "zod/mini";
import { OwnId, WireId } from "./ids.ts";
import { LOCKUP_REASONS, SIMULATED_EVENTS } from "./machine.ts";
import { Minor, SignedMinor } from "./money.ts";
import type { StaffCall } from "./staff-call.ts";
import {
  ActDone,
  actAnswer,
  actBody,
  listOf,
  MachineRef,
  PersonRef,
  PlayerRef,
  page,
  Reason,
  ShortText,
  When,
} from "./staff-call.ts";
import { Task } from "./staff-tasks.ts";

/** State of a machine for the floor. */
export const LAMPS = ["available", "playing", "waiting", "reserved", "notAvailable"] as const;
/** What staff wants of a machine. */
export const MODES = ["open", "disabled", "drained", "stopped"] as const;
export const FloorMachine = z.object({
  id: z.string(),
  name: z.string(),
  brand: z.string(),
  group: z.nullable(z.string()),
  simulated: z.boolean(),
  lamp: z.enum(LAMPS),
  /** State of the seat, as the architecture's table names it. */
  state: z.string(),
  mode: z.enum(MODES),
  lockup: z.nullable(z.enum(LOCKUP_REASONS)),
  /** Its agent's link lives, and it answers its agent. */
  answers: z.boolean(),
  player: z.nullable(PlayerRef),
  /** On its credit meter as it last reported, minor units. */
  credit: Minor,
  lastWin: z.nullable(Minor),
  lastGameAt: z.nullable(When),
  watchers: z.int(),
  reservedFor: z.nullable(PlayerRef),
  reservedUntil: z.nullable(When),
  /** When the countdown of a waiting seat ends. */
  seatEndsAt: z.nullable(When),
  /** Changes with each new still; goes into `stills/{id}?tag=`. Null: there is none. */
  stillTag: z.nullable(z.string()),
  stillAt: z.nullable(When),
  /** Ids of its open tasks, the most urgent first. */
  needs: z.array(z.string()),
  /** Glass to glass as the seated player's page last measured it, ms. */
  delayMs: z.nullable(z.number()),
});
export type FloorMachine = z.infer<typeof FloorMachine>;

export const Pulse = z.object({
  seated: z.int(),
  watching: z.int(),
  machines: z.int(),
  /** Games that ended in each of the last 60 minutes, oldest first. */
  gamesPerMinute: z.array(z.int()),
  /**
   * The business day in minor units: ontoMachines − homeToWallets − onMachines − owed − inSuspense = platformKeeps. `provedAt`: when the
   * reconciliation last found that it adds up.
   */
  equation: z.object({
    ontoMachines: SignedMinor,
    homeToWallets: SignedMinor,
    onMachines: SignedMinor,
    owed: SignedMinor,
    inSuspense: SignedMinor,
    platformKeeps: SignedMinor,
    provedAt: z.nullable(When),
    holds: z.nullable(z.boolean()),
  }),
  onShift: z.array(z.object({ person: PersonRef, tasks: z.int(), since: When })),
});
export type Pulse = z.infer<typeof Pulse>;

export const MachineDetail = z.object({
  machine: FloorMachine,
  facts: z.object({
    brand: z.string(),
    denomination: Minor,
    videoType: z.string(),
    /** How long the picture takes to the agent, ms; null: not measured. Delays that pages report count it. */
    sourceDelayMs: z.nullable(z.int()),
    agent: z.object({ id: OwnId, name: z.string(), linked: z.boolean() }),
    bands: z.array(z.object({ id: WireId, name: z.string() })),
    /** From the paytable sheet, entered at enrolment; percent times 100. Null: not entered. */
    theoreticalReturn: z.nullable(z.int()),
  }),
  /** As the machine last reported, minor units; null: it does not say. */
  meters: z.object({
    at: When,
    credit: Minor,
    bet: z.nullable(Minor),
    win: z.nullable(Minor),
    gamesPlayed: z.int(),
    inGame: z.boolean(),
    handPay: z.nullable(z.object({ id: z.string(), amount: Minor, kind: z.string() })),
  }),
  /** The ledger's account of the machine, minor units. */
  ledgerCredit: SignedMinor,
  session: z.nullable(
    z.object({
      id: OwnId,
      player: PlayerRef,
      since: When,
      /** Null without `player.see`: what a player won and lost is theirs. */
      sums: z.nullable(z.object({ cashedIn: Minor, cashedOut: Minor, games: z.int(), net: SignedMinor })),
    }),
  ),
  moneyInFlight: z.array(
    z.object({
      id: z.string(),
      direction: z.enum(["cashIn", "cashOut"]),
      state: z.enum(["asking", "unknown"]),
      amount: z.nullable(Minor),
      since: When,
    }),
  ),
  tasks: z.array(Task),
  openDiscrepancies: z.int(),
});

/** One line of a machine's time line, newest first. */
export const MachineEventRow = z.object({
  at: When,
  source: z.enum(["machine", "money", "staff", "platform"]),
  kind: z.string(),
  amount: z.nullable(SignedMinor),
  person: z.nullable(z.string()),
  facts: z.record(z.string(), z.unknown()),
});
export const GameRow = z.object({
  number: z.int(),
  startedAt: When,
  endedAt: When,
  /** Null also without `player.see`. */
  player: z.nullable(PlayerRef),
  stake: Minor,
  win: Minor,
  handPaid: Minor,
  creditBefore: Minor,
  creditAfter: Minor,
});

/** What a stop or its release is about. A venue is one `group` of all. */
export const StopScope = z.discriminatedUnion("is", [
  z.strictObject({ is: z.literal("machine"), machine: WireId }),
  z.strictObject({ is: z.literal("group"), group: ShortText }),
  z.strictObject({ is: z.literal("venue") }),
]);
export type StopScope = z.infer<typeof StopScope>;
export const Stop = z.object({
  id: OwnId,
  scope: StopScope,
  setBy: PersonRef,
  setAt: When,
  /** Null: still to be written. */
  reason: z.nullable(z.string()),
  releasedBy: z.array(PersonRef),
  releasedAt: z.nullable(When),
  /** The approval that waits for the second person of its release. */
  approval: z.nullable(OwnId),
  machines: z.array(
    z.object({
      machine: MachineRef,
      /** `unreachable`: its agent has not answered, use the stop in the hall. */
      is: z.enum(["stopping", "stopped", "unreachable"]),
      credit: Minor,
      home: z.boolean(),
    }),
  ),
  /** No node reaches these agents: exactly where the stop works when their link is back, and not before. */
  agentsAway: z.array(z.string()),
});
export type Stop = z.infer<typeof Stop>;

/** A place in the queue of a machine, in the order of the queue. */
export const QueueRow = z.object({
  id: OwnId,
  player: PlayerRef,
  joinedAt: When,
  /** How many others it lets go first, for calls that the player has let pass. */
  lets: z.int(),
  misses: z.int(),
  /** Until when the machine is kept for this player; null: not called. */
  calledUntil: z.nullable(When),
  /** Name of the problem that keeps the player from being called; null: none. */
  keptBy: z.nullable(z.string()),
  /** Staff has moved it. */
  moved: z.boolean(),
});
export type QueueRow = z.infer<typeof QueueRow>;
/** Where staff can move a place: to the beginning or the end of all its queues, or out of them. */
export const QUEUE_MOVES = ["first", "last", "out"] as const;

const onMachine = { for: "machine.operate", method: "POST", answer: ActDone } as const;

/** Floor, machine and emergency stop. */
export const floorCalls = {
  pulse: { method: "GET", path: "pulse", answer: Pulse, for: "floor.see" },
  floor: { method: "GET", path: "floor", answer: listOf(FloorMachine), for: "floor.see" },
  machine: { method: "GET", path: "machines/{id}", answer: MachineDetail, for: "floor.see" },
  machineEvents: {
    method: "GET",
    path: "machines/{id}/events",
    query: z.strictObject({ ...page, source: z.optional(z.enum(["machine", "money", "staff", "platform"])) }),
    answer: listOf(MachineEventRow),
    for: "floor.see",
  },
  machineGames: {
    method: "GET",
    path: "machines/{id}/games",
    query: z.strictObject(page),
    answer: listOf(GameRow),
    for: "floor.see",
  },
  /** The game of a seated player ends, then no further seat. */
  drain: { ...onMachine, path: "machines/{id}/drain", body: actBody({ reason: Reason }) },
  close: { ...onMachine, path: "machines/{id}/close", body: actBody({ reason: Reason }) },
  open: { ...onMachine, path: "machines/{id}/open", body: actBody({ reason: Reason }) },
  reserve: {
    ...onMachine,
    path: "machines/{id}/reserve",
    body: actBody({ player: OwnId, minutes: z.int().check(z.gte(1), z.lte(1_440)), reason: Reason }),
  },
  endReservation: { ...onMachine, path: "machines/{id}/end-reservation", body: actBody({}) },
  machineQueue: { method: "GET", path: "machines/{id}/queue", answer: listOf(QueueRow), for: "floor.see" },
  moveInQueue: {
    ...onMachine,
    path: "machines/{id}/queue/move",
    body: actBody({ place: OwnId, to: z.enum(QUEUE_MOVES), reason: Reason }),
  },
  endSession: {
    ...onMachine,
    path: "machines/{id}/end-session",
    /** The play session that the person sees: another one that began meanwhile stays. */
    body: actBody({ session: OwnId, reason: Reason }),
  },
  simulate: {
    method: "POST",
    path: "machines/{id}/simulate",
    body: actBody({ what: z.enum(SIMULATED_EVENTS) }),
    answer: actAnswer(z.object({ sentence: z.string() })),
    for: "machine.simulate",
  },
  stops: { method: "GET", path: "stops", answer: listOf(Stop), for: "floor.see" },
  /** The reason follows: a stop never waits for words. */
  stop: {
    method: "POST",
    path: "stops",
    body: actBody({ scope: StopScope }),
    answer: actAnswer(Stop),
    for: "stop.set",
  },
  stopReason: {
    method: "POST",
    path: "stops/{id}/reason",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "stop.set",
  },
  /** Waits for a second person always. */
  releaseStop: {
    method: "POST",
    path: "stops/{id}/release",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "stop.release",
    stepUp: true,
  },
  takeCall: { method: "POST", path: "calls/{id}/take", body: actBody({}), answer: ActDone, for: "task.take" },
  closeCall: {
    method: "POST",
    path: "calls/{id}/close",
    body: actBody({ note: Reason }),
    answer: ActDone,
    for: "task.take",
  },
} as const satisfies Record<string, StaffCall>;

/** A still: `image/webp`, not JSON. `tag` is the machine's `stillTag`. */
export const STILL_PATH = "stills/{id}";
