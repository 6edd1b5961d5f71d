import { runTransaction } from "@longarm/database/run-transaction";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { NodesTables } from "../../../nodes.ts";
import type { PlayDeps } from "../deps.ts";
import { isInService, isReachable } from "../seat/index.ts";
import type { Viewing } from "./viewing.ts";

/** A spectator's game socket, or a watch from outside, whose key is then the player. */
export type Watcher = { readonly socketId: string; readonly machineId: string; readonly playerId: string };

/** Whose video comes from a media server (`crowd`), or from the agent. */
type Placed = Watcher & { readonly crowd: boolean };
type NoPlace = "spectators.full" | "spectators.yours";

/** Who watches what, on all nodes together, so that their limits hold for the whole platform. */
export class Watchers {
  readonly #deps: PlayDeps;
  readonly #db: Kysely<NodesTables>;
  readonly #viewing: Viewing;
  /** Those of this node, and since when their time is not counted yet. */
  readonly #own = new Map<string, Placed & { readonly since: number }>();

  constructor(deps: PlayDeps, viewing: Viewing) {
    this.#deps = deps;
    this.#viewing = viewing;
    this.#db = deps.db.withTables<NodesTables>();
  }

  /**
   * A place for somebody who is no player, whether the machine is played or not; `most` at once. Returns why there is none: as `take`, the machine is
   * none that may be watched, or cannot be reached.
   */
  async admit(
    watcher: Watcher,
    most: number,
  ): Promise<"machine.not_available" | "machine.unreachable" | NoPlace | null> {
    const machine = await this.#deps.db
      .selectFrom("machine as m")
      .select(["m.watchable", isReachable().as("answers")])
      .where("m.id", "=", watcher.machineId)
      .where(isInService())
      .executeTakeFirst();
    if (machine?.watchable !== true) return "machine.not_available";
    return machine.answers ? await this.take(watcher, { most }) : "machine.unreachable";
  }

  /** As `take`; where the agent's places are taken the watcher joins the crowd at the media server instead. */
  async takeOrJoinCrowd(watcher: Watcher): Promise<NoPlace | "crowd" | null> {
    const problem = await this.take(watcher);
    if (problem !== "spectators.full" || this.#deps.config.play.SPECTATORS_MAX === 0) return problem;
    return (await this.take(watcher, { crowd: true })) ?? "crowd";
  }

  /**
   * Takes a place at the agent, or in the crowd at the media server; one who watches already moves there. Returns why there is none: the agent's are
   * taken, or the account watches enough (`most`).
   */
  async take(
    { socketId, machineId, playerId }: Watcher,
    {
      crowd = false,
      most = this.#deps.config.play.WATCHED_MAX,
    }: { readonly crowd?: boolean; readonly most?: number } = {},
  ): Promise<NoPlace | null> {
    const { SPECTATORS_MAX } = this.#deps.config.play;
    const watcher = { socketId, machineId, playerId, crowd };
    let count = 0;
    const problem = await runTransaction(this.#db, async (trx) => {
      // Two that come at once run one after the other, on whichever nodes they are.
      for (const what of [`machine ${machineId}`, `player ${playerId}`])
        await sql`select pg_advisory_xact_lock(hashtextextended(${`longarm watch ${what}`}, 0))`.execute(trx);
      const { ofMachine, atAgent, ofPlayer } = await trx
        .selectFrom("watcher")
        .select((eb) => [
          eb.fn.countAll<number>().filterWhere("machine_id", "=", machineId).as("ofMachine"),
          eb.fn
            .countAll<number>()
            .filterWhere((is) => is.and([is("machine_id", "=", machineId), is("crowd", "=", false)]))
            .as("atAgent"),
          eb.fn.countAll<number>().filterWhere("player_id", "=", playerId).as("ofPlayer"),
        ])
        .where((eb) => eb.or([eb("machine_id", "=", machineId), eb("player_id", "=", playerId)]))
        .where("socket_id", "!=", socketId)
        .executeTakeFirstOrThrow();
      if (!crowd && atAgent >= SPECTATORS_MAX) return "spectators.full";
      if (ofPlayer >= most) return "spectators.yours";
      await trx
        .insertInto("watcher")
        .values(this.#rowOf(watcher))
        .onConflict((conflict) => conflict.column("socket_id").doUpdateSet({ crowd }))
        .execute();
      count = ofMachine + 1;
      return null;
    });
    if (problem === null) {
      const since = this.#own.get(socketId)?.since ?? this.#deps.clock.now();
      this.#own.set(socketId, { ...watcher, since });
      this.#viewing.watchedBy(machineId, count);
      this.#deps.bus.publish("watchers.changed", { machineId });
    }
    return problem;
  }

  async leave({ socketId, machineId }: Watcher): Promise<void> {
    const own = this.#own.get(socketId);
    if (own !== undefined) this.#viewing.watchedFor(machineId, this.#deps.clock.now() - own.since);
    this.#own.delete(socketId);
    await this.#db.deleteFrom("watcher").where("socket_id", "=", socketId).execute();
    this.#deps.bus.publish("watchers.changed", { machineId });
  }

  async count(machineId: string): Promise<number> {
    const { count } = await this.#db
      .selectFrom("watcher")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("machine_id", "=", machineId)
      .executeTakeFirstOrThrow();
    return count;
  }

  /** Counts the time of those that are watching, and how many watch the same machines now: without it a stay would count when it ends. */
  async countTime(): Promise<void> {
    const now = this.#deps.clock.now();
    for (const [socketId, watcher] of this.#own) {
      this.#viewing.watchedFor(watcher.machineId, now - watcher.since);
      this.#own.set(socketId, { ...watcher, since: now });
    }
    const machineIds = [...new Set([...this.#own.values()].map(({ machineId }) => machineId))];
    if (machineIds.length === 0) return;
    const counts = await this.#db
      .selectFrom("watcher")
      .select((eb) => ["machine_id", eb.fn.countAll<number>().as("count")])
      .where("machine_id", "in", machineIds)
      .groupBy("machine_id")
      .execute();
    for (const { machine_id: machineId, count } of counts) this.#viewing.watchedBy(machineId, count);
  }

  /** Removes what nodes have left that have ended, or begin a new life. */
  async forgetNodes(nodeIds: readonly string[]): Promise<void> {
    const gone = await this.#db
      .deleteFrom("watcher")
      .where("node_id", "in", [...nodeIds])
      .returning("machine_id")
      .execute();
    for (const machineId of new Set(gone.map(({ machine_id }) => machine_id)))
      this.#deps.bus.publish("watchers.changed", { machineId });
  }

  /** Writes down again what another node has removed, because it took this one for dead. */
  async renew(): Promise<void> {
    const rows = [...this.#own.values()].map((watcher) => this.#rowOf(watcher));
    if (rows.length === 0) return;
    const added = await this.#db
      .insertInto("watcher")
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .returning(["socket_id", "machine_id"])
      .execute();
    for (const { socket_id: socketId, machine_id: machineId } of added)
      if (!this.#own.has(socketId)) await this.leave({ socketId, machineId, playerId: "" });
      else this.#deps.bus.publish("watchers.changed", { machineId });
  }

  #rowOf({ socketId, machineId, playerId, crowd }: Placed) {
    const { NODE_ID } = this.#deps.config.play;
    return { socket_id: socketId, machine_id: machineId, player_id: playerId, node_id: NODE_ID, crowd };
  }
}
