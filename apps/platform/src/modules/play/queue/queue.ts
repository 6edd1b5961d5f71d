import type { PlaceMove, QueueWish } from "@longarm/contract/player-queue";
import { sql } from "kysely";
import type { Topics } from "../../../bus/index.ts";
import { newId } from "../../../random.ts";
import { isBanned } from "../../players/accounts/index.ts";
import { isKeptOut } from "../../protection/gates/index.ts";
import { ringPlayer } from "../../talk/outbox/index.ts";
import type { Agents } from "../agents/index.ts";
import type { PlayDeps } from "../deps.ts";
import { eachByItself } from "../each-by-itself.ts";
import { machineNameOf } from "../machines.ts";
import { mayNotSit } from "../may-sit.ts";
import type { OpenSeat, Seats } from "../seat/index.ts";
import { isFree, isInService, Refusal, reservedFor } from "../seat/index.ts";
import { lookAtTurns } from "./fair-time.ts";
import type { CallEnd } from "./line.ts";
import { beginCall, endCall, endPlaces, keepFromCalls, letGo, linesOf, subjectOf, waitersOf } from "./line.ts";
import { turnOf } from "./order.ts";
import type { PlaceRow, QueueDb, QueueTables } from "./tables.ts";
import { wantsMet, wantsOf } from "./tables.ts";

export type QueueParts = {
  readonly deps: PlayDeps;
  readonly seats: Seats;
  readonly agents: Pick<Agents, "machineIds">;
};

/** The platform waits so much longer for an answer than the page shows, ms: the last second counts for a player far away. */
export const CALL_GRACE_MS = 3_000;
/** A player who sits elsewhere has so long to come over, ms: a bonus is played to its end. */
export const ELSEWHERE_MS = 120_000;
/** How often calls that are over and machines that have become free are looked for, ms. */
const LOOK_MS = 1_000;
/** Every so many looks, places of players who are away or may not play are looked for. */
const SWEEP_LOOKS = 5;
const BATCH = 100;

/** Problems that may be over soon: the place stays, and others are called first. Any other problem of sitting down ends it. */
const PASSING = new Set(["wallet.insufficient_funds", "register.unanswered", "help.missing", "limits.unanswered"]);

/** The queues of machines: who waits, and whose turn it is. The database holds all of it; any node may do any of it. */
export class Queue {
  readonly #parts: QueueParts;
  readonly #db: QueueDb;
  readonly #running = new Set<Promise<unknown>>();
  #stop = (): void => {};
  #looking = false;
  #looks = 0;

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#db = parts.deps.db.withTables<QueueTables>();
  }

  start(): void {
    const { clock, bus } = this.#parts.deps;
    const ticks = clock.every(LOOK_MS, () => this.#follow(() => this.#look()));
    const frees = bus.subscribe("machine.changed", ({ machineId, holderId }) => {
      if (holderId === undefined && this.#parts.agents.machineIds().includes(machineId))
        this.#follow(() => this.#callAt([machineId]));
    });
    this.#stop = () => {
      ticks();
      frees();
    };
  }

  async close(): Promise<void> {
    this.#stop();
    while (this.#running.size > 0) await Promise.allSettled([...this.#running]);
  }

  /**
   * Takes a place; with the same wish again, it is the one that the player has. @throws Refusal queue.places, queue.full, machine.not_available,
   * request.invalid (a wish that this venue does not take), seat.taken (the player sits there), and what `mayNotSit` says that waiting does not mend.
   */
  async join(playerId: string, wish: QueueWish): Promise<void> {
    const { deps } = this.#parts;
    const { play } = deps.config;
    if (("brand" in wish && !play.QUEUE_ANY_BRAND) || ("denomination" in wish && !play.QUEUE_ANY_DENOMINATION))
      throw new Refusal("request.invalid", "this venue has no such queues");
    const wants = wantsOf(wish);
    const machines = await this.#db.transaction().execute(async (trx) => {
      // One join of a player after the other, so that none is counted twice.
      await sql`select pg_advisory_xact_lock(hashtextextended(${`queue of ${playerId}`}, 0))`.execute(trx);
      const open = await trx
        .selectFrom("queue_place")
        .select("wants")
        .where("player_id", "=", playerId)
        .where("ended_at", "is", null)
        .execute();
      const { rows: machines } = await sql<{ id: string; isOwn: boolean }>`
        select m.id, coalesce(s.player_id = ${playerId}, false) as "isOwn"
        from machine m join seat s on s.machine_id = m.id
        where ${isInService()} and ${wantsMet()} && ${wants}::text[] order by m.id limit 100`.execute(trx);
      if (open.some((place) => String(place.wants) === String(wants))) return machines;
      if (open.length >= play.QUEUE_PLACES)
        throw new Refusal("queue.places", undefined, { params: { most: play.QUEUE_PLACES } });
      const [first] = machines;
      if (first === undefined) throw new Refusal("machine.not_available", "no machine in service would do");
      if (machines.length === 1 && first.isOwn) throw new Refusal("seat.taken", "by the player");
      const waiting = Map.groupBy(
        await linesOf(
          trx,
          machines.map(({ id }) => id),
        ),
        ({ machineId }) => machineId,
      );
      if (machines.every(({ id }) => (waiting.get(id)?.length ?? 0) >= play.QUEUE_LENGTH))
        throw new Refusal("queue.full");
      const problem = await mayNotSit(deps, trx, { playerId, machineId: first.id });
      if (problem !== null && !PASSING.has(problem.name)) throw new Refusal(problem.name, undefined, problem);
      await trx
        .insertInto("queue_place")
        .values({ id: newId(deps.random, "qp"), player_id: playerId, wants })
        .execute();
      return machines;
    });
    // The place is there; whom it concerns learns it without this player waiting for that.
    this.#follow(() => this.#changed(machines.map(({ id }) => id)));
  }

  /** Gives a place up. Another player's, or one that has ended: nothing is changed. */
  async leave(playerId: string, id: string): Promise<void> {
    const place = await this.#ownPlace(playerId, id);
    if (place === undefined) return;
    const machines = await this.#machinesOf([place]);
    await endPlaces(this.#db, [place.id], "left");
    await this.#changed(machines, [playerId]);
  }

  /**
   * Lets the next one go first. `why`: the connection is too weak to play, which uses up no pass unless the call before passed for it too.
   * @throws Refusal queue.no_pass: the player is not called, or has done so too often.
   */
  async pass(playerId: string, id: string, why?: "link"): Promise<void> {
    const place = await this.#ownPlace(playerId, id);
    const machineId = place?.called_machine ?? null;
    if (machineId === null) throw new Refusal("queue.no_pass");
    await this.#parts.seats.within(machineId, async (seat) => {
      const trx = seat.trx.withTables<QueueTables>();
      const called = await calledTo(trx, machineId);
      if (called?.id !== id) throw new Refusal("queue.no_pass");
      if (why === "link" && !called.link_passed) return await this.#endCall(seat, called, "linkPassed");
      if (called.passes >= this.#parts.deps.config.play.QUEUE_PASSES && !called.call_elsewhere)
        throw new Refusal("queue.no_pass", "too often");
      await this.#endCall(seat, called, "passed");
    });
  }

  /**
   * Moves a place for chosen machines of one brand to all machines of the brand, or back, with the same time of joining. The place is then where it
   * would be had the player joined so at that time. @throws Refusal queue.no_move: the place is called, its machines are not of one brand, there is
   * no other machine of it, the player waits for that already, or this venue takes no such wish.
   */
  async move(playerId: string, id: string, to: PlaceMove = "brand"): Promise<void> {
    const place = await this.#ownPlace(playerId, id);
    if (place === undefined || place.called_machine !== null) throw new Refusal("queue.no_move");
    // A repeat.
    if ((to === "brand") === (place.chosen !== null)) return;
    const wants = to === "chosen" ? place.chosen : await this.#brandOf(place.wants);
    if (wants === null) throw new Refusal("queue.no_move");
    const before = await this.#machinesOf([place]);
    const chosen = to === "chosen" ? null : place.wants;
    const moved =
      await sql`update queue_place q set wants = ${wants}::text[], chosen = ${chosen}::text[], kept_by = null, not_before = null
      where q.id = ${place.id} and q.ended_at is null and q.called_machine is null and q.wants = ${place.wants}::text[]
        and not exists (select from queue_place o where o.player_id = q.player_id and o.ended_at is null and o.wants = ${wants}::text[])`.execute(
        this.#db,
      );
    if (moved.numAffectedRows === 0n) throw new Refusal("queue.no_move", "the player waits for that already");
    await this.#changed([...before, ...(await this.#machinesOf([{ wants }]))]);
  }

  /** The wish for all machines of the brand of chosen ones; null: they are of several, it has no other one, or this venue takes no such wish. */
  async #brandOf(chosen: readonly string[]): Promise<string[] | null> {
    if (!this.#parts.deps.config.play.QUEUE_ANY_BRAND) return null;
    const { rows } = await sql<{ brand: string; others: boolean }>`
      select m.facts ->> 'brand' as brand, bool_or('machine:' || m.id <> all(${[...chosen]}::text[]) and ${isInService()}) as others
      from machine m where m.facts ->> 'brand' in (select c.facts ->> 'brand' from machine c where 'machine:' || c.id = any(${[...chosen]}::text[]))
      group by 1 limit 2`.execute(this.#db);
    const [found, another] = rows;
    return found?.others === true && another === undefined ? wantsOf({ brand: found.brand }) : null;
  }

  /** These players have a page open. */
  async seen(playerIds: readonly string[]): Promise<void> {
    if (playerIds.length === 0) return;
    await sql`update queue_place set seen_at = clock_timestamp()
      where player_id = any(${[...playerIds]}::text[]) and ended_at is null`.execute(this.#db);
  }

  /** Staff has changed who waits for a machine, and how. */
  async changedAt(machineId: string): Promise<void> {
    await this.#changed([machineId]);
  }

  async #ownPlace(playerId: string, id: string): Promise<PlaceRow | undefined> {
    return await this.#db
      .selectFrom("queue_place")
      .selectAll()
      .where("id", "=", id)
      .where("player_id", "=", playerId)
      .where("ended_at", "is", null)
      .executeTakeFirst();
  }

  async #machinesOf(places: readonly Pick<PlaceRow, "wants">[]): Promise<string[]> {
    const wants = places.flatMap((place) => place.wants);
    if (wants.length === 0) return [];
    const { rows } = await sql<{
      id: string;
    }>`select m.id from machine m where ${wantsMet()} && ${wants}::text[]`.execute(this.#db);
    return rows.map(({ id }) => id);
  }

  /** The lines of these machines have changed: free machines call, and the pages of those who wait are updated. */
  async #changed(machineIds: readonly string[], playerIds: readonly string[] = []): Promise<void> {
    if (machineIds.length > 0) await this.#callAt(machineIds);
    await this.#announce(machineIds, playerIds);
  }

  async #announce(machineIds: readonly string[], playerIds: readonly string[]): Promise<void> {
    const waiters = await waitersOf(this.#db, machineIds);
    for (const message of changesOf(machineIds, [...waiters, ...playerIds]))
      this.#parts.deps.bus.publish("queue.changed", message);
  }

  /** Calls whose turn it is at those of these machines that are free. */
  async #callAt(machineIds: readonly string[]): Promise<void> {
    const { deps, seats } = this.#parts;
    const { rows } = await sql<{ id: string }>`select m.id from machine m join seat s on s.machine_id = m.id
      where m.id = any(${[...machineIds]}::text[]) and s.player_id is null and ${reservedFor()} is null
        and not exists (select from queue_place q where q.called_machine = m.id)
        and exists (select from queue_place q where q.ended_at is null and q.called_machine is null
          and coalesce(q.not_before <= clock_timestamp(), true) and q.wants && ${wantsMet()})`.execute(this.#db);
    await eachByItself(deps.log, rows, async ({ id }) => {
      await seats.within(id, (seat) => this.#callNext(seat));
    });
  }

  async #callNext(seat: OpenSeat): Promise<void> {
    const { machine_id: machineId, player_id: holder } = seat.row;
    const { closed, agent, meters, reservedFor: keptFor } = await seat.facts();
    if (holder !== null || closed || !agent || keptFor !== null) return;
    if (meters.handPay || meters.lockup || !isFree(meters)) return;
    const trx = seat.trx.withTables<QueueTables>();
    if ((await calledTo(trx, machineId)) !== undefined) return;
    let line = await linesOf(trx, [machineId]);
    for (let turn = turnOf(line); turn !== undefined; turn = turnOf(line)) {
      const { next, behind } = turn;
      if (await this.#call(seat, next)) {
        await letGo(
          trx,
          behind.map(({ id }) => id),
        );
        return this.#say(seat, [next.player_id, ...line.map(({ player_id }) => player_id)]);
      }
      line = line.filter(({ id }) => id !== next.id);
    }
  }

  /** @returns whether the machine is kept for the place now. */
  async #call(seat: OpenSeat, { id, player_id: playerId }: PlaceRow): Promise<boolean> {
    const { deps } = this.#parts;
    const { machine_id: machineId } = seat.row;
    const trx = seat.trx.withTables<QueueTables>();
    const problem = await mayNotSit(deps, seat.trx, { playerId, machineId });
    if (problem !== null) {
      if (PASSING.has(problem.name)) await keepFromCalls(trx, id, problem.name);
      else await endPlaces(trx, [id], problem.name);
      this.#say(seat, [playerId]);
      return false;
    }
    const sitsAt = await trx
      .selectFrom("seat")
      .select("machine_id")
      .where("player_id", "=", playerId)
      .executeTakeFirst();
    const elsewhere = sitsAt !== undefined;
    const ms = elsewhere ? ELSEWHERE_MS : deps.config.play.QUEUE_READY_MS;
    const until = await beginCall(trx, id, { machineId, ms: ms + CALL_GRACE_MS, elsewhere });
    if (until === undefined) return false;
    await ringPlayer(trx, deps.random, {
      ...{ playerId, type: "queue.called", subject: subjectOf(id) },
      data: {
        ...{ machine: machineId, machineName: await machineNameOf(trx, machineId), seconds: ms / 1_000 },
        until: new Date(until.getTime() - CALL_GRACE_MS).toISOString(),
      },
    });
    return true;
  }

  /** Within the machine's seat: the call is over, and the next is called. */
  async #endCall(seat: OpenSeat, place: PlaceRow, how: CallEnd): Promise<void> {
    await endCall(seat.trx.withTables<QueueTables>(), place, how);
    this.#say(seat, [place.player_id]);
    await this.#callNext(seat);
  }

  /** The machine's line is another one, once the seat's transaction is committed. */
  #say(seat: OpenSeat, playerIds: readonly string[]): void {
    seat.announceStatus();
    for (const message of changesOf([seat.row.machine_id], playerIds)) seat.announce("queue.changed", message);
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      await this.#endCalls();
      await this.#callAt(this.#parts.agents.machineIds());
      this.#looks += 1;
      if (this.#looks % SWEEP_LOOKS === 0) {
        await this.#sweep();
        await this.#lookAtTurns();
      }
    } finally {
      this.#looking = false;
    }
  }

  async #endCalls(): Promise<void> {
    const { deps, seats } = this.#parts;
    const over = await this.#db
      .selectFrom("queue_place")
      .select(["id", "called_machine"])
      .where("call_until", "<=", sql<Date>`clock_timestamp()`)
      .limit(BATCH)
      .execute();
    await eachByItself(deps.log, over, async ({ id, called_machine }) => {
      if (called_machine === null) return;
      await seats.within(called_machine, async (seat) => {
        const called = await calledTo(seat.trx.withTables<QueueTables>(), called_machine, "over");
        if (called?.id === id) await this.#endCall(seat, called, called.call_elsewhere ? "passed" : "missed");
      });
    });
  }

  /** Places of players who are away for too long, or kept from play. */
  async #sweep(): Promise<void> {
    const { rows } = await sql<PlaceRow & { reason: string }>`
      select q.*, case when ${isBanned("q.player_id")} then 'staff' when ${isKeptOut("q.player_id")} then 'player.on_break' else 'away' end as reason
      from queue_place q where q.ended_at is null
        and (q.seen_at < clock_timestamp() - ${this.#parts.deps.config.play.QUEUE_AWAY_MS} * interval '1 millisecond'
          or ${isBanned("q.player_id")} or ${isKeptOut("q.player_id")}) limit ${BATCH}`.execute(this.#db);
    for (const place of rows) {
      await endPlaces(this.#db, [place.id], place.reason);
      await this.#changed(await this.#machinesOf([place]), [place.player_id]);
    }
  }

  async #lookAtTurns(): Promise<void> {
    const { deps, agents } = this.#parts;
    if (deps.config.play.QUEUE_TURN_MIN === 0) return;
    for (const machineId of await lookAtTurns(deps, this.#db, agents.machineIds()))
      deps.bus.publish("protection.changed", { machineId });
  }

  #follow(run: () => Promise<void>): void {
    const running = run()
      .catch((error: unknown) =>
        this.#parts.deps.log.warn({ err: error }, "a queue could not be looked at, it is tried again"),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}

/** The messages that say it, each within the limits of its topic. */
function changesOf(machineIds: readonly string[], playerIds: readonly string[]): Topics["queue.changed"][] {
  const [machines, players] = [[...new Set(machineIds)], [...new Set(playerIds)]];
  const count = Math.max(1, Math.ceil(machines.length / BATCH), Math.ceil(players.length / BATCH));
  return Array.from({ length: count }, (_, at) => ({
    machineIds: machines.slice(at * BATCH, (at + 1) * BATCH),
    playerIds: players.slice(at * BATCH, (at + 1) * BATCH),
  }));
}

/** The place that a machine is kept for; `over`: only where its time is over. */
async function calledTo(trx: QueueDb, machineId: string, over?: "over"): Promise<PlaceRow | undefined> {
  return await trx
    .selectFrom("queue_place")
    .selectAll()
    .where("called_machine", "=", machineId)
    .$if(over !== undefined, (query) => query.where("call_until", "<=", sql<Date>`clock_timestamp()`))
    .executeTakeFirst();
}
