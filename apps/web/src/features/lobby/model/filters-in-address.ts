import type { FilterLamp, Filters } from "./filters.ts";
import { FILTER_LAMPS } from "./filters.ts";
import { SORTS } from "./sort-machines.ts";

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
