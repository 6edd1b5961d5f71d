import { fold } from "@longarm/ui/i18n/fold.ts";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import type { TextKey } from "../../shared/i18n/text-key.ts";

/** Which of the two listings. */
export type ListingKind = "sessions" | "transactions";

/**
 * A row of either listing. Every field may be missing: a listing has only some of them, and a value that cannot be read must hide
 * neither its row nor the others.
 */
export type HistoryRow = {
  readonly id: string;
  readonly machine?: string;
  /** Epoch ms. */
  readonly operationMs?: number;
  readonly startMs?: number;
  readonly endMs?: number;
  /** Seconds. */
  readonly duration?: number;
  readonly from?: string;
  /** Action code 1 to 6 of the specification, or one that is not ours. */
  readonly type?: number;
  /** Minor units, below zero when the wallet gave. */
  readonly amount?: number;
  /** The wallet after it, minor units. */
  readonly balance?: number;
  readonly spins?: number;
  readonly freeSpins?: number;
  /** Won in the play session; minor units. */
  readonly jackpots?: readonly Jackpot[];
};

export type Jackpot = { readonly name: string; readonly amount: number };

/** Of one row that are shown at most. */
const JACKPOTS_MAX = 20;
/** Longer texts are no names. */
const TEXT_MAX = 200;

/** A row of an answer, or undefined when it is none at all. `place` names a row that came without an id. */
export function readRow(given: unknown, place: number): HistoryRow | undefined {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
  const field = given as Record<string, unknown>;
  const start = instantIn(field["start"]);
  return withoutGaps({
    id: textIn(field["id"]) ?? `row ${place}`,
    machine: textIn(field["machine"]),
    // A play session is dated by its start.
    operationMs: instantIn(field["operation_date"]) ?? start,
    startMs: start,
    endMs: instantIn(field["end"]),
    duration: countIn(field["duration"]),
    from: textIn(field["from"]),
    type: integerIn(field["type"]),
    amount: integerIn(field["amount"]),
    balance: integerIn(field["balance"]),
    spins: countIn(field["spin_count"]),
    freeSpins: countIn(field["free_spin_count"]),
    jackpots: jackpotsIn(field["jackpots"]),
  });
}

/** One that cannot be read does not hide the others. */
function jackpotsIn(value: unknown): readonly Jackpot[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const read = value.slice(0, JACKPOTS_MAX).flatMap((given: unknown) => {
    const { name, amount } = (given ?? {}) as Record<string, unknown>;
    const minor = integerIn(amount);
    return minor !== undefined && minor > 0 ? [{ name: textIn(name) ?? "", amount: minor }] : [];
  });
  return read.length === 0 ? undefined : read;
}

type Loose<T> = { [K in keyof T]: T[K] | undefined };

function withoutGaps(row: Loose<Required<HistoryRow>>): HistoryRow {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as HistoryRow;
}

function textIn(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (text === "") return undefined;
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}

/** Some platforms send numbers as text. */
function integerIn(value: unknown): number | undefined {
  const number = typeof value === "string" && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : undefined;
}

function countIn(value: unknown): number | undefined {
  const number = typeof value === "number" ? Math.round(value) : integerIn(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function instantIn(value: unknown): number | undefined {
  if (typeof value !== "string" || value.length > 64) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

type Action = { readonly text: TextKey; readonly icon: IconName };

/** The transaction action codes of the specification (section 2.8). */
export const ACTIONS: Readonly<Record<number, Action>> = {
  1: { text: "history.deposit", icon: "plus" },
  2: { text: "history.withdraw", icon: "minus" },
  3: { text: "history.cashIn", icon: "cashIn" },
  4: { text: "history.cashOut", icon: "cashOut" },
  5: { text: "history.handPay", icon: "player" },
  6: { text: "history.jackpot", icon: "bonus" },
};
export const CASH_IN = 3;
export const CASH_OUT = 4;
export const HAND_PAY = 5;
export const JACKPOT = 6;

/** Sources that the wire names in English; every other one is a name. */
const SOURCES: Readonly<Record<string, TextKey>> = {
  Wallet: "history.wallet",
  Cage: "history.cage",
  Discount: "history.discount",
  Bonus: "history.bonus",
  Fee: "history.fee",
};

/** The word of an action code; the number of one that is not ours. */
export function actionText(type: number, { t }: Speech): string {
  const action = Object.hasOwn(ACTIONS, type) ? ACTIONS[type] : undefined;
  return action === undefined ? String(type) : t(action.text);
}

export function sourceText(from: string, { t }: Speech): string {
  const key = Object.hasOwn(SOURCES, from) ? SOURCES[from] : undefined;
  return key === undefined ? from : t(key);
}

/** What the wire calls a source that was typed in the language of the page; everything else as it was typed. */
export function searchWord(typed: string, speech: Speech): string {
  const wanted = fold(typed.trim());
  return Object.keys(SOURCES).find((from) => fold(sourceText(from, speech)) === wanted) ?? typed;
}
