import type { TransactionRow } from "@longarm/contract/http";
import { sql } from "kysely";
import type * as z from "zod/mini";
import type { History } from "./list.ts";
import type { Place } from "./listing.ts";
import type { HistoryTables } from "./tables.ts";

type Stored = HistoryTables["wallet_entry"];
type Kind = { type: number; source: Stored["source"]; machine_id: string };

/** The entry's number, which finds its place, and its transfer, which shows whether it is the player's own. */
const CURSOR = /^([1-9]\d{0,14})\.([A-Za-z0-9][A-Za-z0-9_.:-]{0,63})$/;

/** What went into a player's wallet and out of it. */
export const transactions: History<Stored, Kind, z.input<typeof TransactionRow>> = {
  listing: {
    table: "wallet_entry",
    time: "at",
    tie: "entry_number",
    kind: { type: "smallint", source: "text", machine_id: "text" },
  },
  columns: sql`r.*`,
  having: ({ type }) => (type === undefined ? {} : { type }),
  textsOf: ({ source, machine_id: id }, nameOf) => [
    ...(source === "Machine" ? [] : [source]),
    ...(id === "" ? [] : [nameOf(id)]),
  ],
  cursorOf: ({ entry_number: entry, transfer_id: transfer }) => `${entry}.${transfer}`,
  async placeOf(trx, playerId, cursor) {
    const [, entry, transfer] = CURSOR.exec(cursor) ?? [];
    if (entry === undefined || transfer === undefined) return undefined;
    const found = await sql<Place>`select at::text as at, entry_number as tie from wallet_entry
      where player_id = ${playerId} and entry_number = ${entry} and transfer_id = ${transfer}`.execute(trx);
    return found.rows[0];
  },
  rowOf: ({ transfer_id: id, at, type, source, machine_id: machineId, amount, balance }, nameOf) => ({
    id,
    operation_date: at.toISOString(),
    type,
    from: source === "Machine" ? nameOf(machineId) : source,
    machine: machineId === "" ? null : nameOf(machineId),
    amount,
    balance,
  }),
};
