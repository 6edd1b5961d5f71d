import { OwnId } from "@longarm/contract/ids";
import { AMOUNT_MINOR_MAX } from "@longarm/contract/money";
import { databaseTime } from "@longarm/database/clock";
import type { Kysely } from "kysely";
import * as z from "zod/mini";
import type { Field } from "./command.ts";
import { UsageProblem } from "./command.ts";
import type { RowLimit } from "./output.ts";
import { printableLine, writeAmount } from "./output.ts";

/** Reads the text of a field. `label` names the field in the message. @throws UsageProblem. */
type Reader<T> = (text: string, label: string) => T;

/** An option that takes no value. */
export const flag = (about: string): Field<boolean> => ({
  about,
  required: false,
  parse: (text) => text !== undefined,
});

/** An option that may be absent. */
export const option = <T>(value: string, about: string, read: Reader<T>): Field<T | undefined> => ({
  about,
  value,
  required: false,
  parse: (text, { label }) => (text === undefined ? undefined : read(text, label)),
});

/** An option that the command needs. */
export const required = <T>(value: string, about: string, read: Reader<T>): Field<T> => ({
  about,
  value,
  required: true,
  parse: (text = "", { label }) => read(text, label),
});

/** An option that is read as `fallback` when it is absent. */
export const withDefault = <T>(value: string, about: string, fallback: string, read: Reader<T>): Field<T> => ({
  about,
  value,
  required: false,
  parse: (text = fallback, { label }) => read(text, label),
});

/** A positional argument. */
export const argument = <T>(about: string, read: Reader<T>): Field<T> => ({
  about,
  required: true,
  parse: (text = "", { label }) => read(text, label),
});

/** The last positional argument, when it may be absent. */
export const optionalArgument = <T>(about: string, read: Reader<T>): Field<T | undefined> => ({
  about,
  required: false,
  parse: (text, { label }) => (text === undefined ? undefined : read(text, label)),
});

/** `--dry-run`, for every command that changes something. */
export const DRY_RUN = flag("check everything and change nothing");

export const plainText: Reader<string> = (text) => text;

/** A positional argument that names a player. */
export const USERNAME = argument("of the player", plainText);

/** A positional argument that names a machine. */
export const MACHINE = argument("its id, such as nar-01", plainText);

/** One of a few words. */
export const oneOf =
  <const W extends string>(words: readonly W[]): Reader<W> =>
  (text, label) => {
    const word = words.find((one) => one === text);
    if (word !== undefined) return word;
    const listed = words.length > WORDS_LISTED_MAX ? `the ${words.length} words that --help names` : words.join(", ");
    throw new UsageProblem(`${label} must be one of ${listed}.`);
  };
/** More words than these make no sentence. */
const WORDS_LISTED_MAX = 40;

/** A whole number between two bounds. */
export const wholeNumber =
  (min: number, max: number): Reader<number> =>
  (text, label) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new UsageProblem(`${label} must be a whole number from ${min} to ${max}, not "${text.slice(0, 40)}".`);
  };

/** The number of a row, as a list prints it. */
export const rowNumber = wholeNumber(1, 999_999_999);

/**
 * An amount of money, to minor units: `250.00` or `250,00` in the currency, or `25000minor`. A bare `250` could be either, and paying a hundred
 * times too much must not be an easy mistake.
 */
export const amount: Reader<number> = (text, label) => {
  const [, units, cents] = /^(\d{1,15})[.,](\d\d)$/.exec(text) ?? [];
  const [, minor] = /^(\d{1,15})minor$/.exec(text) ?? [];
  const value = Number(minor ?? `${units ?? "x"}${cents}`);
  if (value >= 1 && value <= AMOUNT_MINOR_MAX) return value;
  throw new UsageProblem(
    Number.isNaN(value)
      ? `${label} must be like 250.00 (with two decimals) or 25000minor, not "${text.slice(0, 40)}".`
      : `${label} must be from 0.01 to ${writeAmount(AMOUNT_MINOR_MAX)}.`,
  );
};

/** How the help describes an amount. */
export const AMOUNT_ABOUT = "250.00, or in minor units 25000minor";

const REASON_LENGTH_MAX = 200;
const reasonText: Reader<string> = (text, label) => {
  if (text.length <= REASON_LENGTH_MAX && text === printableLine(text) && text === text.trim()) return text;
  throw new UsageProblem(`${label} must be plain text of one line, at most ${REASON_LENGTH_MAX} characters.`);
};

/** `--reason` of a command that needs one. It is recorded and never deleted. */
export const requiredReason = (about: string): Field<string> =>
  required("<text>", `${about}, kept for ever; 1 to ${REASON_LENGTH_MAX} characters`, (text, label) => {
    if (text === "") throw new UsageProblem(`${label} must say something.`);
    return reasonText(text, label);
  });

/** `--reason` that may be absent: empty then. */
export const REASON = withDefault(
  "<text>",
  `why, kept with it; at most ${REASON_LENGTH_MAX} characters`,
  "",
  reasonText,
);

/** An id of Longarm's form. */
export const ownId: Reader<string> = (text, label) => {
  if (z.safeParse(OwnId, text).success) return text;
  throw new UsageProblem(`${label} is no id: "${text.slice(0, 40)}".`);
};

/** `--limit` of a list: at most `max`, `usual` by default. */
export const rowLimit = ({ max, usual, order = "" }: { max: number; usual: number; order?: string }): Field<RowLimit> =>
  withDefault("<rows>", `at most so many, 1 to ${max} (${usual})${order}`, String(usual), (text, label) => ({
    max,
    query: wholeNumber(1, max)(text, label) + 1,
  }));

/** A day (`2026-12-31`: from its beginning, UTC) or an instant (`2026-12-31T18:00Z`). */
export const instant: Reader<Date> = (text, label) => {
  const at = readInstant(text);
  if (at !== undefined) return at;
  throw new UsageProblem(`${label} must be like 2026-01-31 or 2026-01-31T18:00Z, not "${text.slice(0, 40)}".`);
};

/** A day of the venue: `2026-12-31`. */
export const day: Reader<string> = (text, label) => {
  if (/^\d{4}-\d\d-\d\d$/.test(text) && readInstant(text) !== undefined) return text;
  throw new UsageProblem(`${label} must be a day like 2026-01-31, not "${text.slice(0, 40)}".`);
};

/** A time in the future: so long from now, or an instant. */
export type FutureTime = ({ readonly inMs: number } | { readonly at: Date }) & { readonly label: string };

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const LAST_MS = Date.parse("2100-01-01T00:00:00Z");

/** `30m`, `2h`, `7d`, a day or an instant. */
export const futureTime: Reader<FutureTime> = (text, label) => {
  const [, number, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (number !== undefined && Number(number) > 0) return { label, inMs: Number(number) * (UNITS[unit ?? ""] ?? 0) };
  const at = readInstant(text);
  if (at !== undefined && at.getTime() < LAST_MS) return { label, at };
  throw new UsageProblem(
    `${label} must be like 30m, 2h, 7d, 2026-12-31 or 2026-12-31T18:00Z, not "${text.slice(0, 40)}".`,
  );
};

function readInstant(text: string): Date | undefined {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)Z)?$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const at = new Date(`${day}T${time ?? "00:00"}Z`);
  // JavaScript reads a 31st of February as a day of March.
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== day ? undefined : at;
}

/** The instant of a future time, by the database's clock. @throws UsageProblem when it is past. */
export async function instantOf(db: Kysely<unknown>, time: FutureTime): Promise<Date> {
  const now = await databaseTime(db);
  const at = "at" in time ? time.at : new Date(now.getTime() + time.inMs);
  if (at > now) return at;
  throw new UsageProblem(`${time.label} is over: it is ${now.toISOString().slice(0, 16)}Z now.`);
}

/** Two instants in order. @throws UsageProblem. */
export function checkPeriod(from: Date | undefined, to: Date | undefined): void {
  if (from !== undefined && to !== undefined && from >= to) throw new UsageProblem("--from must be before --to.");
}
