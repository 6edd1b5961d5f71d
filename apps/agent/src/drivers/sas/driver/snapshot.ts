import type { EgmMoneyKinds, EgmOtherTotals, EgmTotals, EgmTransferDirection } from "../../../ports/egm.ts";
import type { SasLine } from "../line/line.ts";
import type { LockStatus } from "../protocol/aft.ts";
import { readLock } from "../protocol/aft.ts";
import { METER, meterShape } from "../protocol/meters.ts";
import type { LongPoll } from "../protocol/polls.ts";
import { currentCredits, extendedMeters, mainMeters, meters } from "../protocol/polls.ts";
import type { MachineFacts } from "./facts.ts";
import { MONEY_METERS, PROMOTION_METERS, pollNow, TRANSFER_METERS } from "./facts.ts";
import type { KnownTransfer } from "./memory.ts";

/** The machine's meters of one moment, in minor units. */
export type Snapshot = {
  readonly credit: number;
  readonly kinds: EgmMoneyKinds | undefined;
  readonly gamesPlayed: number;
  readonly totals: EgmTotals;
  /** AFT state, of a moment later. */
  readonly aft: LockStatus | undefined;
};

/** Reads all meters that the machine has. Rejects when it does not answer. */
export async function readSnapshot(line: SasLine, facts: MachineFacts): Promise<Snapshot> {
  const values = await readMeters(line, facts);
  const aft = facts.aft === undefined ? undefined : await pollNow(line, readLock());
  const minor = (code: number): number | undefined => {
    const value = values.get(code);
    if (value === undefined) return undefined;
    return meterShape(code)?.unit === "credits" ? value * facts.denominationMinor : value;
  };
  const credit = minor(METER.currentCredits) ?? 0;
  return {
    credit,
    kinds: aft === undefined ? undefined : kindsOf(credit, aft),
    gamesPlayed: values.get(METER.gamesPlayed) ?? 0,
    totals: totalsOf(minor),
    aft,
  };
}

async function readMeters(line: SasLine, { meterPoll, meterCodes }: MachineFacts): Promise<Map<number, number>> {
  const has = (codes: readonly number[]): number[] => codes.filter((code) => meterCodes.includes(code));
  if (meterPoll === "single") return readSingle(line);
  const poll = (codes: readonly number[], alternate: boolean): LongPoll<Map<number, number>> =>
    meterPoll === "extended" ? extendedMeters(0, codes, alternate) : meters(0, codes);
  // Money and transfers fit one poll of the extended kind, and are of one moment then.
  const [first, second] =
    meterPoll === "extended"
      ? [has([...MONEY_METERS, ...TRANSFER_METERS]), has(PROMOTION_METERS)]
      : [has(MONEY_METERS), has([...TRANSFER_METERS, ...PROMOTION_METERS])];
  const values = await pollNow(line, poll(first, false));
  if (second.length === 0) return values;
  return new Map([...values, ...(await pollNow(line, poll(second, true)))]);
}

async function readSingle(line: SasLine): Promise<Map<number, number>> {
  const main = await pollNow(line, mainMeters());
  const credits = await pollNow(line, currentCredits());
  return new Map([
    [METER.coinIn, main.coinIn],
    [METER.coinOut, main.coinOut],
    [METER.jackpot, main.jackpot],
    [METER.gamesPlayed, main.gamesPlayed],
    [METER.currentCredits, credits],
  ]);
}

/** The parts of the credit meter, when they are of the same moment as the meter: else all of it counts as cashable. */
function kindsOf(credit: number, { funds }: LockStatus): EgmMoneyKinds | undefined {
  return funds.cashable + funds.restricted + funds.nonRestricted === credit ? funds : undefined;
}

function totalsOf(minor: (code: number) => number | undefined): EgmTotals {
  const sum = (...codes: number[]): number => codes.reduce((total, code) => total + (minor(code) ?? 0), 0);
  const other: Record<keyof EgmOtherTotals, number | undefined> = {
    billsIn: minor(METER.billCredits),
    ticketsIn: minor(METER.ticketIn),
    ticketsOut: minor(METER.ticketOut),
    cancelledOut: minor(METER.handPaidCancelled),
    promotionIn: sumIfKnown(minor, METER.restrictedIn, METER.nonRestrictedIn),
    promotionOut: sumIfKnown(minor, METER.restrictedOut, METER.nonRestrictedOut),
  };
  const known = Object.fromEntries(Object.entries(other).filter(([, value]) => value !== undefined));
  return {
    wageredTotal: sum(METER.coinIn),
    wonTotal: sum(METER.coinOut, METER.jackpot),
    machinePaidTotal: sum(METER.coinOut),
    handPaidTotal: sum(METER.jackpot),
    cashInTotal: sum(METER.cashableIn),
    cashOutTotal: sum(METER.cashableOut),
    otherInTotal: (other.billsIn ?? 0) + (other.ticketsIn ?? 0) + (other.promotionIn ?? 0),
    otherOutTotal: (other.ticketsOut ?? 0) + (other.cancelledOut ?? 0) + (other.promotionOut ?? 0),
    ...(Object.keys(known).length > 0 && { other: known as EgmOtherTotals }),
  };
}

function sumIfKnown(minor: (code: number) => number | undefined, ...codes: number[]): number | undefined {
  const values = codes.map(minor).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : values.reduce((total, value) => total + value, 0);
}

/**
 * Credit less everything that came and went, minor units. The same at every moment at which the meters agree with each other; it differs
 * while some of them lag behind an event, as they do on real floors.
 */
export function residueOf({ credit, totals }: Snapshot): number {
  const came = totals.cashInTotal + totals.otherInTotal + totals.machinePaidTotal;
  return credit - (came - totals.wageredTotal - totals.cashOutTotal - totals.otherOutTotal);
}

/** The totals with what the machine had before it was connected, so that they add up to its credit. */
export function balanced(totals: EgmTotals, base: number): EgmTotals {
  return {
    ...totals,
    otherInTotal: totals.otherInTotal + Math.max(0, base),
    otherOutTotal: totals.otherOutTotal + Math.max(0, -base),
  };
}

const METER_OF = { cashIn: "cashInTotal", cashOut: "cashOutTotal" } as const satisfies Record<
  EgmTransferDirection,
  keyof EgmTotals
>;

/**
 * What the cumulative meters of transfers show at least, minor units. Meters that lag behind their transfer agree with each other as they did
 * before it, so that only what the machine has confirmed shows that they are old.
 */
export class TransferFloor {
  readonly #least: Record<EgmTransferDirection, number> = { cashIn: 0, cashOut: 0 };

  /** `done`: transfers that an earlier run of the driver has seen carried out. */
  constructor(done: readonly (KnownTransfer | undefined)[]) {
    for (const transfer of done) if (transfer !== undefined) this.raise(transfer);
  }

  /** The meter of a direction as far as it is known now. */
  meterOf(direction: EgmTransferDirection, latest: EgmTotals): number {
    return Math.max(this.#least[direction], latest[METER_OF[direction]]);
  }

  /** The machine has confirmed this transfer. */
  raise({ direction, amount, meterBefore }: KnownTransfer): void {
    if (meterBefore === undefined) return;
    this.#least[direction] = Math.max(this.#least[direction], meterBefore + amount);
  }

  isReached(totals: EgmTotals): boolean {
    return totals.cashInTotal >= this.#least.cashIn && totals.cashOutTotal >= this.#least.cashOut;
  }

  /** The meters had their time and show less: the machine has lost them, or counts otherwise. */
  lower({ cashInTotal, cashOutTotal }: EgmTotals): void {
    this.#least.cashIn = Math.min(this.#least.cashIn, cashInTotal);
    this.#least.cashOut = Math.min(this.#least.cashOut, cashOutTotal);
  }
}
