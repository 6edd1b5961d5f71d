import type { WhepProblemName } from "@longarm/contract/whep";
import { CANDIDATES_MAX } from "@longarm/contract/whep";
import { sql } from "kysely";
import type { Topics } from "../../../bus/index.ts";
import type { Stop } from "../../../clock.ts";
import type { PlatformDeps } from "../../../deps.ts";
import { endedNodes } from "../../../nodes.ts";
import { newId } from "../../../random.ts";
import type { Play } from "../../play/index.ts";
import { mintIceServers } from "../../play/session/index.ts";
import { openAudit } from "../../records/audit/index.ts";
import type { Fragment } from "./fragment.ts";
import { fragmentOf, isOfOffer, restartedOffer } from "./fragment.ts";
import type { WatchKey } from "./keys.ts";

/** Whether keys still hold is looked up this often, ms. */
const LOOK_MS = 1_000;
/** Whether other nodes have ended, ms. */
const NODES_LOOK_MS = 5_000;
/** The longest watch, hours. */
const WATCH_HOURS_MAX = 12;
/** From one ICE restart of a watch to the next, s. */
const RESTART_S_MIN = 2;
/** An agent that is back has reported its viewers within this, ms. */
const REPORTED_WITHIN_MS = 10_000;
/** Of watches among all viewers. */
const PREFIX = "wv";

export type WatchProblem = { readonly is: "refused"; readonly name: WhepProblemName; readonly detail?: string };
export type Begun = { readonly is: "begun"; readonly id: string; readonly tag: string; readonly answer: string };
export type Patched =
  | { readonly is: "trickled" }
  | { readonly is: "restarted"; readonly tag: string; readonly fragment: string };

export type WatchDeps = Pick<PlatformDeps, "bus" | "clock" | "log" | "random" | "config" | "db"> & {
  readonly play: Play;
};

/** One watch, as it is addressed. */
export type WatchAddress = { readonly key: WatchKey; readonly machineId: string; readonly id: string };
type Own = { readonly machineId: string; readonly keyId: string; reportedAt: number };
type Row = { readonly id: string; readonly machineId: string };

const refuse = (name: WhepProblemName, detail?: string): WatchProblem => ({
  is: "refused",
  name,
  ...(detail !== undefined && { detail }),
});

const PLACES = {
  "machine.not_available": "machine.unknown",
  "machine.unreachable": "machine.unreachable",
  "spectators.full": "places.taken",
  "spectators.yours": "key.places",
} as const;

/**
 * Who watches from outside (record 0248). A row that every node can act on; the node that took the offer holds the place, and gives it back when the row
 * is gone, the agent reports the end, the key is over, or the watch too old.
 */
export class Watches {
  readonly #deps: WatchDeps;
  readonly #node: string;
  readonly #own = new Map<string, Own>();
  readonly #stops: Stop[];
  #looking = false;
  #checking = false;
  #suspects: ReadonlySet<string> = new Set();

  constructor(deps: WatchDeps) {
    this.#deps = deps;
    this.#node = deps.config.play.NODE_ID;
    this.#stops = [
      deps.bus.subscribe("machine.viewers", (report) => this.#reported(report)),
      deps.bus.subscribe("agent.linked", ({ machineId, connected }) => {
        if (connected) this.#agentIsBack(machineId);
      }),
    ];
  }

  start(): void {
    const { clock } = this.#deps;
    this.#follow(() => this.#dropRowsOf([this.#node]));
    this.#stops.push(
      clock.every(LOOK_MS, () => this.#lookOnce()),
      clock.every(NODES_LOOK_MS, () => this.#follow(() => this.#lookAtNodes())),
    );
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await Promise.all([...this.#own.keys()].map((id) => this.end(id)));
  }

  iceServers(keyId: string) {
    return mintIceServers(this.#deps.config.turn, keyId, this.#deps.clock.now());
  }

  /** Takes a place and has the agent answer the offer. */
  async begin(
    { key, machineId, address }: { readonly key: WatchKey; readonly machineId: string; readonly address: string },
    offer: string,
  ): Promise<Begun | WatchProblem> {
    const { db, clock, random, play } = this.#deps;
    if (key.machines !== null && !key.machines.includes(machineId)) return refuse("machine.unknown");
    const [id, tag] = [newId(random, PREFIX), newId(random, "t")];
    const place = { socketId: id, machineId, playerId: key.id };
    const problem = await play.sessions.watchers.admit(place, key.watchesMax);
    if (problem !== null) return refuse(PLACES[problem]);
    try {
      await sql`insert into watch (id, key_id, machine_id, node_id, tag, offer, candidates_left)
        values (${id}, ${key.id}, ${machineId}, ${this.#node}, ${tag}, ${offer}, ${CANDIDATES_MAX})`.execute(db.kysely);
      this.#own.set(id, { machineId, keyId: key.id, reportedAt: clock.now() });
      const answer = await this.#offer(id, machineId, key.id, offer);
      if (typeof answer !== "string") {
        await this.end(id);
        return answer;
      }
      const entry = { actor: `watch-key:${key.name}`, subject: `machine:${machineId}`, address };
      await openAudit(db.kysely, this.#node).write({ type: "watch.began", ...entry });
      return { is: "begun", id, tag, answer };
    } catch (error) {
      await play.sessions.watchers.leave(place);
      await this.end(id);
      throw error;
    }
  }

  /** Candidates of the viewer, or a restart of its ICE session. `tags`: those of If-Match; null: any. */
  async patch(
    { key, machineId, id }: WatchAddress,
    tags: readonly string[] | null,
    fragment: Fragment,
  ): Promise<Patched | WatchProblem> {
    const { rows } = await sql<{ tag: string; offer: string }>`select tag, offer from watch
      where id = ${id} and key_id = ${key.id} and machine_id = ${machineId}`.execute(this.#deps.db.kysely);
    const [row] = rows;
    if (row === undefined) return refuse("watch.unknown");
    if (tags !== null && !tags.includes(row.tag)) return refuse("tag.other");
    const { credentials } = fragment;
    if (credentials !== null && !isOfOffer(row.offer, credentials))
      return await this.#restart({ key, machineId, id }, row.tag, restartedOffer(row.offer, credentials, fragment));
    return await this.#trickle({ machineId, id }, fragment);
  }

  /** Ends a watch of a key; false: there is none. */
  async endOf({ key, machineId, id }: WatchAddress): Promise<boolean> {
    const { rows } = await sql`select id from watch where id = ${id} and key_id = ${key.id}
      and machine_id = ${machineId}`.execute(this.#deps.db.kysely);
    if (rows.length > 0) await this.end(id);
    return rows.length > 0;
  }

  /** Ends a watch, over whichever node; a repeat changes nothing. */
  async end(id: string): Promise<void> {
    const { db, play } = this.#deps;
    const { rows } = await sql<Row>`delete from watch where id = ${id}
      returning id, machine_id as "machineId"`.execute(db.kysely);
    const own = this.#own.get(id);
    this.#own.delete(id);
    if (own !== undefined)
      await play.sessions.watchers.leave({ socketId: id, machineId: own.machineId, playerId: own.keyId });
    const [row = own && { id, machineId: own.machineId }] = rows;
    if (row !== undefined) this.#closeAtAgent(row);
  }

  async #offer(id: string, machineId: string, keyId: string, sdp: string): Promise<string | WatchProblem> {
    const iceServers = this.iceServers(keyId);
    const answer = await this.#deps.play.agents.request("rtc.offer", {
      ...{ machineId, viewerId: id, role: "spectator", sdp, iceServers, complete: true },
    });
    if (answer.is === "done") return answer.data.sdp;
    if (answer.is !== "refused") return refuse("machine.unreachable");
    if (answer.refusal.name === "spectators.full") return refuse("places.taken");
    return refuse("offer.malformed", answer.refusal.reason.slice(0, 300));
  }

  async #trickle(
    { machineId, id }: Omit<WatchAddress, "key">,
    { candidates }: Fragment,
  ): Promise<Patched | WatchProblem> {
    if (candidates.length === 0) return { is: "trickled" };
    const { rows } = await sql`update watch set candidates_left = candidates_left - ${candidates.length}
      where id = ${id} and candidates_left >= ${candidates.length} returning id`.execute(this.#deps.db.kysely);
    if (rows.length === 0) return refuse("request.tooMany", `An offer brings at most ${CANDIDATES_MAX} candidates.`);
    for (const candidate of candidates)
      await this.#deps.play.agents.candidate({ ...candidate, machineId, viewerId: id });
    return { is: "trickled" };
  }

  /** The watch stays as it was when the agent refuses. */
  async #restart({ key, machineId, id }: WatchAddress, tag: string, offer: string): Promise<Patched | WatchProblem> {
    const { kysely } = this.#deps.db;
    const claimed = await sql`update watch set restarted_at = clock_timestamp() where id = ${id} and tag = ${tag}
      and restarted_at < clock_timestamp() - make_interval(secs => ${RESTART_S_MIN}) returning id`.execute(kysely);
    if (claimed.rows.length === 0) return refuse("request.tooMany", `Wait ${RESTART_S_MIN} seconds between restarts.`);
    const answer = await this.#offer(id, machineId, key.id, offer);
    if (typeof answer !== "string") return answer;
    const next = newId(this.#deps.random, "t");
    await sql`update watch set tag = ${next}, offer = ${offer}, candidates_left = ${CANDIDATES_MAX}
      where id = ${id}`.execute(kysely);
    return { is: "restarted", tag: next, fragment: fragmentOf(answer) };
  }

  /** What an agent reports of a viewer of ours; one without a row is closed. */
  #reported({ machineId, viewerId, state }: Topics["machine.viewers"]): void {
    if (!viewerId.startsWith(`${PREFIX}_`)) return;
    const own = this.#own.get(viewerId);
    if (own !== undefined && own.machineId !== machineId) return;
    if (own !== undefined && state === "closed") this.#follow(() => this.end(viewerId));
    if (own !== undefined) own.reportedAt = this.#deps.clock.now();
    else if (state !== "closed" && !this.#checking) {
      this.#checking = true;
      this.#follow(async () => {
        try {
          const { rows } = await sql`select id from watch where id = ${viewerId}`.execute(this.#deps.db.kysely);
          if (rows.length === 0) this.#closeAtAgent({ id: viewerId, machineId });
        } finally {
          this.#checking = false;
        }
      });
    }
  }

  /** An agent that began anew has no viewers, and reports no end of those that it had. */
  #agentIsBack(machineId: string): void {
    const { clock } = this.#deps;
    const since = clock.now();
    if (![...this.#own.values()].some((own) => own.machineId === machineId)) return;
    clock.after(REPORTED_WITHIN_MS, () => {
      for (const [id, own] of this.#own)
        if (own.machineId === machineId && own.reportedAt < since) this.#follow(() => this.end(id));
    });
  }

  #lookOnce(): void {
    if (this.#looking || this.#own.size === 0) return;
    this.#looking = true;
    this.#follow(async () => {
      try {
        await this.#look();
      } finally {
        this.#looking = false;
      }
    });
  }

  /** Ends what was ended over another node, whose key is over, or that is too old. */
  async #look(): Promise<void> {
    const before = [...this.#own.keys()];
    const { rows } = await sql<{ id: string }>`select w.id from watch w join watch_key k on k.id = w.key_id
      where w.node_id = ${this.#node} and k.ends_at > clock_timestamp()
        and w.began_at > clock_timestamp() - make_interval(hours => ${WATCH_HOURS_MAX})`.execute(this.#deps.db.kysely);
    const hold = new Set(rows.map(({ id }) => id));
    for (const id of before) if (!hold.has(id)) await this.end(id);
  }

  /** What a node left that ended. One whose database connection broke has its name back by the next look. */
  async #lookAtNodes(): Promise<void> {
    const { kysely } = this.#deps.db;
    const { rows } = await sql<{ node: string }>`select distinct node_id as node from watch
      where node_id <> ${this.#node}`.execute(kysely);
    const ended =
      rows.length === 0
        ? []
        : await endedNodes(
            kysely,
            rows.map(({ node }) => node),
          );
    await this.#dropRowsOf(ended.filter((node) => this.#suspects.has(node)));
    this.#suspects = new Set(ended);
  }

  async #dropRowsOf(nodes: readonly string[]): Promise<void> {
    if (nodes.length === 0) return;
    const own = [...this.#own.keys()];
    const { rows } = await sql<Row>`delete from watch where node_id = any(${[...nodes]}::text[])
      and not id = any(${own}::text[]) returning id, machine_id as "machineId"`.execute(this.#deps.db.kysely);
    for (const row of rows) this.#closeAtAgent(row);
  }

  #closeAtAgent({ id, machineId }: Row): void {
    void this.#deps.play.agents.request("rtc.close", { machineId, viewerId: id });
  }

  #follow(run: () => Promise<void>): void {
    run().catch((error: unknown) =>
      this.#deps.log.warn({ err: error }, "watches from outside could not be looked at, the next look tries again"),
    );
  }
}
