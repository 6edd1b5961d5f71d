import type { GameRow, GamesOf } from "../../../modules/play/books/index.ts";
import { listGames } from "../../../modules/play/books/index.ts";
import { writeAmount } from "../../amount.ts";
import type { Command, Given } from "../../command.ts";
import { UsageProblem } from "../../command.ts";
import { namedPlayer } from "../../named-player.ts";
import { limitOption, readCut, sayRows } from "../../output/row-list.ts";
import { timeText } from "../../output/table.ts";

const ROWS = { most: 10_000, usual: 50 };

/** Lists games one by one, from the machines' own meters. */
export const games: Command = {
  words: "games",
  about: "list games one by one, newest first: credit before, bet, win, credit after, free spins, times",
  more: ["  longarm games --player deniz.aydin --limit 200", "  longarm games --machine nar-01 --json"].join("\n"),
  options: {
    session: { type: "string", value: "<id>", about: "of this play session" },
    player: { type: "string", value: "<username>", about: "of this player" },
    machine: { type: "string", value: "<id>", about: "of this machine" },
    limit: limitOption(ROWS),
  },
  prepare(given) {
    const cut = readCut(given, ROWS);
    const asked = readWhose(given);
    return async ({ db, say }) => {
      const of = asked.is === "player" ? { is: "player" as const, id: (await namedPlayer(db, asked.id)).id } : asked;
      const found = await listGames(db, of, cut.ask);
      const { rows, more } = sayRows(say, cut, found, { word: "game", head: HEAD, columns: columnsOf });
      return { games: rows, more };
    };
  },
};

const HEAD = ["machine", "game", "player", "began", "ended"].concat(
  ["before", "bet", "win", "by hand", "after"],
  ["free spins", "bonus"],
);

function columnsOf(row: GameRow): string[] {
  return [
    ...[row.machineId, String(row.gameNumber), row.player ?? "", timeText(row.startedAt), timeText(row.endedAt)],
    ...[row.before, row.bet, row.win, row.handPaid, row.after].map(writeAmount),
    ...[String(row.freeSpins), row.bonus ? "bonus" : ""],
  ];
}

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
