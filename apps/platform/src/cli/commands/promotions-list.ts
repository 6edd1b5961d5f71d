import type { PromotionsTables } from "../../modules/promotions/index.ts";
import { listGrants } from "../../modules/promotions/index.ts";
import { readWholeNumber, writeAmount } from "../amount.ts";
import type { Command } from "../command.ts";
import { namedPlayer } from "../named-player.ts";
import { printableLine } from "../printable.ts";

const ROWS_MAX = 500;
const ROWS_DEFAULT = 50;

/** Lists the bonuses that were granted. */
export const promotionsList: Command = {
  words: "promotions list",
  about: "list bonuses that were granted, newest first",
  more: "  longarm promotions list --player deniz.aydin --open",
  options: {
    player: { type: "string", value: "<username>", about: "only those of this player" },
    open: { type: "boolean", about: "only those that can be claimed now" },
    limit: { type: "string", value: "<rows>", about: `at most so many, 1 to ${ROWS_MAX} (${ROWS_DEFAULT})` },
  },
  prepare(given) {
    const limit = readWholeNumber("limit", given.get("limit")?.toString() ?? String(ROWS_DEFAULT), 1, ROWS_MAX);
    const username = given.get("player")?.toString();
    const openOnly = given.has("open");
    return async ({ db, say }) => {
      const playerId = username === undefined ? undefined : (await namedPlayer(db, username)).id;
      // One more than shown tells whether there are more.
      const rows = await listGrants(db.withTables<PromotionsTables>(), { playerId, openOnly, limit: limit + 1 });
      if (rows.length === 0) say("There are none.");
      for (const row of rows.slice(0, limit)) say(lineOf(row));
      if (rows.length > limit) say(`… and more: --limit shows up to ${ROWS_MAX}.`);
      return { grants: rows.slice(0, limit), more: rows.length > limit };
    };
  },
};

type Row = Awaited<ReturnType<typeof listGrants>>[number];

function lineOf(row: Row): string {
  const day = (at: Date | null) => at?.toISOString().slice(0, 16).replace("T", " ") ?? "";
  const became = {
    open: row.expires_at ? `open until ${day(row.expires_at)}` : "open",
    claimed: `claimed ${day(row.claimed_at)}`,
    expired: `expired ${day(row.expires_at)}`,
  };
  const columns = [row.id, day(row.granted_at), writeAmount(row.amount).padStart(12), row.username, became[row.state]];
  return printableLine(`${columns.join("  ")}  "${row.reason}" by ${row.granted_by}`);
}
