import type { FloorRow } from "../../../modules/play/operations/index.ts";
import { listFloor } from "../../../modules/play/operations/index.ts";
import { writeAmount } from "../../amount.ts";
import type { Command } from "../../command.ts";
import { count, tableLines } from "../../output/table.ts";

/** Lists the floor. */
export const machinesList: Command = {
  words: "machines list",
  about: "list the machines: player, state, and why one is closed",
  more: "  longarm machines list --taken",
  options: {
    taken: { type: "boolean", about: "only those whose seat somebody has" },
    trouble: { type: "boolean", about: "only those that something keeps players away from" },
  },
  prepare(given) {
    return async ({ db, say }) => {
      const all = await listFloor(db);
      const rows = all
        .filter(({ player }) => !given.has("taken") || player !== null)
        .filter((row) => !given.has("trouble") || troubleOf(row) !== "");
      for (const line of tableLines(rows.map(columnsOf))) say(line);
      const players = all.filter(({ player }) => player !== null).length;
      say(`${count(all.length, "machine")}, ${count(players, "player")}.`);
      return { machines: rows };
    };
  },
};

const STATUS: Readonly<Record<FloorRow["status"], string>> = {
  notAvailable: "not available",
  available: "available",
  waiting: "waiting",
  playing: "playing",
  reserved: "reserved",
};

function columnsOf(row: FloorRow): string[] {
  const { id, name, status, state, player, credit } = row;
  const held = player === null ? ["", "", ""] : [state, player, writeAmount(credit)];
  return [id, name, STATUS[status], ...held, troubleOf(row)];
}

/** Everything that keeps players away, in words. */
function troubleOf({ answers, lockup, mode, differences }: FloorRow): string {
  return [
    answers ? "" : "does not answer",
    mode === "open" ? "" : mode,
    lockup === null ? "" : `locked: ${lockup}`,
    differences === 0 ? "" : `${count(differences, "difference")} to explain (suspense list)`,
  ]
    .filter((text) => text !== "")
    .join(", ");
}
