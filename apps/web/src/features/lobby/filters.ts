import type { LobbyMachine } from "@longarm/contract/lobby-lists";
import type { OpenSession } from "@longarm/contract/notification-socket";
import { fold } from "@longarm/ui/i18n/fold.ts";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import type { StatusMap } from "./machine-view.ts";
import { isMine, viewMachine } from "./machine-view.ts";

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
type Circumstances = {
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

/** Orders of the floor. `recommended`: the platform's own. */
export const SORTS = ["recommended", "jackpot", "stake", "name", "recent"] as const;
export type Sort = (typeof SORTS)[number];

type Known = { readonly recent: readonly string[]; readonly jackpots: ReadonlyMap<string, number> };

/** Numbers in names count as numbers: "Nar 2" comes before "Nar 11". One collator: a floor may have thousands of machines. */
const names = new Intl.Collator("tr", { numeric: true, sensitivity: "base" });

/** The machines in the chosen order. What the order knows nothing of comes last, as the platform has it. */
function sortMachines(machines: readonly LobbyMachine[], sort: Sort, known: Known): readonly LobbyMachine[] {
  if (sort === "recommended") return machines;
  if (sort === "name") return machines.toSorted((one, other) => names.compare(one.name, other.name));
  const rank = ranks[sort](known);
  return machines
    .map((machine) => ({ machine, at: rank(machine) }))
    .sort((one, other) => (one.at === other.at ? 0 : one.at - other.at))
    .map(({ machine }) => machine);
}

/** The smallest comes first. */
const ranks = {
  jackpot:
    ({ jackpots }: Known) =>
    ({ brand }: LobbyMachine) =>
      -(jackpots.get(brand) ?? -1),
  stake:
    () =>
    ({ stakes }: LobbyMachine) =>
      stakes?.min ?? Number.POSITIVE_INFINITY,
  recent({ recent }: Known) {
    const places = new Map(recent.map((id, place) => [id, place]));
    return ({ id }: LobbyMachine) => places.get(id) ?? Number.POSITIVE_INFINITY;
  },
} satisfies Record<Exclude<Sort, "recommended" | "name">, (known: Known) => (machine: LobbyMachine) => number>;

/** Keys of the filters in the query of the lobby's address. */
export type FilterQuery = {
  readonly status?: string | undefined;
  readonly favourites?: string | undefined;
  readonly search?: string | undefined;
  readonly stake?: string | undefined;
  readonly sort?: string | undefined;
};

/** Longest text that is searched for. */
export const SEARCH_MAX = 64;

/** What an address asks for; whatever in it is no filter is none. */
export function readFilters(query: Readonly<Record<string, unknown>>): Filters {
  const { status, favourites, search, stake, sort } = query;
  const words = typeof status === "string" ? status.split(",") : [];
  return {
    lamps: FILTER_LAMPS.filter((lamp) => words.includes(WORDS[lamp])),
    favouritesOnly: favourites === "1",
    search: typeof search === "string" ? search.slice(0, SEARCH_MAX) : "",
    stake: typeof stake === "string" && /^[1-9]\d{0,8}$/.test(stake) ? Number(stake) : undefined,
    sort: SORTS.find((known) => known === sort) ?? "recommended",
  };
}

/** The query of these filters; undefined ones leave the address. */
export function writeFilters({ lamps, favouritesOnly, search, stake, sort }: Filters): FilterQuery {
  return {
    status:
      lamps.length === 0
        ? undefined
        : FILTER_LAMPS.filter((lamp) => lamps.includes(lamp))
            .map((lamp) => WORDS[lamp])
            .join(","),
    favourites: favouritesOnly ? "1" : undefined,
    search: search.trim() === "" ? undefined : search,
    stake: stake === undefined ? undefined : String(stake),
    sort: sort === "recommended" ? undefined : sort,
  };
}

const WORDS: Readonly<Record<FilterLamp, string>> = {
  available: "available",
  playing: "playing",
  waiting: "waiting",
  reserved: "reserved",
  off: "not-available",
};
