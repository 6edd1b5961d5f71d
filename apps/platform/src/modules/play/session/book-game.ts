import type { GameFacts } from "@longarm/contract/agent-link";
import { AMOUNT_MINOR_MAX } from "@longarm/contract/money";
import { machineAccount } from "@longarm/ledger/rules/address";
import { openAudit } from "../../records/audit/index.ts";
import { noteDifference } from "../books/index.ts";
import { storeBookedGame } from "../machines.ts";
import type { OpenSeat } from "../seat/index.ts";
import { addGame } from "../seat/index.ts";
import { gameTransferId } from "../wallet/index.ts";
import type { PlayParts } from "./deps.ts";

/**
 * Books one complete game, once by machine and number: the history row, the credits between machine and house account, the play session's
 * sums. After it the ledger's machine account equals the credit meter.
 */
export async function bookGame(
  { deps }: PlayParts,
  seat: OpenSeat,
  game: GameFacts,
  playSessionId: string | null,
): Promise<void> {
  const machineId = seat.row.machine_id;
  const { taken_game: last } = await seat.trx
    .selectFrom("machine")
    .select("taken_game")
    .where("id", "=", machineId)
    .executeTakeFirstOrThrow();
  if (game.gameNumber <= last) return;
  if (game.gameNumber > last + 1)
    await noteMissing(deps, seat, playSessionId, { from: last + 1, to: game.gameNumber - 1 });
  if (game.after !== game.before - game.stake + game.win - game.handPaid)
    await noteBent(deps, seat, playSessionId, game);
  await seat.trx
    .insertInto("game")
    .values(gameRow(machineId, game, playSessionId))
    .execute();
  await storeBookedGame(seat.trx, machineId, game.gameNumber);
  await moveCredits(deps.ledger.within(seat.trx), machineId, game, playSessionId);
  await recordLargeGame(deps, seat, game, playSessionId);
  if (playSessionId === null) return;
  const played = await addGame(seat.trx, playSessionId, game);
  if (playSessionId === seat.row.play_session_id)
    seat.announce("session.played", { machineId, playSessionId, ...played });
  if (seat.row.player_id !== null) seat.announce("balance.changed", { playerId: seat.row.player_id });
}

/** What an agent's journal has lost stays lost: a person looks at the machine's own history. */
async function noteMissing(
  { log }: PlayParts["deps"],
  seat: OpenSeat,
  playSessionId: string | null,
  missing: { readonly from: number; readonly to: number },
): Promise<void> {
  const { machine_id: machineId } = seat.row;
  log.error({ alarm: "game", machineId, playSessionId, ...missing }, "games are missing in the history of a machine");
  await noteDifference(log, seat.trx, {
    machineId,
    playSessionId,
    kind: "games",
    ledgerMinor: 0,
    machineMinor: 0,
    about: missing,
  });
}

/** It is booked as reported, and a person looks at the machine's own history. */
async function noteBent(
  { log }: PlayParts["deps"],
  seat: OpenSeat,
  playSessionId: string | null,
  { gameNumber, before, stake, win, handPaid, after }: GameFacts,
): Promise<void> {
  const { machine_id: machineId } = seat.row;
  const about = { gameNumber, before, stake, win, handPaid, after };
  log.error({ alarm: "game", machineId, playSessionId, ...about }, "the meters of a game do not add up");
  await noteDifference(log, seat.trx, {
    ...{ machineId, playSessionId, kind: "games", about },
    ledgerMinor: before - stake + win - handPaid,
    machineMinor: after,
  });
}

function gameRow(machineId: string, game: GameFacts, playSessionId: string | null) {
  return {
    machine_id: machineId,
    game_number: game.gameNumber,
    play_session_id: playSessionId,
    stake: game.stake,
    win: game.win,
    credit_before: game.before,
    credit_after: game.after,
    hand_paid: game.handPaid,
    free_spins: game.freeSpins ?? null,
    bonus: game.bonus ?? null,
    started_at: game.startedAt,
    ended_at: game.endedAt,
  };
}

type Books = ReturnType<PlayParts["deps"]["ledger"]["within"]>;

async function moveCredits(
  books: Books,
  machineId: string,
  game: GameFacts,
  playSessionId: string | null,
): Promise<void> {
  const net = game.win - game.handPaid - game.stake;
  if (net === 0) return;
  const machine = machineAccount(machineId);
  const moved = await books.transfer({
    id: gameTransferId(machineId, game.gameNumber),
    kind: "game",
    ...(net > 0 ? { from: "house", to: machine } : { from: machine, to: "house" }),
    amountMinor: Math.abs(net),
    about: { machineId, gameNumber: game.gameNumber, ...(playSessionId !== null && { playSessionId }) },
  });
  if (moved.is === "refused")
    throw new Error(`game ${game.gameNumber} of ${machineId} cannot be booked: ${moved.problem.detail}`);
  // More than any meter can show: an agent that keeps lying would exhaust the house account, and then no game could be booked.
  const { fromBalanceMinor, toBalanceMinor } = moved.transfer;
  const onMachine = net > 0 ? toBalanceMinor : fromBalanceMinor;
  if (Math.abs(onMachine) > AMOUNT_MINOR_MAX)
    throw new Error(`game ${game.gameNumber} of ${machineId} cannot be booked: ${onMachine} would be on the machine`);
}

/** Writes a game whose stake or win is large to the audit log, with everything else of it or not at all. Source: GLI-19 2.8.8. */
async function recordLargeGame(
  { config }: PlayParts["deps"],
  seat: OpenSeat,
  game: GameFacts,
  playSessionId: string | null,
): Promise<void> {
  const { LARGE_WIN, LARGE_WAGER, NODE_ID } = config.play;
  const { machine_id: machineId, player_id: playerId } = seat.row;
  const audit = openAudit(seat.trx, NODE_ID);
  const subject = `machine:${machineId}`;
  const { gameNumber, stake, win, handPaid } = game;
  const facts = { gameNumber, stake, win, handPaid, player: playerId, playSession: playSessionId };
  if (LARGE_WIN > 0 && win >= LARGE_WIN) await audit.write({ type: "money.largeWin", actor: subject, subject, facts });
  if (LARGE_WAGER > 0 && stake >= LARGE_WAGER)
    await audit.write({ type: "money.largeWager", actor: subject, subject, facts });
}
