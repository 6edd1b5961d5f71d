import type { HoldReason, PlayRules } from "@longarm/contract/player-protection";
import { sql } from "kysely";
import type { Topics } from "../../../bus/index.ts";
import { databaseIn } from "../../../database-time.ts";
import { eachByItself } from "../each-by-itself.ts";
import type { playStates } from "../seat/index.ts";
import { keepHolders, rowOfState } from "../seat/index.ts";
import { PROTECTIVE_ENDS } from "../tables.ts";
import type { PlayParts } from "./deps.ts";
import type { ProtectedSeat } from "./seat-rules.ts";
import { gameRulesOf, playRulesOf, protectedSeats } from "./seat-rules.ts";

/** The holder's game socket is gone; a newer one of the same seat is not touched. */
export async function holderGone({ seats }: PlayParts, machineId: string, socketId: string): Promise<void> {
  await seats.within(machineId, async (seat) => {
    if (seat.row.holder_socket !== socketId) return;
    await seat.change({ holder_socket: null, holder_node: null, holder_until: null });
    await seat.happen("holderGone");
  });
}

/**
 * Keeps the game sockets of this node on their seats. One that was released meanwhile, because this node was taken for dead, gets its seat back unless
 * another player has had it; the others look at their seats again.
 */
export async function renewHolders(parts: PlayParts, holders: ReadonlyMap<string, Holder>): Promise<void> {
  if (holders.size === 0) return;
  const { db, config } = parts.deps;
  const kept = await keepHolders(db, [...holders.keys()], config.play.NODE_LEASE_MS);
  await eachByItself(parts.deps.log, [...holders], async ([socketId, holder]) => {
    if (kept.has(socketId) || holder.seated === null) return;
    // It may have closed while another one was looked after.
    if (holders.has(socketId)) await takeBack(parts, socketId, holder.seated);
    holder.refresh();
  });
}

/** A game socket of this node that has a seat. */
export type Holder = {
  readonly seated: { readonly machineId: string; readonly epoch: number } | null;
  /** Looks at the seat again. */
  refresh(): void;
};

async function takeBack(
  { deps, seats }: PlayParts,
  socketId: string,
  { machineId, epoch }: NonNullable<Holder["seated"]>,
): Promise<void> {
  const { NODE_ID, NODE_LEASE_MS } = deps.config.play;
  await seats.within(machineId, async (seat) => {
    const { row } = seat;
    if (row.epoch !== epoch || row.holder_socket !== null || row.ending !== null) return;
    const fields = { holder_socket: socketId, holder_node: NODE_ID, holder_until: databaseIn(NODE_LEASE_MS) };
    await seat.happen("holderBack", { fields });
    deps.log.warn({ machineId }, "this node was taken for dead: a holder of its own has the seat back");
  });
}

/** Whose game sockets are gone: of nodes that do not renew them, of this one in its former life, or of nodes that have ended. */
export type LostHolders = "leaseOver" | "ofThisNode" | { readonly ofNodes: readonly string[] };

/** Seats whose holder's socket has ended without a report. */
export async function releaseLostHolders(parts: PlayParts, which: LostHolders): Promise<void> {
  const { db, config } = parts.deps;
  const lost = db.selectFrom("seat").select(["machine_id", "holder_socket"]).where("holder_socket", "is not", null);
  const rows =
    which === "leaseOver"
      ? await lost.where("holder_until", "<", sql<Date>`clock_timestamp()`).execute()
      : await lost
          .where("holder_node", "in", which === "ofThisNode" ? [config.play.NODE_ID] : [...which.ofNodes])
          .execute();
  await eachByItself(parts.deps.log, rows, (row) => holderGone(parts, row.machine_id, row.holder_socket ?? ""));
}

export type SeatView = {
  readonly epoch: number;
  readonly playSessionId: string | null;
  /** The machine cannot be reached: its agent is away, or it does not answer its agent. */
  readonly away: boolean;
  /** Whether a press may be passed on, or why not. */
  readonly press: (typeof playStates)["seated"]["press"];
  readonly count: {
    readonly code: NonNullable<(typeof playStates)["seated"]["count"]>;
    readonly leftMs: number;
  } | null;
};

/** What a game socket needs to know of its seat. */
export async function viewSeat({ deps }: PlayParts, machineId: string): Promise<SeatView> {
  const row = await deps.db
    .selectFrom("seat")
    .select([
      "epoch",
      "play_session_id",
      "state",
      sql<number | null>`(extract(epoch from due_at - clock_timestamp()) * 1000)::double precision`.as("leftMs"),
    ])
    .where("machine_id", "=", machineId)
    .executeTakeFirstOrThrow();
  const { press, count } = rowOfState(row.state);
  return {
    epoch: row.epoch,
    playSessionId: row.play_session_id,
    away: row.state === "agentAway",
    press,
    count: count === undefined || row.leftMs === null ? null : { code: count, leftMs: Math.max(0, row.leftMs) },
  };
}

export type Grant = { readonly machineId: string; readonly epoch: number; readonly playSessionId: string };

/**
 * Grants the seat at the agent, with the rules that protect its player. The seat is the player's even if the agent is away: the agent receives the grant
 * after its `hello`. Until then it refuses every press of this epoch; a money command of a higher epoch than it knows makes that epoch the known one and
 * is accepted. @returns the seat as it was granted; undefined: it has moved on, and what moved it grants it.
 */
export async function grantSeat(
  { deps, agents }: PlayParts,
  { machineId, epoch, playSessionId }: Grant,
): Promise<ProtectedSeat | undefined> {
  const [seat] = await protectedSeats(deps.db, [machineId]);
  if (seat?.epoch !== epoch) return undefined;
  const leaseMs = deps.config.play.SEAT_LEASE_MS;
  const rules = rulesNow(seat);
  const answer = await agents.request("seat.grant", { machineId, epoch, playSessionId, leaseMs, rules });
  if (answer.is === "refused")
    deps.log.error({ alarm: "seat", machineId, epoch, reason: answer.refusal.reason }, "an agent refused a grant");
  return seat;
}

/** Why no further game starts at a seat whose play session ends while its game is finished; undefined: its player presses nothing more. */
export const finishesFor = ({ ending, state }: Pick<ProtectedSeat, "ending" | "state">): HoldReason | undefined =>
  ending === null || state !== "draining" ? undefined : PROTECTIVE_ENDS[ending];

/** The rules of a seat, as its agent enforces them now. */
function rulesNow(seat: ProtectedSeat): PlayRules {
  const heldFor = finishesFor(seat);
  return { ...playRulesOf(seat), ...(heldFor !== undefined && { paidForMs: 0, heldFor }) };
}

/**
 * Lets the agent start no further game at a seat that ends, while the game in progress is finished by its presses.
 * @returns whether it does: true also when the seat has moved on or the agent knows a newer one.
 */
export async function holdSeat({ deps, agents }: PlayParts, machineId: string): Promise<boolean> {
  const [seat] = await protectedSeats(deps.db, [machineId]);
  if (seat === undefined || finishesFor(seat) === undefined) return true;
  const { epoch, playSessionId } = seat;
  const leaseMs = deps.config.play.SEAT_LEASE_MS;
  const answer = await agents.request("seat.renew", {
    machineId,
    epoch,
    playSessionId,
    leaseMs,
    rules: rulesNow(seat),
  });
  return answer.is === "done" || answer.is === "refused";
}

/**
 * Renews the grants of the held seats whose agent's link is on this node: all, or those of a machine or a player. A play session that ends presses
 * nothing more. Call it one at a time: the newest rules must arrive last. `known`: what the rules of each machine said last; a change that no message
 * announced, as by the command line, is announced now.
 */
export async function renewGrants(
  { deps, agents }: PlayParts,
  known: Map<string, string>,
  { machineId: only, playerId: player }: Topics["protection.changed"] = {},
): Promise<void> {
  const linked = agents.machineIds();
  const machineIds = only === undefined ? linked : linked.filter((machineId) => machineId === only);
  const leaseMs = deps.config.play.SEAT_LEASE_MS;
  for (const seat of await protectedSeats(deps.db, machineIds)) {
    const { machineId, epoch, playSessionId } = seat;
    if ((seat.ending !== null && finishesFor(seat) === undefined) || (player !== undefined && seat.playerId !== player))
      continue;
    void agents.request("seat.renew", { machineId, epoch, playSessionId, leaseMs, rules: rulesNow(seat) });
    const said = JSON.stringify([playSessionId, gameRulesOf(seat), seat.check.dueInMs === 0]);
    if (known.get(machineId) !== said) deps.bus.publish("protection.changed", { machineId });
    known.set(machineId, said);
  }
}
