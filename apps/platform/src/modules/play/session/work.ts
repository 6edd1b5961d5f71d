import { sql } from "kysely";
import type { Topics } from "../../../bus/index.ts";
import { eachByItself } from "../each-by-itself.ts";
import { isReachable, playStates, rowOfState } from "../seat/index.ts";
import { markLeftUnknown, markUnknownOf, recoverTransfer, resolveBrokenOff } from "../wallet/index.ts";
import { RestoredMachines } from "./compare-restored.ts";
import type { GameParts } from "./connection.ts";
import { releaseLostHolders, renewGrants, renewHolders } from "./holder.ts";
import { NEWEST_EVERY_MS, SUMS_EVERY_MS } from "./viewing.ts";

/** How often seats are looked at whose time is up, ms. */
const SWEEP_MS = 250;
const SWEEP_ROWS = 100;
/** States that only a newer node knows are left to that node. */
const KNOWN = Object.keys(playStates) as (keyof typeof playStates)[];
const HELD = KNOWN.filter((state) => state !== "free" && state !== "agentAway");

/**
 * Work that no request starts: times that run out, credits that must come back, transfers that must be decided, leases. Times are
 * rows judged by the database's clock, so any node may see that one is up; the row's lock lets one of them act.
 */
export class Work {
  readonly #parts: GameParts;
  readonly #stops: (() => void)[] = [];
  readonly #restored: RestoredMachines;
  #sweeping = false;
  #renewals = Promise.resolve();
  /** What the rules of each machine said with the last renewal. */
  readonly #rules = new Map<string, string>();
  readonly #nodes: EndedNodes;

  constructor(parts: GameParts) {
    this.#parts = parts;
    this.#restored = new RestoredMachines(parts);
    this.#nodes = new EndedNodes(parts, () => this.noticeLostAgents());
  }

  start(): void {
    const { clock, bus, config } = this.#parts.deps;
    const { SEAT_LEASE_MS, NODE_LEASE_MS } = config.play;
    this.#stops.push(
      clock.every(SWEEP_MS, () => this.#sweepOnce()),
      clock.every(NODES_LOOK_MS, () => void this.#run("nodes", () => this.#nodes.look())),
      clock.every(Math.round(NODE_LEASE_MS / 3), () => void this.#run("leases", () => this.#leases())),
      clock.every(Math.round(SEAT_LEASE_MS / 3), () => this.#renew({})),
      clock.every(NEWEST_EVERY_MS, () => void this.#run("delays", () => this.#parts.viewing.writeNewest())),
      clock.every(SUMS_EVERY_MS, () => void this.#run("viewing", () => this.#countViewing())),
      bus.subscribe("protection.changed", (which) => this.#renew(which)),
      // The node with the agent's link does the machine's work at once; the other nodes leave it to the seat's time.
      bus.subscribe("seat.changed", ({ machineId }) => {
        if (this.#parts.agents.machineIds().includes(machineId)) void this.#run("work", () => this.workOn(machineId));
      }),
    );
  }

  /** Does the work that the seat's state needs from the platform. */
  async workOn(machineId: string): Promise<void> {
    await this.#restored.compare([machineId]);
    const row = await this.#parts.deps.db
      .selectFrom("seat")
      .select(["state", "ending"])
      .where("machine_id", "=", machineId)
      .executeTakeFirst();
    if (!row) return;
    const { work } = rowOfState(row.state);
    if (work === "recover") await recoverTransfer(this.#parts.wallet, machineId);
    if (work === "settle" || (row.state === "agentAway" && row.ending !== null))
      await this.#parts.settler.settle(machineId);
  }

  /** One renewal after the other, so that of two rules of a seat the newer one arrives last. */
  #renew(which: Topics["protection.changed"]): void {
    this.#renewals = this.#renewals.then(() => this.#run("grants", () => renewGrants(this.#parts, this.#rules, which)));
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  async #countViewing(): Promise<void> {
    await this.#parts.watchers.countTime();
    await this.#parts.viewing.writeSums();
  }

  #sweepOnce(): void {
    if (this.#sweeping) return;
    this.#sweeping = true;
    void this.#run("sweep", async () => {
      try {
        await this.#sweep();
      } finally {
        this.#sweeping = false;
      }
    });
  }

  async #sweep(): Promise<void> {
    const due = await this.#parts.deps.db
      .selectFrom("seat")
      .select("machine_id")
      .where("due_at", "<=", sql<Date>`clock_timestamp()`)
      .where("state", "in", KNOWN)
      .orderBy("due_at")
      .limit(SWEEP_ROWS)
      .execute();
    for (const { machine_id } of due) void this.#run("time up", () => this.#timeUp(machine_id));
    await resolveBrokenOff(this.#parts.wallet);
  }

  async #timeUp(machineId: string): Promise<void> {
    const acted = await this.#parts.seats.within(machineId, async (seat) => {
      const { rows } = await sql<{
        up: boolean | null;
      }>`select ${seat.row.due_at}::timestamptz <= clock_timestamp() as up`.execute(seat.trx);
      if (rows[0]?.up !== true) return false;
      await seat.happen("timeUp");
      return true;
    });
    if (acted) await this.workOn(machineId);
  }

  async #leases(): Promise<void> {
    const { agents, holders, wallet, watchers } = this.#parts;
    await agents.renewLeases();
    await renewHolders(this.#parts, holders);
    await watchers.renew();
    await releaseLostHolders(this.#parts, "leaseOver");
    await markLeftUnknown(wallet);
    await this.#restored.compare(agents.machineIds());
    await this.noticeLostAgents();
    await this.#noticeAgentsBack();
  }

  /** Held seats whose agent's link has ended without a report. */
  async noticeLostAgents(): Promise<void> {
    const lost = await this.#parts.deps.db
      .selectFrom("seat as s")
      .select("s.machine_id")
      .where("s.state", "in", HELD)
      .where(
        sql<boolean>`not exists (select from agent_link l where l.machine_id = s.machine_id and l.lease_until > clock_timestamp())`,
      )
      .execute();
    await eachByItself(this.#parts.deps.log, lost, async ({ machine_id }) => {
      await this.#parts.seats.within(machine_id, (seat) => seat.happen("agentGone"));
    });
  }

  /** Seats that lost their agent only because its lease was renewed too late (a process that stood still): the link never ended. */
  async #noticeAgentsBack(): Promise<void> {
    const back = await this.#parts.deps.db
      .selectFrom("seat as s")
      .innerJoin("machine as m", "m.id", "s.machine_id")
      .select("s.machine_id")
      .where("s.state", "=", "agentAway")
      .where(isReachable())
      .execute();
    await eachByItself(this.#parts.deps.log, back, async ({ machine_id }) => {
      await this.#parts.seats.within(machine_id, (seat) => seat.happen("agentBack"));
      await this.workOn(machine_id);
    });
  }

  #run(what: string, run: () => Promise<void>): Promise<void> {
    const { pending, deps } = this.#parts;
    const running = run()
      .catch((error: unknown) =>
        deps.log.error({ err: error, what }, "work on seats failed, the next round tries again"),
      )
      .finally(() => pending.delete(running));
    pending.add(running);
    return running;
  }
}

/** How often a node looks whether others have ended, ms. */
const NODES_LOOK_MS = 500;

/**
 * What other nodes left when they were killed: links, game sockets, spectators and transfers in flight. Every node does this for every
 * other one; the rows' locks let each thing happen once.
 */
class EndedNodes {
  readonly #parts: GameParts;
  readonly #noticeLostAgents: () => Promise<void>;
  /** Nodes that were found ended by the last look: a node whose database connection broke has its name back by the next one. */
  #suspects: ReadonlySet<string> = new Set();
  #looking = false;

  constructor(parts: GameParts, noticeLostAgents: () => Promise<void>) {
    this.#parts = parts;
    this.#noticeLostAgents = noticeLostAgents;
  }

  async look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const ended = await this.#parts.deps.nodes.ended(await this.#named());
      const sure = ended.filter((nodeId) => this.#suspects.has(nodeId));
      this.#suspects = new Set(ended);
      if (sure.length > 0) await this.#release(sure);
    } finally {
      this.#looking = false;
    }
  }

  /** Every other node that holds something. */
  async #named(): Promise<string[]> {
    const { db, config } = this.#parts.deps;
    const { rows } = await sql<{ id: string }>`
      select node_id as id from agent_link union select holder_node from seat where holder_node is not null
      union select node_id from machine_transfer where state = 'asking' union select node_id from watcher`.execute(db);
    return rows.flatMap(({ id }) => (id === config.play.NODE_ID ? [] : [id]));
  }

  async #release(nodeIds: readonly string[]): Promise<void> {
    const { deps, agents, wallet, watchers } = this.#parts;
    deps.log.warn(
      { nodes: nodeIds },
      "nodes have ended without closing: their links, seats and transfers are released",
    );
    await agents.nodesEnded(nodeIds);
    await releaseLostHolders(this.#parts, { ofNodes: nodeIds });
    await markUnknownOf(wallet, nodeIds);
    await watchers.forgetNodes(nodeIds);
    await this.#noticeLostAgents();
  }
}
