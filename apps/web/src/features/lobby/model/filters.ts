import type { LobbyMachine } from "@longarm/contract/machine";
import type { OpenSession } from "@longarm/contract/notification-socket";
import { fold } from "../../../shared/i18n/fold.ts";
import type { LampStatus } from "../../../shared/ui/lamp.tsx";
import type { StatusMap } from "./machine-view.ts";
import { isMine, viewMachine } from "./machine-view.ts";
import type { Sort } from "./sort-machines.ts";
import { sortMachines } from "./sort-machines.ts";

/** Statuses that can be filtered by, in the order of their chips. */
export const FILTER_LAMPS = [
  "available",
  "playing",
  "waiting",
  "reserved",
  "off",
] as const satisfies readonly LampStatus[];
export type FilterLamp = (typeof FILTER_LAMPS)[number];

export type Filters = {
  readonly search: string;
  readonly favouritesOnly: boolean;
  /** Any of these; none chosen means all. */
  readonly lamps: readonly FilterLamp[];
  /** Machines that take this stake, minor units; undefined: any. */
  readonly stake: number | undefined;
  readonly sort: Sort;
};
export const NO_FILTERS: Filters = {
  search: "",
  favouritesOnly: false,
  lamps: [],
  stake: undefined,
  sort: "recommended",
};

/** What decides how a machine looks, beside the machine itself. */
export type Circumstances = {
  readonly statusMap: StatusMap;
  readonly open: OpenSession | undefined;
  /** Machines that the player has played, the last one first. */
  readonly recent?: readonly string[];
  /** The largest jackpot of each brand by its name, minor units. */
  readonly jackpots?: ReadonlyMap<string, number>;
};
const NOTHING_RECENT: readonly string[] = [];
const NO_JACKPOTS: ReadonlyMap<string, number> = new Map();

/** The ids of the machines to show: the player's kept seat first, everything else in the chosen order. */
export function shownIds(
  machines: readonly LobbyMachine[],
  filters: Filters,
  favourites: ReadonlySet<string>,
  { statusMap, open, recent = NOTHING_RECENT, jackpots = NO_JACKPOTS }: Circumstances,
): readonly string[] {
  return idsOf(machines, filters, favourites, statusMap, open, recent, jackpots);
}

const idsOf = keepLast(walkIds);
function walkIds(
  machines: readonly LobbyMachine[],
  filters: Filters,
  favourites: ReadonlySet<string>,
  statusMap: StatusMap,
  open: OpenSession | undefined,
  recent: readonly string[],
  jackpots: ReadonlyMap<string, number>,
): readonly string[] {
  const wanted = tokensOf(filters.search);
  const { stake } = filters;
  const kept: LobbyMachine[] = [];
  const others: LobbyMachine[] = [];
  for (const machine of machines) {
    const mine = isMine(machine, open);
    if (filters.favouritesOnly && !favourites.has(machine.id)) continue;
    if (wanted.length > 0 && !matches(searchedOf(machine), wanted)) continue;
    if (stake !== undefined && !takes(machine, stake)) continue;
    const passes =
      filters.lamps.length === 0 ||
      (filters.lamps as readonly LampStatus[]).includes(viewMachine(machine, statusMap, mine).lamp);
    if (passes) (mine ? kept : others).push(machine);
  }
  return [...kept, ...sortMachines(others, filters.sort, { recent, jackpots })].map(({ id }) => id);
}

/** Whether one game of the machine may cost this much. A machine that does not say is left out. */
const takes = ({ stakes }: LobbyMachine, stake: number): boolean =>
  stakes !== undefined && stakes.min <= stake && stake <= stakes.max;

/** How many machines show each lamp. */
export function countLamps(
  machines: readonly LobbyMachine[],
  { statusMap, open }: Circumstances,
): Readonly<Record<FilterLamp, number>> {
  return lampsOf(machines, statusMap, open);
}

const lampsOf = keepLast(walkLamps);
function walkLamps(
  machines: readonly LobbyMachine[],
  statusMap: StatusMap,
  open: OpenSession | undefined,
): Readonly<Record<FilterLamp, number>> {
  const counts: Record<FilterLamp, number> = { available: 0, playing: 0, waiting: 0, reserved: 0, off: 0 };
  for (const machine of machines) {
    const { lamp } = viewMachine(machine, statusMap, isMine(machine, open));
    if (lamp !== "fault") counts[lamp] += 1;
  }
  return counts;
}

/** Free seats of each brand, in one walk over the list. */
export const countFree = keepLast(walkFree);
function walkFree(machines: readonly LobbyMachine[], statusMap: StatusMap): ReadonlyMap<string, number> {
  const free = new Map<string, number>();
  for (const machine of machines) {
    if (viewMachine(machine, statusMap, false).lamp === "available") {
      free.set(machine.brand, (free.get(machine.brand) ?? 0) + 1);
    }
  }
  return free;
}

/** Words and numbers of a text, folded; a number is the same with and without leading zeros: "Pera 02" is "pera" and "2". */
function tokensOf(text: string): readonly string[] {
  return (fold(text).match(/\p{L}+|\p{N}+/gu) ?? (text.trim() === "" ? [] : [text.trim()])).map((token) =>
    token.replace(/^0+(?=\d)/, ""),
  );
}

/** Every wanted token, in any order: a word by its beginning, a number by its beginning too ("1" finds 1 and 12). */
function matches(tokens: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((want) => tokens.some((token) => token.startsWith(want)));
}

/** A machine object never changes, so what is searched in it is made once. */
const searched = new WeakMap<LobbyMachine, readonly string[]>();
function searchedOf(machine: LobbyMachine): readonly string[] {
  const known = searched.get(machine) ?? tokensOf(`${machine.name} ${machine.brand}`);
  searched.set(machine, known);
  return known;
}

/**
 * Remembers the last answer: a drawing asks for it several times, and a walk over thousands of machines is repeated only when one of the
 * arguments is another object than before.
 */
export function keepLast<A extends readonly unknown[], R>(make: (...args: A) => R): (...args: A) => R {
  let last: { readonly args: A; readonly made: R } | undefined;
  return (...args) => {
    const known = last?.args;
    if (last === undefined || args.some((arg, place) => !Object.is(arg, known?.[place]))) {
      last = { args, made: make(...args) };
    }
    return last.made;
  };
}
