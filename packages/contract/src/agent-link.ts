import * as z from "zod/mini";
import { MachineAbout } from "./about-machine.ts";
import { Press, PressAnswer } from "./data-channel.ts";
import { Candidate, Sdp } from "./game-socket.ts";
import { IceServer } from "./ice-server.ts";
import { Instant, OwnId, SeatEpoch, TransferId } from "./ids.ts";
import { MachineCard } from "./lobby-lists.ts";
import {
  Band,
  Button,
  FAULT_EVENTS,
  HandPay,
  LockupReason,
  MachineFacts,
  MachineLimits,
  MachineTotals,
  Meters,
  SIMULATED_EVENTS,
} from "./machine.ts";
import type { SocketContract } from "./methods.ts";
import { Minor, PositiveMinor } from "./money.ts";
import { PlayRules } from "./player-protection.ts";
import { ClipRequest, ClipRequestAnswer, RecordAnchor, RecordHold, RecordState } from "./recording.ts";

/**
 * What a machine is doing, as its agent sees it. `offline`: the machine does not answer its agent; its last meters are valid. A reader takes a
 * state that it does not know for `locked`.
 */
export const EGM_STATES = ["idle", "inGame", "inBonus", "locked", "disabled", "offline"] as const;
export type EgmState = (typeof EGM_STATES)[number];
const EgmStateReported = z.catch(z.enum(EGM_STATES), "locked");

/** The lease and grant the agent keeps for a machine, across restarts. */
export const Grant = z.object({
  machineId: OwnId,
  epoch: SeatEpoch,
  playSessionId: OwnId,
  /** From its arrival the agent lets presses through for this long without a renewal, ms. */
  leaseMs: z.int().check(z.gte(1_000), z.lte(600_000)),
  /** What protects this player beside the machine's limits. Absent: an older platform. */
  rules: z.optional(PlayRules),
});
export type Grant = z.infer<typeof Grant>;

/** Every lobby shows them, so one agent's may not be long. */
const Jackpots = z.array(z.object({ name: z.string().check(z.maxLength(64)), amount: Minor })).check(z.maxLength(20));

/** One machine of an agent, sent with `hello`. */
export const AgentMachine = z.extend(MachineFacts, {
  id: OwnId,
  bandSelects: z.array(Band),
  buttons: z.array(Button),
  limits: MachineLimits,
  ...MachineCard.shape,
  webcam: z.boolean(),
  state: EgmStateReported,
  meters: Meters,
  /** Of the same moment as `meters`. Without them credits that came or went beside the platform are not found. */
  totals: z.optional(MachineTotals),
  /** The highest epoch this agent has ever seen for the machine; 0: none. */
  epoch: z.int().check(z.gte(0)),
  /** Jackpots of the machine now, largest first. */
  jackpots: z._default(Jackpots, []),
});
export type AgentMachine = z.infer<typeof AgentMachine>;

export const Hello = z.object({
  agent: OwnId,
  version: z.string().check(z.maxLength(64)),
  /** The agent's wall clock, ms since 1970; more than 2 s off is refused. */
  clock: z.number(),
  machines: z.array(AgentMachine).check(z.minLength(1), z.maxLength(64)),
});
export type Hello = z.infer<typeof Hello>;

/**
 * Why a money command was refused: what its player is answered by. `attendant`: a door, a fault, a hand pay or staff keeps the machine from
 * it. `agentFault`: the agent cannot keep its journal. `other`: none of these, or a kind of a newer agent.
 */
export const MONEY_REFUSALS = [
  "unreachable",
  "staleEpoch",
  "inGame",
  "beingChecked",
  "amountOutsideLimits",
  "nothingToPay",
  "idConflict",
  "attendant",
  "agentFault",
  "busy",
  "other",
] as const;
export type MoneyRefusal = (typeof MONEY_REFUSALS)[number];

/**
 * A money command's outcome; `unknown` never means `refused`, and a reader takes an outcome that it does not know for `unknown`. `amount` is what
 * really moved, minor units.
 */
export const EgmMoneyAnswer = z.object({
  outcome: z.catch(z.enum(["done", "refused", "unknown"]), "unknown"),
  amount: Minor,
  /** With `refused`: a sentence for the log alone. */
  reason: z.optional(z.string().check(z.maxLength(200))),
  /** With `refused`: its kind. Absent: an older agent. */
  refusal: z.optional(z.catch(z.enum(MONEY_REFUSALS), "other")),
});
export type EgmMoneyAnswer = z.infer<typeof EgmMoneyAnswer>;

/**
 * What the machine's own record says of a transfer id. `neverSeen` also promises that the agent will refuse this id from now on,
 * so that a late command cannot move money after its hold was void. `lost`: the machine has no record of a command that it may have got, and its
 * meter of that direction has moved by `amount` since: a person must explain it. A reader takes a record that it does not know for `pending`: it
 * decides nothing.
 */
export const EgmTransferAnswer = z.object({
  record: z.catch(z.enum(["done", "refused", "pending", "neverSeen", "lost"]), "pending"),
  amount: Minor,
});
export type EgmTransferAnswer = z.infer<typeof EgmTransferAnswer>;

const MachineOnly = z.object({ machineId: OwnId });
/** Moves money onto a machine or off it. No `amount`: everything (cash-out only). The same `transferId` moves money at most once. */
export const MoneyCommand = z.object({
  machineId: OwnId,
  epoch: SeatEpoch,
  transferId: TransferId,
  amount: z.optional(PositiveMinor),
});
export type MoneyCommand = z.infer<typeof MoneyCommand>;
const Empty = z.object({});

/** A complete game, from the machine's own meters. */
export const GameFacts = z.object({
  /** The machine's count of games, the number of this one. */
  gameNumber: z.int().check(z.gte(1)),
  stake: Minor,
  win: Minor,
  /** Credit before and after, minor units: after = before − stake + win − handPaid. */
  before: Minor,
  after: Minor,
  /** The part of `win` that waits for a hand pay and is not in `after`. */
  handPaid: Minor,
  /** Free games played inside this one; bounded, since play sessions add them up. Absent, as `bonus` may be: the machine does not say. */
  freeSpins: z.optional(z.int().check(z.gte(0), z.lte(1_000_000))),
  bonus: z.optional(z.boolean()),
  startedAt: Instant,
  endedAt: Instant,
});
export type GameFacts = z.infer<typeof GameFacts>;

/**
 * An event of a machine. `seq` grows by one per machine and is kept in the agent's journal; the agent repeats the oldest
 * unanswered event until the platform has answered it, so the platform must take each `seq` once.
 */
const eventHead = {
  machineId: OwnId,
  seq: z.int().check(z.gte(1)),
  at: Instant,
  /** The seat it belongs to, when there was one. */
  epoch: z.optional(SeatEpoch),
  playSessionId: z.optional(OwnId),
  meters: Meters,
};
export const GameStarted = z.object({
  ...eventHead,
  phase: z.literal("started"),
  gameNumber: z.int().check(z.gte(1)),
  stake: Minor,
});
export const GameEnded = z.object({ ...eventHead, phase: z.literal("ended"), game: GameFacts });
export const Game = z.discriminatedUnion("phase", [GameStarted, GameEnded]);
export type Game = z.infer<typeof Game>;

/** `other`: a kind of a newer agent. The platform keeps it in the machine's history and does nothing else with it. */
export const MACHINE_EVENT_KINDS = [
  ...FAULT_EVENTS,
  "handPayPending",
  "handPayReset",
  "jackpot",
  "bonusStarted",
  "bonusEnded",
  "powerUp",
  "transferComplete",
  "eventsLost",
  "other",
] as const;
export type MachineEventKind = (typeof MACHINE_EVENT_KINDS)[number];
export const MachineEvent = z.object({
  ...eventHead,
  kind: z.catch(z.enum(MACHINE_EVENT_KINDS), "other"),
  amount: z.optional(Minor),
  name: z.optional(z.string().check(z.maxLength(64))),
  handPay: z.optional(HandPay),
  transferId: z.optional(TransferId),
});
export type MachineEvent = z.infer<typeof MachineEvent>;

/** How far an agent's clock may be off, ms. */
export const AGENT_CLOCK_OFF_MS_MAX = 2_000;

/**
 * The agent link (contract.md section 5): `wss://…/agent`, `Authorization: Bearer <agent key>`. Here the agent is the socket's
 * client, the platform its server.
 */
export const agentLink = {
  client: {
    requests: {
      hello: {
        input: Hello,
        output: z.object({
          /** The platform's wall clock, ms since 1970. */
          clock: z.number(),
          /** How often the platform renews a grant, ms. */
          renewMs: z.number(),
          /** Per machine id the last event `seq` the platform has taken. */
          taken: z.record(z.string(), z.int()),
        }),
        deadlineMs: 10_000,
      },
      game: { input: Game, output: Empty, deadlineMs: 10_000 },
      event: { input: MachineEvent, output: Empty, deadlineMs: 10_000 },
      /** How far the record of a play session has come, for the audit log. An older platform does not know it. */
      "recording.anchor": { input: RecordAnchor, output: Empty, deadlineMs: 10_000 },
    },
    notifications: {
      machine: z.object({ id: OwnId, state: EgmStateReported, lockup: z.optional(LockupReason) }),
      meters: z.object({ machineId: OwnId, meters: Meters }),
      jackpots: z.object({ machineId: OwnId, jackpots: Jackpots }),
      recording: RecordState,
      viewers: z.object({
        machineId: OwnId,
        viewerId: OwnId,
        state: z.enum(["connecting", "connected", "closed"]),
        count: z.int().check(z.gte(0)),
      }),
      "rtc.candidate": z.extend(Candidate, { machineId: OwnId, viewerId: OwnId }),
    },
  },
  server: {
    requests: {
      "seat.grant": { input: Grant, output: Empty, deadlineMs: 3_000 },
      "seat.renew": { input: Grant, output: Empty, deadlineMs: 3_000 },
      "seat.revoke": { input: z.object({ machineId: OwnId, epoch: SeatEpoch }), output: Empty, deadlineMs: 3_000 },
      "rtc.offer": {
        input: z.object({
          machineId: OwnId,
          viewerId: OwnId,
          /** `staff`: a console. An agent of an older version refuses it. */
          role: z.enum(["player", "spectator", "staff"]),
          epoch: z.optional(SeatEpoch),
          sdp: Sdp,
          iceServers: z.array(IceServer),
          framesPerSecond: z.optional(z.number()),
          /** The answer waits for all candidates of the agent: the viewer cannot be sent more. An agent of an older version does not wait. */
          complete: z.optional(z.boolean()),
        }),
        output: z.object({ sdp: Sdp }),
        deadlineMs: 8_000,
      },
      "rtc.close": { input: z.object({ machineId: OwnId, viewerId: OwnId }), output: Empty, deadlineMs: 3_000 },
      press: { input: z.extend(Press, { machineId: OwnId }), output: PressAnswer, deadlineMs: 1_500 },
      "egm.cashIn": { input: MoneyCommand, output: EgmMoneyAnswer, deadlineMs: 8_000 },
      "egm.cashOut": { input: MoneyCommand, output: EgmMoneyAnswer, deadlineMs: 8_000 },
      "egm.transfer": {
        input: z.object({ machineId: OwnId, transferId: TransferId }),
        output: EgmTransferAnswer,
        deadlineMs: 5_000,
      },
      "egm.enable": { input: MachineOnly, output: Empty, deadlineMs: 5_000 },
      "egm.disable": { input: MachineOnly, output: Empty, deadlineMs: 5_000 },
      "egm.resetHandPay": { input: z.object({ machineId: OwnId, handPayId: OwnId }), output: Empty, deadlineMs: 5_000 },
      "egm.meters": {
        input: MachineOnly,
        /** `totals` of the same moment as `meters`; `eventsWait`: games that it has counted are not all told, and still come (absent: judged by time). */
        output: z.object({
          state: EgmStateReported,
          meters: Meters,
          totals: z.optional(MachineTotals),
          eventsWait: z.optional(z.boolean()),
        }),
        deadlineMs: 5_000,
      },
      /** What the machine states of itself, and its operator in the agent's list of machines. An older agent does not know the question. */
      "egm.about": { input: MachineOnly, output: MachineAbout, deadlineMs: 3_000 },
      /** Answered only for machines that can pretend; every other one refuses with a sentence. `said`: what will be seen, and when. */
      "egm.simulate": {
        input: z.object({ machineId: OwnId, what: z.enum(SIMULATED_EVENTS) }),
        output: z.object({ said: z.string().check(z.maxLength(200)) }),
        deadlineMs: 5_000,
      },
      /** The agent puts each part of the clip to `PUT agent/clips/{id}/parts/{name}`, then the manifest to `PUT agent/clips/{id}`. */
      "recording.clip": { input: ClipRequest, output: ClipRequestAnswer, deadlineMs: 5_000 },
      "recording.hold": { input: RecordHold, output: z.object({ found: z.boolean() }), deadlineMs: 5_000 },
      /** The agent takes a picture and puts it to `PUT agent/machines/{id}/still` with its key. */
      "still.take": { input: MachineOnly, output: Empty, deadlineMs: 5_000 },
    },
    notifications: { "rtc.candidate": z.extend(Candidate, { machineId: OwnId, viewerId: OwnId }) },
  },
  frameBytesMax: 65_536,
} as const satisfies SocketContract;
