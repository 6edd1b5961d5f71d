import { OwnId } from "@longarm/contract/ids";
import * as z from "zod/mini";
import type { PlaySessionRow } from "../../../modules/play/operations/index.ts";
import { listPlaySessions } from "../../../modules/play/operations/index.ts";
import { writeAmount } from "../../amount.ts";
import { haveCarriedOut } from "../../as-staff.ts";
import { BY, readBy, whoAsks } from "../../ask-platform.ts";
import type { Command, CommandDeps, Given, Option } from "../../command.ts";
import { CommandRefused, DRY_RUN, UsageProblem } from "../../command.ts";
import { namedPlayer } from "../../named-player.ts";
import { limitOption, readCut, sayRows } from "../../output/row-list.ts";
import { count, timeText } from "../../output/table.ts";

const ROWS = { most: 1_000, usual: 50 };
const PLAYER: Option = { type: "string", value: "<username>", about: "of this player" };
const MACHINE: Option = { type: "string", value: "<machine>", about: "at this machine" };

/** Lists play sessions. */
export const sessionsList: Command = {
  words: "sessions list",
  about: "list the play sessions that run now, or the past ones too",
  more: "  longarm sessions list\n  longarm sessions list --player deniz.aydin --past",
  options: {
    player: PLAYER,
    machine: MACHINE,
    past: { type: "boolean", about: "also those that have ended" },
    limit: limitOption(ROWS),
  },
  prepare(given) {
    const cut = readCut(given, ROWS);
    const machineId = readId(given, "machine");
    const username = given.get("player")?.toString();
    return async ({ db, say }) => {
      const playerId = username === undefined ? undefined : (await namedPlayer(db, username)).id;
      const asked = { playerId, machineId, openOnly: !given.has("past"), limit: cut.ask };
      const found = await listPlaySessions(db, asked);
      const { rows, more } = sayRows(say, cut, found, { word: "play session", columns: columnsOf });
      return { sessions: rows, more };
    };
  },
};

function columnsOf(row: PlaySessionRow): string[] {
  const { id, machine, player, startedAt, endedAt, endReason, state, cashedIn, cashedOut, net, games } = row;
  const end = endedAt === null ? `runs (${state ?? "no seat"})` : `ended ${timeText(endedAt)} (${endReason})`;
  const money = [`in ${writeAmount(cashedIn)}`, `out ${writeAmount(cashedOut)}`, `net ${writeAmount(net)}`];
  return [id, machine, player, timeText(startedAt), end, ...money, count(games, "game")];
}

/** Ends a play session. */
export const sessionsEnd: Command = {
  words: "sessions end",
  about: "end a play session: its game is finished and all credits go to the wallet",
  more: [
    "  longarm sessions end --machine nar-01 --yes",
    "  longarm sessions end --player deniz.aydin --yes",
    "",
    "Name it by exactly one of the three. The running platform does it: without one nothing is changed.",
  ].join("\n"),
  options: {
    player: PLAYER,
    machine: MACHINE,
    session: { type: "string", value: "<id>", about: "this one, as longarm sessions list names it" },
    by: BY,
    "dry-run": DRY_RUN,
  },
  asks: (given) => `The play session of ${given.get("player") ?? given.get("machine") ?? given.get("session")} ends.`,
  prepare(given) {
    const named = ["player", "machine", "session"].filter((name) => given.has(name));
    if (named.length !== 1) throw new UsageProblem("Name it by one of --player, --machine and --session.");
    const [machineId, sessionId] = [readId(given, "machine"), readId(given, "session")];
    return (deps) => endOne(deps, given, { machineId, sessionId });
  },
};

type Named = { readonly machineId: string | undefined; readonly sessionId: string | undefined };

async function endOne(deps: CommandDeps, given: Given, named: Named) {
  const who = whoAsks(deps, readBy(given));
  const username = given.get("player")?.toString();
  const playerId = username === undefined ? undefined : (await namedPlayer(deps.db, username)).id;
  const [session] = await listPlaySessions(deps.db, { ...named, playerId, openOnly: true, limit: 1 });
  if (!session) throw new CommandRefused("No such play session runs.");
  const { id, machine, player } = session;
  if (given.has("dry-run")) {
    deps.say(`Would end the play session ${id} of ${player} at ${machine}. Nothing was changed.`);
    return { session: id, machine, dryRun: true };
  }
  const body = { playSessionId: id };
  const carriedOut = await haveCarriedOut(deps, { kind: "endSession", machineId: machine, body, by: who }, "asked");
  return { session: id, machine, carriedOut };
}

/** What can be no id of ours is nobody's: the database is not even asked for it. @throws UsageProblem. */
function readId(given: Given, option: string): string | undefined {
  const id = given.get(option)?.toString();
  if (id === undefined || z.safeParse(OwnId, id).success) return id;
  throw new UsageProblem(`--${option} is no id: "${id.slice(0, 40)}".`);
}
