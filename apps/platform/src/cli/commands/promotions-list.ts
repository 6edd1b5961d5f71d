import type { PromotionsTables } from "../../modules/players/promotions/index.ts";
import { listGrants } from "../../modules/players/promotions/index.ts";
import { writeAmount } from "../amount.ts";
import type { Command } from "../command.ts";
import { namedPlayer } from "../named-player.ts";
import { limitOption, readCut, sayRows } from "../output/row-list.ts";
import { timeText } from "../output/table.ts";

const ROWS = { most: 500, usual: 50 };

/** Lists the bonuses that were granted. */
export const promotionsList: Command = {
  words: "promotions list",
  about: "list bonuses that were granted, newest first",
  more: "  longarm promotions list --player deniz.aydin --open",
  options: {
    player: { type: "string", value: "<username>", about: "only those of this player" },
    open: { type: "boolean", about: "only those that can be claimed now" },
    limit: limitOption(ROWS),
  },
  prepare(given) {
    const cut = readCut(given, ROWS);
    const username = given.get("player")?.toString();
    const openOnly = given.has("open");
    return async ({ db, say }) => {
      const playerId = username === undefined ? undefined : (await namedPlayer(db, username)).id;
      const found = await listGrants(db.withTables<PromotionsTables>(), { playerId, openOnly, limit: cut.ask });
      const { rows, more } = sayRows(say, cut, found, { word: "grant", columns: columnsOf });
      return { grants: rows, more };
    };
  },
};

type Row = Awaited<ReturnType<typeof listGrants>>[number];

function columnsOf(row: Row): string[] {
  const became = {
    open: row.expires_at ? `open until ${timeText(row.expires_at)}` : "open",
    claimed: `claimed ${timeText(row.claimed_at)}`,
    expired: `expired ${timeText(row.expires_at)}`,
  };
  const why = `"${row.reason}" by ${row.granted_by}`;
  return [row.id, timeText(row.granted_at), writeAmount(row.amount), row.username, became[row.state], why];
}
