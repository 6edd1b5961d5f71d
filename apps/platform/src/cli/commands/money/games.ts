import type { GamesOf } from "../../../modules/books/index.ts";
import { listGames } from "../../../modules/books/index.ts";
import { readWholeNumber, writeAmount } from "../../amount.ts";
import type { Command, Given } from "../../command.ts";
import { UsageProblem } from "../../command.ts";
import { namedPlayer } from "../../named-player.ts";
import { count, tableLines, timeText } from "../../output/table.ts";

const ROWS_MAX = 10_000;
const ROWS_DEFAULT = 50;

/** Lists games one by one, from the machines' own meters. */
export const games: Command = {
  words: "games",
  about: "list games one by one: credit before, bet, win, credit after, free spins, times",
  more: ["  longarm games --player deniz.aydin --limit 200", "  longarm games --machine nar-01 --json"].join("\n"),
  options: {
    session: { type: "string", value: "<id>", about: "of this play session" },
    player: { type: "string", value: "<username>", about: "of this player" },
    machine: { type: "string", value: "<id>", about: "of this machine" },
    limit: {
      type: "string",
      value: "<rows>",
      about: `at most so many, 1 to ${ROWS_MAX} (${ROWS_DEFAULT}), newest first`,
    },
  },
  prepare(given) {
    const limit = readWholeNumber("limit", given.get("limit")?.toString() ?? String(ROWS_DEFAULT), 1, ROWS_MAX);
    const asked = readWhose(given);
    return async ({ db, say }) => {
      const of = asked.is === "player" ? { is: "player" as const, id: (await namedPlayer(db, asked.id)).id } : asked;
      const found = await listGames(db, of, limit + 1);
      const rows = found.slice(0, limit);
      const head = [
        "machine",
        "game",
        "player",
        "began",
        "ended",
        "before",
        "bet",
        "win",
        "by hand",
        "after",
        "free spins",
        "bonus",
      ];
      const cells = rows.map((row) => [
        ...[row.machineId, String(row.gameNumber), row.player ?? "", timeText(row.startedAt), timeText(row.endedAt)],
        ...[row.before, row.bet, row.win, row.handPaid, row.after].map(writeAmount),
        ...[String(row.freeSpins), row.bonus ? "bonus" : ""],
      ]);
      if (rows.length > 0) for (const line of tableLines([head, ...cells])) say(line);
      say(`${count(rows.length, "game")}${found.length > limit ? ", and there are more" : ""}.`);
      return { games: rows, more: found.length > limit };
    };
  },
};

/** @throws UsageProblem. */
function readWhose(given: Given): GamesOf {
  const asked = (["session", "player", "machine"] as const).filter((name) => given.has(name));
  const [is] = asked;
  if (is === undefined || asked.length > 1) throw new UsageProblem("Name one of --session, --player and --machine.");
  const id = String(given.get(is));
  // The database cannot even be asked for some texts.
  if (id.includes("\0") || !id.isWellFormed()) throw new UsageProblem(`--${is} must be plain text.`);
  return { is, id };
}
