import { seatOfPlayer } from "../../../modules/play/seat/index.ts";
import type { LimitsTables } from "../../../modules/players/limits/index.ts";
import { standingLimits } from "../../../modules/players/limits/index.ts";
import { writeAmount } from "../../amount.ts";
import type { Command } from "../../command.ts";
import { namedWallet } from "../../named-player.ts";
import { tableLines, timeText } from "../../output/table.ts";
import { limitLine } from "./limit-line.ts";
import { shownOf } from "./players-list.ts";

/** Tells all that staff may know of a player. */
export const playersShow: Command = {
  words: "players show",
  about: "show a player's profile, wallet, seat and limits",
  more: "  longarm players show deniz.aydin",
  places: [{ name: "username", about: "of the player" }],
  options: {},
  prepare(given) {
    const username = String(given.get("username"));
    return async ({ db, say }) => {
      const { player, balance } = await namedWallet(db, username);
      const seat = await seatOfPlayer(db, player.id);
      const limits = await standingLimits(db.withTables<LimitsTables>(), player.id);
      const shown = shownOf(player);
      const lines = Object.entries(shown).map(([name, value]) => [name, text(value)]);
      lines.push(["balance", writeAmount(balance.balance)]);
      if (balance.onMachine !== undefined) lines.push(["on machine", writeAmount(balance.onMachine)]);
      if (balance.pending !== undefined) lines.push(["being checked", writeAmount(balance.pending)]);
      lines.push(["plays", seat ? `${seat.machine_id} (${seat.state}, ${seat.play_session_id})` : "nothing"]);
      for (const line of tableLines(lines.map(([name = "", value = ""]) => [name, value || "-"]))) say(line);
      for (const limit of limits) say(`limit  ${limitLine(limit)}`);
      return { ...shown, balance, machine: seat?.machine_id ?? null, limits };
    };
  },
};

function text(value: string | boolean | Date | null): string {
  if (value instanceof Date) return timeText(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value ?? "";
}
