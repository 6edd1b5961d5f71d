import type { SeatHold } from "@longarm/contract/game-socket";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { databaseIn } from "../../../database-time.ts";
import { isAtRest, Refusal } from "../seat/index.ts";
import type { PlayTables } from "../tables.ts";
import type { Connection, GameParts } from "./connection.ts";
import type { ProtectedSeat } from "./seat-rules.ts";
import { protectedSeats } from "./seat-rules.ts";

/* A player leaves a seat for some minutes and keeps it (record 0218): the seat waits until then, with its credits, and no other player is called. */

/** Shorter helps no player, ms. */
const LEAST_MS = 60_000;

/** How the player may hold a seat; undefined: the venue has no such rule. */
export async function holdOffered({ deps }: GameParts, playerId: string): Promise<SeatHold | undefined> {
  const { SEAT_HOLD_MIN: minutes, SEAT_HOLDS_PER_DAY: perDay } = deps.config.play;
  if (minutes === 0) return undefined;
  return { minutes, left: Math.max(0, perDay - (await heldToday(deps.db, playerId))) };
}

/**
 * Keeps the seat after this socket has closed. A repeat of an id answers what is left of it.
 * Refuses with: session.not_yours, session.locked, seat.stale_epoch, game.in_progress, request.invalid (the venue has no such rule, held too often, no credit
 * on the machine, a reality check waits, or play must end sooner).
 */
export async function holdForReturn(
  { deps, seats }: GameParts,
  connection: Pick<Connection, "machineId" | "playerId" | "seated" | "act">,
  id: string,
): Promise<{ readonly leftMs: number }> {
  const { machineId, playerId, seated } = connection;
  if (seated === null) throw new Refusal("session.not_yours", "this socket holds no seat");
  if (!(await connection.act())) throw new Refusal("session.locked");
  return await seats.within(machineId, async (seat) => {
    const { row } = seat;
    if (row.epoch !== seated.epoch || row.player_id !== playerId) throw new Refusal("seat.stale_epoch");
    const before = await leftOf(seat.trx, id, seated.playSessionId);
    if (before !== undefined) return { leftMs: before };
    if (!isAtRest(row.state)) throw new Refusal("game.in_progress");
    const { credit, checked } = await seat.facts();
    if (credit === 0) throw new Refusal("request.invalid", "no credit is on the machine");
    const { SEAT_HOLD_MIN: minutes, SEAT_HOLDS_PER_DAY: perDay } = deps.config.play;
    // One hold of a player after the other: each sits at one machine, whose row is locked.
    if (minutes === 0 || (await heldToday(seat.trx, playerId)) >= perDay)
      throw new Refusal("request.invalid", "too often");
    const [now] = await protectedSeats(seat.trx, [machineId]);
    const leftMs = now === undefined || checked ? 0 : Math.min(minutes * 60_000, playableMs(now));
    if (leftMs < LEAST_MS) throw new Refusal("request.invalid", "play must end or be asked for sooner");
    await seat.trx
      .insertInto("seat_hold")
      .values({ id, player_id: playerId, play_session_id: seated.playSessionId, until_at: databaseIn(leftMs) })
      .execute();
    await seat.change({ hold_until: databaseIn(leftMs) });
    return { leftMs };
  });
}

/** How long the play session can go on before a limit, a reality check or others who wait end it, ms. */
function playableMs({ left, check, turn }: Pick<ProtectedSeat, "left" | "check" | "turn">): number {
  const ends = [left.timeMs, check.dueInMs, turn.leftMs].filter((ms) => ms !== null);
  return Math.floor(Math.min(...ends, Number.POSITIVE_INFINITY));
}

/** How often the player has held a seat in the last 24 hours. */
async function heldToday(db: Kysely<PlayTables>, playerId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from seat_hold
    where player_id = ${playerId} and begun_at > clock_timestamp() - interval '24 hours'`.execute(db);
  return rows[0]?.count ?? 0;
}

/** What is left of a hold that was begun before, ms; undefined: there is none of this id. Another play session's is a refusal. */
async function leftOf(db: Kysely<PlayTables>, id: string, playSessionId: string): Promise<number | undefined> {
  const { rows } = await sql<{ playSessionId: string; leftMs: number }>`select play_session_id as "playSessionId",
      greatest(0, extract(epoch from until_at - clock_timestamp()) * 1000)::double precision as "leftMs"
    from seat_hold where id = ${id}`.execute(db);
  const [hold] = rows;
  if (hold === undefined) return undefined;
  if (hold.playSessionId !== playSessionId) throw new Refusal("request.invalid", "the id is another hold's");
  return Math.floor(hold.leftMs);
}
