import * as z from "zod/mini";

/** Everything that outlives power. Money in minor units; times in ms since 1970 by the machine's own clock. */

const Whole = z
  .number()
  .check(z.refine((value) => Number.isSafeInteger(value) && value >= 0, "must be a whole number from 0"));
const Byte = z.number().check(z.gte(0), z.lte(255));
const Bytes = z.array(Byte);
const Exceptions = z.array(z.object({ code: Byte, data: Bytes }));

export const CREDIT_KINDS = ["cashable", "restricted", "nonRestricted"] as const;
export type CreditKind = (typeof CREDIT_KINDS)[number];
const Money = z.object({ cashable: Whole, restricted: Whole, nonRestricted: Whole });
export type Money = z.infer<typeof Money>;

const Spin = z.object({
  stops: z.array(Whole),
  win: Whole,
  lines: z.array(z.object({ line: Whole, count: Whole, prize: Whole })),
  scatters: Whole,
  free: z.boolean(),
});
const Game = z.object({
  number: Whole,
  stake: Whole,
  startedAt: z.number(),
  outcome: z.object({ spins: z.array(Spin), picks: z.array(Whole), jackpots: z.array(z.string()) }),
  /** Minor units that the jackpots of this game pay. */
  jackpotWin: Whole,
  /** Every win of this game is paid by hand. */
  byHand: z.boolean(),
});
export type Game = z.infer<typeof Game>;

const HandPay = z.object({
  /** 0x40: a win, 0x01 to 0x20: a progressive level, 0x80: cancelled credits. */
  level: Byte,
  amount: Whole,
  /** The host has read and acknowledged it. */
  read: z.boolean(),
  /** It was paid, and the machine is free of it. */
  reset: z.boolean(),
});
export type HandPay = z.infer<typeof HandPay>;

const Transfer = z.object({
  /** As in long poll 72. */
  status: Byte,
  code: Byte,
  type: Byte,
  flags: Byte,
  id: z.string(),
  amounts: Money,
  expiry: Bytes,
  pool: Bytes,
  /** MMDDYYYY and HHMMSS in BCD, zero until complete. */
  date: Bytes,
  time: Bytes,
  /** The cumulative meters when it was complete. */
  cumulative: Money,
});
export type Transfer = z.infer<typeof Transfer>;

const CashOut = z.object({
  /** What the machine waits for now. */
  waits: z.enum(["hostCashOut", "validation"]),
  amount: Whole,
  since: z.number(),
});

const Ticket = z.object({ number: z.string(), amount: Whole });

export const State = z.object({
  credits: Money,
  /** Meters by their code in two hexadecimal digits; credits, minor units or counts as the code says. */
  meters: z.record(z.string(), Whole),
  queue: Exceptions,
  priority: Exceptions,
  enabled: z.boolean(),
  gameEnabled: z.boolean(),
  maintenance: z.boolean(),
  sound: z.boolean(),
  billAcceptor: z.boolean(),
  band: Whole,
  step: Whole,
  stops: z.array(Whole),
  jackpots: z.array(z.object({ name: z.string(), scaled: Whole })),
  game: z.nullable(Game),
  lastWin: Whole,
  gamesPlayed: Whole,
  doors: z.array(z.string()),
  tilt: z.nullable(z.string()),
  handPays: z.array(HandPay),
  /** Hand pays may be paid to the credit meter (long poll A8). */
  resetToCredit: z.boolean(),
  cashOut: z.nullable(CashOut),
  hostCashOut: z.object({ enabled: z.boolean(), hard: z.boolean() }),
  registration: z.object({ status: Byte, key: Bytes, pos: Bytes }),
  transfer: z.nullable(Transfer),
  /** Successful transfers of more than nothing, by their place less 1. */
  history: z.array(z.nullable(Transfer)),
  nextPlace: Whole,
  ticketIn: z.nullable(z.object({ number: z.string(), amount: Whole, status: Byte })),
  ticketOut: z.nullable(Ticket),
  lastBill: z.nullable(z.object({ code: Byte, count: Whole })),
  /** Added to the computer's clock, ms. */
  clockOffset: z.number(),
});
export type State = z.infer<typeof State>;

/** Jackpots count ten-thousandths of a minor unit, so that a share of one is not lost. */
export const JACKPOT_SCALE = 10_000;

export const noMoney = (): Money => ({ cashable: 0, restricted: 0, nonRestricted: 0 });
export const sumOf = (money: Money): number => money.cashable + money.restricted + money.nonRestricted;

/** A machine fresh from the factory, or one whose memory was lost. */
export function factoryState(parts: Pick<State, "band" | "step" | "jackpots" | "stops"> & { places: number }): State {
  const { places, ...rest } = parts;
  return {
    credits: noMoney(),
    meters: {},
    queue: [],
    priority: [],
    enabled: true,
    gameEnabled: true,
    maintenance: false,
    sound: true,
    billAcceptor: true,
    game: null,
    lastWin: 0,
    gamesPlayed: 0,
    doors: [],
    tilt: null,
    handPays: [],
    resetToCredit: false,
    cashOut: null,
    hostCashOut: { enabled: false, hard: false },
    registration: { status: 0x80, key: Array<number>(20).fill(0), pos: [0, 0, 0, 0] },
    transfer: null,
    history: Array<null>(places).fill(null),
    nextPlace: 0,
    ticketIn: null,
    ticketOut: null,
    lastBill: null,
    clockOffset: 0,
    ...rest,
  };
}
