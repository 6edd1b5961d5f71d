import type { ListQuery } from "@longarm/contract/http";
import { LISTED_ROWS_MAX } from "@longarm/contract/http";
import type { Problem } from "@longarm/contract/problems";
import type { RawBuilder, Transaction } from "kysely";
import type * as z from "zod/mini";
import type { HistoryDb, Listing, Place, Wanted } from "./listing.ts";
import { countOf, kindsOf, machineNames, reading, rowsOf } from "./listing.ts";
import type { HistoryTables } from "./tables.ts";

export type Query = z.output<typeof ListQuery>;
export type Listed<Row> = {
  readonly is: "listed";
  readonly answer: {
    readonly rows: readonly Row[];
    readonly total: number;
    readonly totalIsMore?: true;
    readonly next: string | null;
  };
};
export type Refused = { readonly is: "refused"; readonly problem: Problem };

/** One history of players: where it is stored, and how its rows go on the wire. */
export type History<Stored, Kind extends Record<string, string | number>, Row> = {
  readonly listing: Listing<Kind>;
  /** Columns of `Stored`, of the table `r`. */
  readonly columns: RawBuilder<unknown>;
  having(query: Query): Readonly<Record<string, string | number>>;
  /** What a search looks at in rows of a kind. */
  textsOf(kind: Kind, nameOf: (machineId: string) => string): readonly string[];
  /** `next` and `after`: names one row. */
  cursorOf(stored: Stored): string;
  /** Undefined: the cursor names no row of this player. */
  placeOf(trx: Transaction<HistoryTables>, playerId: string, cursor: string): Promise<Place | undefined>;
  rowOf(stored: Stored, nameOf: (machineId: string) => string): Row;
};

/** A kind, and a stored row, name a machine by this column; empty: none. */
type WithMachine = { readonly machine_id: string };

/** One page of a player's own rows. Refuses with: request.invalid (a page out of reach, a cursor that is not the player's). */
export async function list<Stored extends WithMachine, Kind extends WithMachine & Record<string, string | number>, Row>(
  db: HistoryDb,
  history: History<Stored, Kind, Row>,
  playerId: string,
  query: Query,
): Promise<Listed<Row> | Refused> {
  const offset = query.after === undefined ? (query.page - 1) * query.limit : 0;
  if (offset >= LISTED_ROWS_MAX) return refused("the page is out of reach, `after` goes there");
  return await reading(db, async (trx) => {
    const after = query.after === undefined ? null : await history.placeOf(trx, playerId, query.after);
    if (after === undefined) return refused("the cursor names no row of the player");
    const wanted: Wanted<Kind> = {
      playerId,
      having: history.having(query),
      kinds: await kindsSearched(trx, history, playerId, query),
      from: instant(query.from),
      to: instant(query.to),
      after,
      offset,
      limit: query.limit,
    };
    const found = await rowsOf<Stored, Kind>(trx, history.listing, history.columns, wanted);
    const counted = await countOf(trx, history.listing, wanted);
    const shown = found.slice(0, query.limit);
    const nameOf = await machineNames(trx, ids(shown));
    const last = found.length > shown.length ? shown.at(-1) : undefined;
    return {
      is: "listed",
      answer: {
        rows: shown.map((stored) => history.rowOf(stored, nameOf)),
        total: Math.min(counted, LISTED_ROWS_MAX),
        ...(counted > LISTED_ROWS_MAX && { totalIsMore: true }),
        next: last === undefined ? null : history.cursorOf(last),
      },
    };
  });
}

/** The kinds whose texts match the search; null: nothing was searched for, or all of them match. */
async function kindsSearched<Stored, Kind extends WithMachine & Record<string, string | number>, Row>(
  trx: Transaction<HistoryTables>,
  { listing, textsOf }: History<Stored, Kind, Row>,
  playerId: string,
  { search }: Query,
): Promise<readonly Kind[] | null> {
  const isWanted = matcherOf(search);
  if (isWanted === null) return null;
  const kinds = await kindsOf(trx, listing, playerId);
  const nameOf = await machineNames(trx, ids(kinds));
  const matching = kinds.filter((kind) => textsOf(kind, nameOf).some(isWanted));
  return matching.length === kinds.length ? null : matching;
}

const ids = (rows: readonly WithMachine[]): string[] => rows.map(({ machine_id }) => machine_id);
const instant = (text: string | undefined): Date | null => (text === undefined ? null : new Date(text));
const refused = (detail: string): Refused => ({ is: "refused", problem: { name: "request.invalid", detail } });

/**
 * Text as people compare it: without capitals, marks and the dot of the Turkish i, so that `ışık`, `IŞIK` and `isik` are one.
 */
function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase()
    .replaceAll("ı", "i")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Whether a text holds what was searched for. Null: nothing was, and everything matches. */
export function matcherOf(search: string | undefined): ((text: string) => boolean) | null {
  const wanted = folded(search ?? "");
  return wanted === "" ? null : (text) => folded(text).includes(wanted);
}
