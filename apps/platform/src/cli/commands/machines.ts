import type { FloorRow } from "../../modules/operations/index.ts";
import { listFloor } from "../../modules/operations/index.ts";
import { writeAmount } from "../amount.ts";
import type { Command } from "../command.ts";
import { printableLine } from "../printable.ts";

/** Lists the floor. */
export const machines: Command = {
  words: "machines",
  about: "list the machines: who plays, what stands still and why",
  more: "  longarm machines --taken",
  options: {
    taken: { type: "boolean", about: "only those whose seat somebody has" },
    trouble: { type: "boolean", about: "only those that are locked or cannot be asked" },
  },
  prepare(given) {
    return async ({ db, say }) => {
      const all = await listFloor(db);
      const rows = all
        .filter(({ player }) => !given.has("taken") || player !== null)
        .filter((row) => !given.has("trouble") || troubleOf(row) !== "");
      const columns = rows.map(columnsOf);
      const widths = columns[0]?.map((_, at) => Math.max(...columns.map((cells) => cells[at]?.length ?? 0))) ?? [];
      for (const cells of columns)
        say(
          cells
            .map((cell, at) => cell.padEnd(widths[at] ?? 0))
            .join("  ")
            .trimEnd(),
        );
      const players = all.filter(({ player }) => player !== null).length;
      say(`${count(all.length, "machine")}, ${count(players, "player")}.`);
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
  return [id, name, STATUS[status], ...held, troubleOf(row)].map(printableLine);
}

function troubleOf({ answers, lockup }: FloorRow): string {
  if (!answers) return "does not answer";
  return lockup === null ? "" : `locked: ${lockup}`;
}

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? "" : "s"}`;
