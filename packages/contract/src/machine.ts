import * as z from "zod/mini";
import { WireId } from "./ids.ts";
import { Minor, PositiveMinor } from "./money.ts";

/** Machine status numbers of the wire (decision D-22). Settings.json may map other numbers. */
export const MACHINE_STATUS = { notAvailable: 0, available: 1, waiting: 2, playing: 3, reserved: 4 } as const;
export type MachineState = keyof typeof MACHINE_STATUS;

/** What the `session` notification says of an open play session (contract.md section 3). */
export const SESSION_STATUSES = [
  "in-bonus",
  "waiting",
  "trying-cashout",
  "playing",
  "error",
  "offline",
  "unknown",
] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** The smallest and the largest stake of one game, minor units. */
export const Stakes = z
  .object({ min: PositiveMinor, max: PositiveMinor })
  .check(z.refine(({ min, max }) => min <= max, "the smallest stake is above the largest"));
export type Stakes = z.infer<typeof Stakes>;

/** A right to take the seat until a time. Tolerant: an operator's platform may send true or a name. */
export const Reservation = z.union([
  z.boolean(),
  z.string().check(z.maxLength(200)),
  z.object({
    name: z.optional(z.nullable(z.string())),
    until: z.optional(z.nullable(z.string())),
    mine: z.optional(z.boolean()),
  }),
]);
export type Reservation = z.infer<typeof Reservation>;

/** Rows read one by one: a row that cannot be read is left out, so that one wrong machine does not hide the others. */
function rowsOf<Row extends z.ZodMiniType>(row: Row) {
  return z.pipe(
    z.array(z.catch(z.nullable(row), null)),
    z.transform((rows) => rows.filter((read): read is NonNullable<typeof read> => read !== null)),
  );
}
const orAbsent = <Field extends z.ZodMiniType>(field: Field) => z.catch(z.optional(field), undefined);
const text = z.catch(z._default(z.string(), ""), "");

/**
 * A machine as the lobby shows it (GET machine/{brandId}, machine/all). Only the id must be right: of the rest, what is of a wrong
 * type counts as absent, and a status that is no number as 0, not available.
 */
export const LobbyMachine = z.object({
  id: WireId,
  name: text,
  status: z.catch(z.number(), 0),
  /** Brand name as players know it. */
  brand: text,
  image: orAbsent(z.nullable(z.string())),
  reservation: orAbsent(z.nullable(Reservation)),
  /** Address of the machine's own game socket; absent: the platform's. */
  url: orAbsent(z.nullable(z.string())),
  /** The seat is kept for the caller. */
  mine: orAbsent(z.boolean()),
  /** Until when the seat is kept (ISO 8601), with `mine`. */
  until: orAbsent(z.nullable(z.string())),
  watchable: orAbsent(z.boolean()),
  /** What one game may cost. */
  stakes: orAbsent(Stakes),
});
export type LobbyMachine = z.infer<typeof LobbyMachine>;

/** GET machine/{brandId} or machine/all: a list, `{machines}` or `{brand, machines}` (R-7-14). */
export const MachineList = z.union([
  rowsOf(LobbyMachine),
  z.object({ brand: z.optional(z.unknown()), machines: rowsOf(LobbyMachine) }),
]);

/** A brand as the lobby shows it. `jackpot` is a comma-separated list in minor units; readers accept an array or null too. */
export const Brand = z.object({
  id: WireId,
  name: text,
  jackpot: orAbsent(z.nullable(z.union([z.string(), z.array(z.unknown())]))),
  /** Machines of the brand, at least 0. */
  machineCount: z.catch(z._default(z.number().check(z.gte(0)), 0), 0),
  /** Names beside the jackpots, in the same order. */
  jackpotNames: orAbsent(z.array(z.catch(z.string(), ""))),
});
export type Brand = z.infer<typeof Brand>;

/** GET machine/brands. */
export const BrandList = rowsOf(Brand);

/** One stake range a machine offers. Shown ordered by `Order` descending. */
export const Band = z.object({ id: WireId, name: z.string(), Order: z.number() });
export type Band = z.infer<typeof Band>;

/** One key of a machine's panel. `minGapMs`: the least time between two presses that count. */
export const Button = z.object({
  id: z.string().check(z.minLength(1), z.maxLength(32)),
  label: z.string().check(z.maxLength(64)),
  kind: z.enum(["wager", "select", "collect", "service"]),
  minGapMs: z.number().check(z.gte(0), z.lte(60_000)),
});
export type Button = z.infer<typeof Button>;

/** What play is allowed on a machine. Amounts in minor units, times in ms. */
export const MachineLimits = z.object({
  /** From one game's start to the next one's, at least (kept by the agent). */
  minCycleMs: z.number().check(z.gte(0), z.lte(60_000)),
  minTransfer: PositiveMinor,
  maxTransfer: PositiveMinor,
  maxStake: z.optional(PositiveMinor),
  /** False: the market forbids autoplay. */
  autoplay: z.boolean(),
});
export type MachineLimits = z.infer<typeof MachineLimits>;

/** A payout that the machine will not make itself; it is locked until staff resets it. */
export const HandPay = z.object({
  id: z.string().check(z.minLength(1), z.maxLength(64)),
  amount: PositiveMinor,
  kind: z.enum(["win", "jackpot", "cancelledCredits"]),
});

/** Why a machine refuses play. */
export const LOCKUP_REASONS = ["handPay", "door", "tilt", "disabled", "outOfService"] as const;

/** What a page is told of a machine beside its meters, while its play session is open. */
export const PAGE_EVENT_KINDS = [
  "doorOpened",
  "doorClosed",
  "tilt",
  "tiltCleared",
  "handPayPending",
  "handPayReset",
  "jackpot",
  "bonusStarted",
  "bonusEnded",
] as const;
export type PageEventKind = (typeof PAGE_EVENT_KINDS)[number];

/** What the page shows of a machine's meters, in minor units; read from the machine, never computed by us. */
export const Meters = z.object({
  credit: Minor,
  /** The stake the next wager would take. */
  bet: Minor,
  /** Win of the last complete game, or so far of the running one. */
  win: Minor,
  /** Free games left. */
  freeSpins: z.int().check(z.gte(0)),
  /** A bonus waits for the player or runs. */
  bonus: z.boolean(),
  /** Games played since the machine was made; never falls. */
  gamesPlayed: z.int().check(z.gte(0)),
  /** Id of the active band. */
  activeBand: z.nullable(WireId),
  /**
   * The lines that pay in the turn of the reels that is shown, 1 is the first of the paytable. Absent: none, or the machine does not say.
   * One that cannot be read counts as absent.
   */
  winLines: orAbsent(z.array(z.int().check(z.gte(1), z.lte(50))).check(z.maxLength(50))),
  /** A game is running now. */
  inGame: z._default(z.boolean(), false),
  handPay: z.optional(HandPay),
  lockup: z.optional(z.enum(LOCKUP_REASONS)),
});
export type Meters = z.infer<typeof Meters>;

/**
 * A machine's running meters since it was made, in minor units; they never fall. Outside a game the credit meter changes as they do:
 * cashIn + otherIn + machinePaid − wagered − cashOut − otherOut. Source: field notes 3.3 (SAS meters 0000, 0001, 00A0, 00B8 and their like).
 */
export const MachineTotals = z.object({
  /** Everything wagered. */
  wagered: Minor,
  /** Everything won, however it was paid. */
  won: Minor,
  /** Won and paid to the credit meter. */
  machinePaid: Minor,
  /** Won and paid by hand, counted when the hand pay is reset. */
  handPaid: Minor,
  /** Transfers to the machine and from it. */
  cashIn: Minor,
  cashOut: Minor,
  /** Credits that came or went without a transfer of the platform: bills, tickets, credits cancelled by hand. */
  otherIn: z._default(Minor, 0),
  otherOut: z._default(Minor, 0),
});
export type MachineTotals = z.infer<typeof MachineTotals>;

/** Part of the picture that holds the machine, as shares (0 to 1) of the whole. */
export const CutScreen = z.object({
  x: z.number().check(z.gte(0), z.lte(1)),
  y: z.number().check(z.gte(0), z.lte(1)),
  width: z.number().check(z.gt(0), z.lte(1)),
  height: z.number().check(z.gt(0), z.lte(1)),
});

/** Facts of a machine that do not change while its agent runs. */
export const MachineFacts = z.object({
  id: WireId,
  name: z.string().check(z.minLength(1), z.maxLength(64)),
  brand: z.string().check(z.minLength(1), z.maxLength(64)),
  videoType: z.enum(["screen", "camera"]),
  cutScreen: z.optional(CutScreen),
  layout: z.optional(z.string()),
  showRotateScreenMenu: z.optional(z.boolean()),
  /** Money worth of one credit, minor units. */
  denomination: PositiveMinor,
  /** No real machine stands behind it. Absent: one may. */
  simulated: z.optional(z.boolean()),
});
export type MachineFacts = z.infer<typeof MachineFacts>;
/**
 * What can be made to happen at a machine that is no real one. `handpay`, `bonus`, `freespins` and `jackpot` come with the next game;
 * `offline` cuts the line between machine and agent; `repair` ends `door`, `tilt` and `offline` and takes back what the next game would
 * bring. A hand pay that is owed is no fault: only staff's confirmation ends it.
 */
export const SIMULATED_EVENTS = [
  "door",
  "tilt",
  "handpay",
  "bonus",
  "freespins",
  "jackpot",
  "offline",
  "repair",
] as const;
export type SimulatedEvent = (typeof SIMULATED_EVENTS)[number];
