import type { SasLine } from "../line/line.ts";
import type { LockStatus } from "../protocol/aft.ts";
import { readLock } from "../protocol/aft.ts";
import { METER } from "../protocol/meters.ts";
import type { Features, LongPoll, MachineIdentity, VersionAnswer } from "../protocol/polls.ts";
import {
  currentCredits,
  denominationMinor,
  extendedMeters,
  features,
  gamesImplemented,
  machineIdentity,
  mainMeters,
  meters,
  playerDenominations,
  versionAndSerial,
} from "../protocol/polls.ts";

/** A machine that says so may be polled this often, ms. */
const FAST_POLL_MS = 40;

/** What a machine has answered about itself, and which polls it has. Recorded in the machine's folder. */
export type MachineFacts = {
  readonly version: VersionAnswer;
  readonly identity: MachineIdentity;
  /** Minor units of one credit of the accounting denomination. */
  readonly denominationMinor: number;
  readonly games: number;
  /** Undefined: the machine does not have the poll. */
  readonly features: Features | undefined;
  /** Undefined: no advanced funds transfer. */
  readonly aft: LockStatus | undefined;
  /** Values of a credit that the player can choose, minor units; empty: it does not say. */
  readonly denominations: readonly number[];
  /** How its meters are read: poll 6F, poll 2F, or the single polls 0F and 1A. */
  readonly meterPoll: "extended" | "selected" | "single";
  /** Meters that it has. */
  readonly meterCodes: readonly number[];
};

/** Meters that belong together: read by one poll, they are of one moment. At most ten, as poll 2F takes. */
export const MONEY_METERS: readonly number[] = [
  ...[METER.coinIn, METER.coinOut, METER.jackpot, METER.handPaidCancelled, METER.gamesPlayed],
  ...[METER.currentCredits, METER.billCredits, METER.ticketIn, METER.ticketOut],
];
/** Transfers in cents; with those before at most twelve, as poll 6F takes. */
export const TRANSFER_METERS: readonly number[] = [METER.cashableIn, METER.cashableOut, METER.restrictedCredits];
/** Promotional transfers, which we never order. */
export const PROMOTION_METERS: readonly number[] = [
  METER.restrictedIn,
  METER.nonRestrictedIn,
  METER.restrictedOut,
  METER.nonRestrictedOut,
];

/** The answer, or undefined when the machine does not have the poll. Rejects when the link goes down. */
export async function pollIfKnown<Answer>(line: SasLine, poll: LongPoll<Answer>): Promise<Answer | undefined> {
  const outcome = await line.poll(poll);
  if (outcome.is === "answered") return outcome.answer;
  if (outcome.is === "silent" || outcome.is === "refused") return undefined;
  throw new Error(`The machine did not answer "${poll.title}": ${outcome.is}.`);
}

/** The answer. Rejects with a sentence for every other outcome. */
export async function pollNow<Answer>(line: SasLine, poll: LongPoll<Answer>, urgent = false): Promise<Answer> {
  const outcome = await line.poll(poll, { urgent });
  if (outcome.is === "answered") return outcome.answer;
  const why = outcome.is === "garbled" ? `unreadable, ${outcome.why}` : outcome.is;
  throw new Error(`The machine did not answer "${poll.title}": ${why}.`);
}

/**
 * Finds out what the machine is and has, and polls it as fast as it allows. Moves no money, starts nothing and changes nothing. Rejects with a sentence when the machine does not
 * say what a driver must know: its version, its identity, and a denomination of whole minor units.
 */
export async function probe(line: SasLine): Promise<MachineFacts> {
  const known = await pollIfKnown(line, features());
  if (known?.fastPolling === true) line.setPollMs(FAST_POLL_MS);
  const version = await pollNow(line, versionAndSerial());
  const identity = await pollNow(line, machineIdentity());
  const denomination = denominationMinor(identity.denomination);
  if (denomination === undefined)
    throw new Error(
      `The machine counts in the denomination code ${identity.denomination}, which is not a whole number of minor units.`,
    );
  return {
    version,
    identity,
    denominationMinor: denomination,
    games: (await pollIfKnown(line, gamesImplemented())) ?? 1,
    features: known,
    aft: await pollIfKnown(line, readLock()),
    denominations: await denominationsOf(line),
    ...(await probeMeters(line)),
  };
}

async function denominationsOf(line: SasLine): Promise<number[]> {
  const codes = (await pollIfKnown(line, playerDenominations())) ?? [];
  return codes.map(denominationMinor).filter((value) => value !== undefined);
}

/** Which meters the machine has, and how they are read. Rejects when it lacks those without which nothing can be reconciled. */
export async function probeMeters(line: SasLine): Promise<Pick<MachineFacts, "meterPoll" | "meterCodes">> {
  const money = [...MONEY_METERS, ...TRANSFER_METERS];
  const extended = await pollIfKnown(line, extendedMeters(0, money));
  if (extended !== undefined && isEnough(extended)) {
    const promotion = await pollIfKnown(line, extendedMeters(0, PROMOTION_METERS, true));
    return { meterPoll: "extended", meterCodes: [...extended.keys(), ...(promotion?.keys() ?? [])] };
  }
  const selected = await pollIfKnown(line, meters(0, MONEY_METERS));
  if (selected !== undefined && isEnough(selected)) {
    const transfers = await pollIfKnown(line, meters(0, [...TRANSFER_METERS, ...PROMOTION_METERS]));
    return { meterPoll: "selected", meterCodes: [...selected.keys(), ...(transfers?.keys() ?? [])] };
  }
  await pollNow(line, mainMeters());
  await pollNow(line, currentCredits());
  const codes = [METER.coinIn, METER.coinOut, METER.jackpot, METER.gamesPlayed, METER.currentCredits];
  return { meterPoll: "single", meterCodes: codes };
}

/** Without these nothing can be reconciled. */
const isEnough = (values: ReadonlyMap<number, number>): boolean =>
  [METER.coinIn, METER.coinOut, METER.gamesPlayed, METER.currentCredits].every((code) => values.has(code));
