import type { PlaySessionRow } from "../../modules/play/operations/index.ts";
import { listPlaySessions } from "../../modules/play/operations/index.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { DRY_RUN, flag, option, ownId, plainText, rowLimit } from "../fields.ts";
import { count, sayRows, timeText, writeAmount } from "../output.ts";
import { namedPlayerId, requestOperation } from "../staff.ts";

const PLAYER = option("<username>", "of this player", plainText);
const MACHINE = option("<machine>", "at this machine", ownId);

export const sessionsList = command({
  name: "sessions list",
  about: "list the play sessions that run now, or the past ones too",
  more: "  longarm sessions list\n  longarm sessions list --player deniz.aydin --past",
  options: {
    player: PLAYER,
    machine: MACHINE,
    past: flag("also those that have ended"),
    limit: rowLimit({ max: 1_000, usual: 50 }),
  },
  async run({ db, say }, { player, machine: machineId, past, limit }) {
    const playerId = await namedPlayerId(db, player);
    const found = await listPlaySessions(db, { playerId, machineId, openOnly: !past, limit: limit.query });
    const { rows, more } = sayRows(say, limit, found, { word: "play session", columns: columnsOf });
    return { sessions: rows, more };
  },
});

function columnsOf(row: PlaySessionRow): string[] {
  const { id, machine, player, startedAt, endedAt, endReason, state, cashedIn, cashedOut, net, games } = row;
  const end = endedAt === null ? `runs (${state ?? "no seat"})` : `ended ${timeText(endedAt)} (${endReason})`;
  const money = [`in ${writeAmount(cashedIn)}`, `out ${writeAmount(cashedOut)}`, `net ${writeAmount(net)}`];
  return [id, machine, player, timeText(startedAt), end, ...money, count(games, "game")];
}

export const sessionsEnd = actCommand({
  name: "sessions end",
  needs: "machine.operate",
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
    session: option("<id>", "this one, as longarm sessions list names it", ownId),
    dryRun: DRY_RUN,
  },
  check({ player, machine, session }) {
    if ([player, machine, session].filter((name) => name !== undefined).length !== 1)
      throw new UsageProblem("Name it by one of --player, --machine and --session.");
  },
  confirm: ({ player, machine, session }) => `The play session of ${player ?? machine ?? session} ends.`,
  async run(deps, { player: username, machine: machineId, session: sessionId, by, dryRun }) {
    const playerId = await namedPlayerId(deps.db, username);
    const [found] = await listPlaySessions(deps.db, { playerId, machineId, sessionId, openOnly: true, limit: 1 });
    if (!found) throw new CommandRefused("No such play session runs.");
    const { id, machine, player } = found;
    if (dryRun) {
      deps.say(`Would end the play session ${id} of ${player} at ${machine}. Nothing was changed.`);
      return { session: id, machine, dryRun };
    }
    await requestOperation(deps, { kind: "endSession", machineId: machine, body: { playSessionId: id }, by });
    return { session: id, machine, carriedOut: true };
  },
});
