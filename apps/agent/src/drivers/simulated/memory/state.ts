import { SIMULATED_FAULTS } from "@longarm/contract/machine";
import * as z from "zod/mini";

const Whole = z
  .number()
  .check(z.refine((value) => Number.isSafeInteger(value) && value >= 0, "must be a whole number from 0"));
const Id = z.string().check(z.regex(/^[\x20-\x7e]{1,64}$/));

const LineWin = z.object({ line: Whole, count: Whole, prize: Whole });
const Spin = z.object({
  stops: z.array(Whole),
  win: Whole,
  lines: z.array(LineWin),
  scatters: Whole,
  free: z.boolean(),
});
export const Outcome = z.object({ spins: z.array(Spin), picks: z.array(Whole), jackpots: z.array(z.string()) });

/** A game from its durable start to its durable end. */
export const OpenGame = z.object({
  number: Whole,
  stake: Whole,
  before: Whole,
  startedAt: z.number(),
  outcome: Outcome,
  /** The start of the bonus is reported and its end is not yet. */
  bonusOpen: z.boolean(),
  /** What the jackpots were worth when they were hit. */
  jackpotWins: z.array(z.object({ name: z.string(), amount: Whole })),
  /** A win of this game is paid by hand from there on, instead of the machine's own limit. */
  handPayFrom: z.optional(Whole),
});
export type OpenGame = z.infer<typeof OpenGame>;

export const HandPay = z.object({
  id: Id,
  amount: Whole,
  kind: z.enum(["win", "jackpot"]),
  jackpot: z.optional(z.string()),
  gameNumber: Whole,
});

const transferHead = {
  transferId: Id,
  direction: z.enum(["cashIn", "cashOut"]),
  asked: z.nullable(Whole),
  at: z.number(),
};
export const TransferRecord = z.union([
  z.object({ ...transferHead, state: z.literal("done"), amount: Whole }),
  z.object({ ...transferHead, state: z.literal("refused"), reason: z.string() }),
]);
export type TransferRecord = z.infer<typeof TransferRecord>;

/** Bodies are made by ourselves and guarded by the checksum; their head is checked again here. */
export const QueuedEvent = z.looseObject({ seq: Whole, at: z.number(), priority: z.boolean(), what: z.string() });

export const Totals = z.object({
  wageredTotal: Whole,
  wonTotal: Whole,
  machinePaidTotal: Whole,
  handPaidTotal: Whole,
  cashInTotal: Whole,
  cashOutTotal: Whole,
});

export const Fault = z.enum(SIMULATED_FAULTS);
/** Each fault that the machine has, with the machine's own code for it, or "". */
const Faults = z.partialRecord(Fault, z.string());

/** Everything that outlives power. Amounts in minor units. */
const State = z.object({
  credit: Whole,
  band: Whole,
  step: Whole,
  win: Whole,
  gamesPlayed: Whole,
  totals: Totals,
  /** Scaled by 10 000, so that a share of a kuruş is not lost. */
  jackpots: z.array(z.object({ name: z.string(), scaled: Whole })),
  /** Where the reels of the last complete game stopped. */
  stops: z.array(Whole),
  game: z.nullable(OpenGame),
  handPay: z.nullable(HandPay),
  disabled: z.boolean(),
  faults: Faults,
  attendant: z.boolean(),
  done: z.array(TransferRecord),
  refused: z.array(TransferRecord),
  events: z.array(QueuedEvent),
  nextSeq: Whole,
});
export type MachineState = z.infer<typeof State>;

/** The state as it is stored; an older version kept door and tilt as two fields. */
export const MachineState = z.pipe(
  z.transform((stored: unknown) => {
    const { doorOpen, tilt, ...state } = stored as { doorOpen?: boolean; tilt?: string | null; faults?: object };
    return { faults: { ...(doorOpen && { door: "" }), ...(typeof tilt === "string" && { tilt }) }, ...state };
  }),
  State,
);

export const JACKPOT_SCALE = 10_000;
