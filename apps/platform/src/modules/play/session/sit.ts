import { databaseIn } from "../../../database-time.ts";
import { newId } from "../../../random.ts";
import { mayNotSit } from "../may-sit.ts";
import type { QueueTables } from "../queue/index.ts";
import { beginTurn, isWaitedFor, placesSeated } from "../queue/index.ts";
import type { OpenSeat } from "../seat/index.ts";
import { beginPlaySession, isFree, Refusal } from "../seat/index.ts";
import type { MachineFactsKept, MetersNow } from "../tables.ts";
import type { PlayParts } from "./deps.ts";

export type SitCommand = {
  readonly machineId: string;
  readonly playerId: string;
  /** The game socket. */
  readonly socketId: string;
  /** The socket has closed meanwhile. */
  readonly closed: boolean;
};

/** A seat as its holder got it. */
export type Seated = {
  readonly machineId: string;
  readonly epoch: number;
  readonly playSessionId: string;
  readonly startedAt: string;
  readonly netMinor: number;
  readonly wageredMinor: number;
  readonly games: number;
  readonly facts: MachineFactsKept;
  readonly meters: MetersNow;
  /** False: the player had it before. */
  readonly isFresh: boolean;
};

/**
 * Takes the seat for a game socket: a free one begins a play session, the holder's own goes on; either way the epoch grows and an
 * older game socket of the seat is closed.
 * Refuses with: session.terminated, machine.not_available, machine.reserved, machine.locked, machine.unreachable, seat.taken, seat.elsewhere,
 * transfer.being_checked, player.excluded, limits.unanswered, limit.required, limit.loss, limit.wager, limit.time, wallet.insufficient_funds (an empty wallet, where
 * that is forbidden).
 */
export async function sit(parts: PlayParts, command: SitCommand): Promise<Seated> {
  try {
    return await parts.seats.within(command.machineId, (seat) => sitDown(parts, seat, command));
  } catch (error) {
    throw translated(error);
  }
}

/** Two machines at the same moment: the unique index lets one through. */
function translated(error: unknown): unknown {
  return isUniqueViolation(error, "seat_of_player")
    ? new Refusal("seat.elsewhere", "at another machine", { cause: error })
    : error;
}

async function sitDown(parts: PlayParts, seat: OpenSeat, command: SitCommand): Promise<Seated> {
  // One that waited for its turn at the seat must not take it from a page that came after it.
  if (command.closed) throw new Refusal("session.terminated", "the socket closed before it sat down");
  const { player_id: holder, ending } = seat.row;
  const isFresh = holder === null;
  if (holder !== null && holder !== command.playerId) throw new Refusal("seat.taken");
  if (ending !== null) throw new Refusal("transfer.being_checked", "the credits are on their way to the wallet");
  const playSessionId = isFresh ? await takeFreeSeat(parts, seat, command.playerId) : seat.row.play_session_id;
  const { play } = parts.deps.config;
  const fields = {
    player_id: command.playerId,
    play_session_id: playSessionId,
    epoch: seat.row.epoch + 1,
    holder_socket: command.socketId,
    holder_node: play.NODE_ID,
    holder_until: databaseIn(play.NODE_LEASE_MS),
  };
  const problem = await seat.happen(isFresh ? "sit" : "holderBack", { fields });
  if (problem !== null) throw new Refusal(problem);
  seat.announce("seat.changed", { machineId: command.machineId, epoch: seat.row.epoch, closing: "taken over" });
  return { ...(await readSeated(seat)), isFresh };
}

async function takeFreeSeat(parts: PlayParts, seat: OpenSeat, playerId: string): Promise<string> {
  const facts = await seat.facts();
  if (facts.closed) throw new Refusal("machine.not_available", "staff has taken it out of play");
  if (facts.reservedFor !== null && facts.reservedFor !== playerId) throw new Refusal("machine.reserved");
  if (!facts.agent) throw new Refusal("machine.unreachable");
  if (facts.meters.handPay || facts.meters.lockup) throw new Refusal("machine.locked");
  if (!isFree(facts.meters))
    throw new Refusal("machine.not_available", "a game runs or credits without an owner are on the machine");
  const other = await seat.trx
    .selectFrom("seat")
    .select("machine_id")
    .where("player_id", "=", playerId)
    .executeTakeFirst();
  if (other) throw new Refusal("seat.elsewhere", `at ${other.machine_id}`);
  const { machine_id: machineId } = seat.row;
  const queue = seat.trx.withTables<QueueTables>();
  if (facts.reservedFor === null && (await isWaitedFor(queue, machineId, playerId)))
    throw new Refusal("machine.reserved", "others wait for it");
  const problem = await mayNotSit(parts.deps, seat.trx, { playerId, machineId });
  if (problem !== null) throw new Refusal(problem.name, undefined, { params: problem.params });
  await placesSeated(queue, { playerId, machineId });
  const id = newId(parts.deps.random, "ps");
  await beginPlaySession(seat.trx, { id, machineId, playerId });
  await beginTurn(queue, { machineId, playSessionId: id, limitMin: parts.deps.config.play.QUEUE_TURN_MIN });
  return id;
}

async function readSeated(seat: OpenSeat): Promise<Omit<Seated, "isFresh">> {
  const found = await seat.trx
    .selectFrom("play_session as p")
    .innerJoin("machine as m", "m.id", "p.machine_id")
    .select(["p.id", "p.started_at", "p.net", "p.wagered", "p.games", "m.facts", "m.meters"])
    .where("p.id", "=", seat.row.play_session_id)
    .executeTakeFirstOrThrow();
  return {
    machineId: seat.row.machine_id,
    epoch: seat.row.epoch,
    playSessionId: found.id,
    startedAt: found.started_at.toISOString(),
    netMinor: found.net,
    wageredMinor: found.wagered,
    games: found.games,
    facts: found.facts,
    meters: found.meters,
  };
}

function isUniqueViolation(error: unknown, constraint: string): boolean {
  return error instanceof Error && "constraint" in error && error.constraint === constraint;
}
