import type { Player, PlayersTables } from "../../../modules/players/accounts/index.ts";
import { listPlayers } from "../../../modules/players/accounts/index.ts";
import type { Command } from "../../command.ts";
import { limitOption, readCut, sayRows } from "../../output/row-list.ts";
import { timeText } from "../../output/table.ts";

const ROWS = { most: 1_000, usual: 100 };

/** Lists players. */
export const playersList: Command = {
  words: "players list",
  about: "list the players, by name",
  more: "  longarm players list --search ayd\n  longarm players list --banned",
  options: {
    search: { type: "string", value: "<text>", about: "only names with this in them" },
    banned: { type: "boolean", about: "only those who are banned" },
    limit: limitOption(ROWS),
  },
  prepare(given) {
    const cut = readCut(given, ROWS);
    const search = given.get("search")?.toString();
    return async ({ db, say }) => {
      const asked = { search, bannedOnly: given.has("banned"), limit: cut.ask };
      const found = await listPlayers(db.withTables<PlayersTables>(), asked);
      const { rows, more } = sayRows(say, cut, found, { word: "player", columns: columnsOf });
      return { players: rows.map(shownOf), more };
    };
  },
};

function columnsOf(player: Player): string[] {
  const { username, id, name, lastname, last_logon, banned_at } = player;
  const last = last_logon ? `last here ${timeText(last_logon)}` : "never here";
  return [username, id, `${name} ${lastname}`.trim(), last, banned_at ? `banned ${timeText(banned_at)}` : ""];
}

/** A player without what is secret. */
export function shownOf(player: Player) {
  const { id, username, name, lastname, email, player_group: group, type, demo } = player;
  return {
    ...{ id, username, name, lastname, email, group, type, demo },
    hasPin: player.pin !== null,
    added: player.created_at,
    lastLogon: player.last_logon,
    lastLogonAddress: player.last_logon_ip,
    passwordChanged: player.password_changed_at,
    banned: player.banned_at,
  };
}
