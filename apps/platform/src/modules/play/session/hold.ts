import { createHash } from "node:crypto";
import type { SeatHold } from "@longarm/contract/game-socket";
import type { Ledger } from "@longarm/ledger/ledger";
import { playerAccount } from "@longarm/ledger/rules/address";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { databaseIn } from "../../../database-time.ts";
import { playProblem } from "../../protection/gates/index.ts";
import type { PlayDeps } from "../deps.ts";
import type { OpenSeat } from "../seat/index.ts";
import { isAtRest, Refusal } from "../seat/index.ts";
import type { PlayTables } from "../tables.ts";
import type { Connection, GameParts } from "./connection.ts";
import type { ProtectedSeat } from "./seat-rules.ts";
import { protectedSeats } from "./seat-rules.ts";

/*
 * A player leaves a seat for some minutes and keeps it (record 0218): the seat waits until then, with its credits, and no other player is called. It may
 * have a price (record 0227), which is taken from the wallet in the transaction of the hold.
 */

/** Shorter helps no player, ms. */
const LEAST_MS = 60_000;

/** How the player may hold a seat; undefined: the venue has no such rule. */
export async function holdOffered({ deps }: GameParts, playerId: string): Promise<SeatHold | undefined> {
  const { SEAT_HOLD_MIN: minutes, SEAT_HOLDS_PER_DAY: perDay, SEAT_HOLD_PRICE: price } = deps.config.play;
  if (minutes === 0) return undefined;
  return { minutes, left: Math.max(0, perDay - (await heldToday(deps.db, playerId))), price };
}

/** `price`: what the player was shown, minor units. */
type HoldWanted = { readonly id: string; readonly price?: number | undefined };
/** `price`: what was taken from the wallet. */
type Held = { readonly leftMs: number; readonly price: number };

/**
 * Keeps the seat after this socket has closed. A repeat of an id, and another id while the seat is held, goes with that hold to its end and takes nothing.
 * Refuses with: session.not_yours, session.locked, seat.stale_epoch, game.in_progress, request.invalid (the venue has no such rule, held too often, no credit
 * on the machine, a reality check waits, play must end sooner, or the price is not the one that was shown); where it has a price also with machine.locked,
 * wallet.insufficient_funds and what keeps the player from money onto a machine.
 */
export async function holdForReturn(
  { deps, seats }: GameParts,
  connection: Pick<Connection, "machineId" | "playerId" | "seated" | "act">,
  { id, price: shown = 0 }: HoldWanted,
): Promise<Held> {
  const { machineId, playerId, seated } = connection;
  if (seated === null) throw new Refusal("session.not_yours", "this socket holds no seat");
  if (!(await connection.act())) throw new Refusal("session.locked");
  return await seats.within(machineId, async (seat) => {
    const { row } = seat;
    if (row.epoch !== seated.epoch || row.player_id !== playerId) throw new Refusal("seat.stale_epoch");
    const before = await holdBefore(seat, id, seated.playSessionId);
    if (!isAtRest(row.state)) throw new Refusal("game.in_progress");
    if (before !== undefined) return await heldOn(seat, before);
    const { SEAT_HOLD_MIN: minutes, SEAT_HOLDS_PER_DAY: perDay, SEAT_HOLD_PRICE: full } = deps.config.play;
    // One hold of a player after the other: each sits at one machine, whose row is locked.
    if (minutes === 0 || (await heldToday(seat.trx, playerId)) >= perDay)
      throw new Refusal("request.invalid", "too often");
    if (full > shown) throw new Refusal("request.invalid", "the price is not the one that was shown");
    const leftMs = await holdableMs(seat, minutes);
    const price = priceOf(leftMs, { minutes, full });
    const transferId = price === 0 ? null : await takePrice(deps, seat, { id, playerId, price });
    await seat.trx
      .insertInto("seat_hold")
      .values({
        ...{ id, player_id: playerId, play_session_id: seated.playSessionId, until_at: databaseIn(leftMs) },
        ...{ price, transfer_id: transferId },
      })
      .execute();
    await seat.change({ hold_until: databaseIn(leftMs) });
    return { leftMs, price };
  });
}

/** A hold that was begun before, to its end. Its player may have been back, as a page is whose link was lost before the answer. */
async function heldOn(seat: OpenSeat, { leftMs, price }: Held): Promise<Held> {
  if (leftMs === 0) throw new Refusal("request.invalid", "its time is over");
  await seat.change({ hold_until: databaseIn(leftMs) });
  return { leftMs, price };
}

/** How long the seat can be held now, ms. Refuses with: request.invalid. */
async function holdableMs(seat: OpenSeat, minutes: number): Promise<number> {
  const { credit, checked } = await seat.facts();
  if (credit === 0) throw new Refusal("request.invalid", "no credit is on the machine");
  const [now] = await protectedSeats(seat.trx, [seat.row.machine_id]);
  const leftMs = now === undefined || checked ? 0 : Math.min(minutes * 60_000, playableMs(now));
  if (leftMs < LEAST_MS) throw new Refusal("request.invalid", "too little time is left before play must end or pause");
  return leftMs;
}

/** How long the play session can go on before a limit, a reality check or others who wait end it, ms. */
function playableMs({ left, check, turn }: Pick<ProtectedSeat, "left" | "check" | "turn">): number {
  if (left.wager === 0 || left.loss === 0) return 0;
  const ends = [left.timeMs, check.dueInMs, turn.leftMs].filter((ms) => ms !== null);
  return Math.floor(Math.min(...ends, Number.POSITIVE_INFINITY));
}

/** Of a shorter hold its whole minutes are paid, rounded down: never more than was shown. */
const priceOf = (leftMs: number, { minutes, full }: { readonly minutes: number; readonly full: number }): number =>
  Math.floor((full * Math.min(minutes, Math.floor(leftMs / 60_000))) / minutes);

/** Takes the price from the wallet, in the transaction of the hold. @returns the ledger's id of the transfer. */
async function takePrice(
  { ledger, helpListed }: Pick<PlayDeps, "ledger" | "helpListed">,
  seat: OpenSeat,
  { id, playerId, price }: { readonly id: string; readonly playerId: string; readonly price: number },
): Promise<string> {
  const { machine_id: machineId, play_session_id: playSessionId } = seat.row;
  if ((await seat.facts()).closed) throw new Refusal("machine.locked");
  const kept = await playProblem(seat.trx, { playerId, machineId, helpListed: helpListed(), gate: "money" });
  if (kept !== null) throw new Refusal(kept.name, undefined, { params: kept.params });
  // Ids of pages are hashed: a page could take an id that another transfer will need.
  const transferId = `fee.${createHash("sha256").update(`${playerId}\n${id}`).digest("base64url")}`;
  const about = { playSessionId: playSessionId ?? "", machineId, actor: `player:${playerId}`, reason: "held seat" };
  const [from, to] = [playerAccount(playerId), "fees"] as const;
  const paid = await ledger
    .within(seat.trx)
    .transfer({ id: transferId, kind: "fee", from, to, amountMinor: price, about });
  if (paid.is === "refused") {
    const { name, detail } = paid.problem;
    throw new Refusal(name === "wallet.insufficient_funds" ? name : "transfer.id_conflict", detail);
  }
  seat.announce("balance.changed", { playerId });
  return transferId;
}

/**
 * Staff has ended a play session: a hold whose time was not over costs nothing. `before`: the seat before the end, which takes the hold away.
 * Done once: its correction has an id of its own.
 */
export async function returnPrice(ledger: Ledger, seat: OpenSeat, before: OpenSeat["row"]): Promise<void> {
  const { hold_until, player_id: playerId, play_session_id } = before;
  if (hold_until === null || playerId === null || play_session_id === null) return;
  const held = await runningHold(seat, play_session_id);
  if (held === undefined || held.transferId === null) return;
  const { transferId } = held;
  const reason = "the seat ended before its time";
  const back = await ledger
    .within(seat.trx)
    .correct({ id: `back.${transferId}`, transferId, reason, actor: "platform" });
  // Staff may have given it back before.
  if (back.is === "refused" && back.problem.name !== "transfer.corrected") throw new Error(back.problem.detail);
  seat.announce("balance.changed", { playerId });
}

/** How often the player has held a seat in the last 24 hours. */
async function heldToday(db: Kysely<PlayTables>, playerId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from seat_hold
    where player_id = ${playerId} and begun_at > clock_timestamp() - interval '24 hours'`.execute(db);
  return rows[0]?.count ?? 0;
}

type Known = Held & { readonly playSessionId: string; readonly transferId: string | null };
const KNOWN = sql`play_session_id as "playSessionId", price, transfer_id as "transferId",
  floor(greatest(0, extract(epoch from until_at - clock_timestamp()) * 1000))::double precision as "leftMs"`;

/** The hold of this id, or the one that holds the seat now; undefined: there is none. Another play session's is a refusal. */
async function holdBefore(seat: OpenSeat, id: string, playSessionId: string): Promise<Held | undefined> {
  const { rows } = await sql<Known>`select ${KNOWN} from seat_hold where id = ${id}`.execute(seat.trx);
  const held = rows[0] ?? (seat.row.hold_until === null ? undefined : await runningHold(seat, playSessionId));
  if (held === undefined) return undefined;
  if (held.playSessionId !== playSessionId) throw new Refusal("request.invalid", "the id is another hold's");
  return held;
}

/** The newest hold of the play session whose time is not over. */
async function runningHold(seat: OpenSeat, playSessionId: string): Promise<Known | undefined> {
  const { rows } = await sql<Known>`select ${KNOWN} from seat_hold
    where play_session_id = ${playSessionId} and until_at > clock_timestamp() order by begun_at desc limit 1`.execute(
    seat.trx,
  );
  return rows[0];
}
