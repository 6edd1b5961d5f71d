import { OTHER_TOTALS } from "@longarm/contract/machine";
import type { BookedSums, MachineSums, RunningSums } from "./sums.ts";

/** One identity: what it says must be, and what is. Minor units, or games. */
export type ComparedLine = { readonly name: string; readonly expected: number; readonly found: number };

/** What a machine counted and what was booked of it, at one moment when nothing was under way there. */
export type Reading = {
  readonly credit: number;
  readonly gamesPlayed: number;
  /** Null: the agent does not report them. */
  readonly totals: MachineSums | null;
  readonly books: BookedSums;
  /** The ledger's account of the machine. */
  readonly ledgerMinor: number;
};

type Counted = Omit<MachineSums, "other">;

const SUMS = ["wagered", "won", "machinePaid", "cashIn", "cashOut"] as const satisfies readonly (keyof RunningSums)[];

/**
 * The identities of the field notes' section 3.3 between two readings that follow each other, each with what it expects and what was
 * found: both sides began somewhere, so only what was added since is compared (GLI-19 B.3.5, row 28 of the notes' section 7).
 */
export function compareReadings(before: Reading | null, now: Reading): ComparedLine[] {
  const standing = [line("ledger account", now.ledgerMinor, now.credit)];
  if (before === null) return standing;
  const games = line("games", now.books.games - before.books.games, now.gamesPlayed - before.gamesPlayed);
  if (before.totals === null || now.totals === null) return [...standing, games];
  return [
    ...standing,
    games,
    ...metersLines(before.books, now.books, added(before.totals, now.totals)),
    ...otherLines(before, now),
    ...creditLine(before, now),
  ];
}

/** The machine's own credit meter must follow its own totals: else it lost or made credits, or the agent made up a number. */
function creditLine(before: Reading, now: Reading): ComparedLine[] {
  if (before.totals === null || now.totals === null) return [];
  const { cashIn, otherIn, machinePaid, wagered, cashOut, otherOut } = added(before.totals, now.totals);
  return [
    line("credit meter", before.credit + cashIn + otherIn + machinePaid - wagered - cashOut - otherOut, now.credit),
  ];
}

function metersLines(before: BookedSums, now: BookedSums, counted: Counted): ComparedLine[] {
  const booked = SUMS.map((name) => line(name, now[name] - before[name], counted[name]));
  // Readings are taken while no hand pay is owed, so all that was won and not paid to the credit meter is paid by hand.
  const byHand = now.won - before.won - (now.machinePaid - before.machinePaid);
  return [
    ...booked,
    line("handPaid", byHand, counted.handPaid),
    line("otherIn", 0, counted.otherIn),
    line("otherOut", now.cancelled - before.cancelled, counted.otherOut),
  ];
}

/** Bills, tickets, cancelled credits and promotions by their own meters: what the platform has not ordered or paid must not move them. */
function otherLines(before: Reading, now: Reading): ComparedLine[] {
  return OTHER_TOTALS.flatMap((kind) => {
    const [from, to] = [before.totals?.other?.[kind], now.totals?.other?.[kind]];
    if (from === undefined || to === undefined) return [];
    return [line(kind, kind === "cancelledOut" ? now.books.cancelled - before.books.cancelled : 0, to - from)];
  });
}

const line = (name: string, expected: number, found: number): ComparedLine => ({ name, expected, found });

function added(before: MachineSums, { other: _, ...now }: MachineSums): Counted {
  const names = Object.keys(now) as (keyof Counted)[];
  return Object.fromEntries(names.map((name) => [name, now[name] - before[name]])) as Counted;
}

/** Lines that do not hold. Of running meters none may fall; one that did is in here, since nothing booked is below zero. */
export const unexplained = (lines: readonly ComparedLine[]): ComparedLine[] =>
  lines.filter(({ expected, found }) => expected !== found);
