import { createHash } from "node:crypto";
import { STILL_BYTES_MAX, StillParams } from "@longarm/contract/http";
import type { FastifyInstance } from "fastify";
import type { RawBuilder } from "kysely";
import { sql } from "kysely";
import * as z from "zod/mini";
import { databaseNow } from "../../../database-time.ts";
import type { NodesTables } from "../../../nodes.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { PlayDeps } from "../deps.ts";
import type { PlayDb } from "../tables.ts";
import { agentOfHeader } from "./keys.ts";
import type { Links } from "./links.ts";

/** How long a still that is being taken is waited for, ms; then the older one is shown, or none. */
const WAIT_MS = 2_000;
/** After the last look at a lobby, stills are still taken for this long, ms. */
const LOBBY_OPEN_MS = 60_000;
/** The other nodes learn at most this often that a lobby is open, ms. */
const TELL_EVERY_MS = 5_000;
/** Another node takes a still each round; an older one than so many rounds is being replaced there. */
const ROUNDS_OLD = 3;
/** Stills that are not kept are logged once, until none has failed for this long, ms: a full disk fails each of every machine. */
const FAILED_APART_MS = 60_000;

/** True for the bytes of a WebP image: RIFF, a length that fits, WEBP. */
export function isWebp(bytes: Buffer): boolean {
  if (bytes.length < 20) return false;
  return (
    bytes.toString("latin1", 0, 4) === "RIFF" &&
    bytes.readUInt32LE(4) + 8 <= bytes.length + 1 &&
    bytes.toString("latin1", 8, 12) === "WEBP" &&
    /^VP8[ LX]$/.test(bytes.toString("latin1", 12, 16))
  );
}

/** The machines' newest stills, and requests for new ones while a lobby is open on any node. */
export class Stills {
  readonly #deps: PlayDeps;
  readonly #links: Links;
  readonly #store: StillStore;
  readonly #stops: (() => void)[];
  /** Machines whose still is being taken: one request at a time, however many players look. */
  readonly #taking = new Map<string, Promise<unknown>>();
  /** Requests that wait for a still that another node is taking. */
  readonly #waiting = new Map<string, Set<() => void>>();
  #lobbySeenAt = Number.NEGATIVE_INFINITY;
  #announcedAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: PlayDeps, links: Links, store: StillStore) {
    this.#deps = deps;
    this.#links = links;
    this.#store = store;
    this.#stops = [
      deps.bus.subscribe("lobby.open", () => this.#look()),
      deps.bus.subscribe("still.taken", ({ machineId }) => {
        for (const seen of this.#waiting.get(machineId) ?? []) seen();
      }),
      deps.clock.every(deps.config.play.STILL_EVERY_MS, () => this.#round()),
    ];
  }

  /** The newest still. When it is older than a round and a new one is being taken, that one. */
  async get(machineId: string): Promise<KeptStill | undefined> {
    const kept = await this.#store.read(machineId);
    const everyMs = this.#deps.config.play.STILL_EVERY_MS;
    const ageMs = kept?.ageMs ?? Number.POSITIVE_INFINITY;
    if (ageMs <= everyMs) return kept;
    const coming = this.#links.get(machineId)
      ? this.#taking.get(machineId)
      : (await this.#takenElsewhere(machineId, ageMs > ROUNDS_OLD * everyMs))?.taken;
    if (coming === undefined) return kept;
    const late = Promise.withResolvers<void>();
    const stop = this.#deps.clock.after(WAIT_MS, late.resolve);
    await Promise.race([coming, late.promise]);
    stop();
    return await this.#store.read(machineId);
  }

  /** Undefined: the database did not take it, as on a full disk; the one before it stays. */
  async put(machineId: string, webp: Buffer): Promise<KeptStill | undefined> {
    const still = await this.#store.put(machineId, webp).catch((error: unknown) => this.#logFailure(machineId, error));
    if (still === undefined) return undefined;
    this.#deps.bus.publish("still.taken", { machineId });
    return still;
  }

  #logFailure(machineId: string, err: unknown): undefined {
    const { clock, log } = this.#deps;
    const isFirst = clock.now() - this.#failedAt > FAILED_APART_MS;
    this.#failedAt = clock.now();
    if (isFirst) log.error({ err, machineId }, "stills cannot be kept, the lobby goes on with older ones");
  }

  /** A player opens a lobby: the first one in a while requests stills at once. */
  lobbyOpened(): void {
    this.#look();
    const { bus, clock, config } = this.#deps;
    if (clock.now() - this.#announcedAt < TELL_EVERY_MS) return;
    this.#announcedAt = clock.now();
    bus.publish("lobby.open", { nodeId: config.play.NODE_ID });
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #look(): void {
    const quiet = !this.#isWanted();
    this.#lobbySeenAt = this.#deps.clock.now();
    if (quiet) this.#round();
  }

  #isWanted(): boolean {
    return this.#deps.clock.now() - this.#lobbySeenAt < LOBBY_OPEN_MS;
  }

  #round(): void {
    if (!this.#isWanted()) return;
    for (const machineId of this.#links.machineIds()) this.#take(machineId);
  }

  #take(machineId: string): void {
    if (this.#taking.has(machineId)) return;
    // The agent answers once it has put the still, perhaps to another node.
    const taking = this.#links.request("still.take", { machineId }).finally(() => this.#taking.delete(machineId));
    this.#taking.set(machineId, taking);
  }

  /** A still that the node with the machine's link is taking; undefined: none is being taken, no lobby is open, or the kept one is new enough. */
  async #takenElsewhere(machineId: string, isOld: boolean): Promise<{ readonly taken: Promise<void> } | undefined> {
    if (!isOld || !this.#isWanted() || !(await this.#links.isElsewhere(machineId))) return undefined;
    const { promise: taken, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(machineId) ?? new Set();
    this.#waiting.set(machineId, waiting);
    const over = (): void => {
      stop();
      waiting.delete(over);
      if (waiting.size === 0) this.#waiting.delete(machineId);
      resolve();
    };
    const stop = this.#deps.clock.after(WAIT_MS, over);
    waiting.add(over);
    return { taken };
  }
}

export type KeptStill = { readonly tag: string; readonly webp: Buffer };
/** `ageMs`: since it was put, by the database's clock. */
export type StoredStill = KeptStill & { readonly ageMs: number };

/** The machines' newest stills, as all nodes have them. */
export interface StillStore {
  put(machineId: string, webp: Buffer): Promise<KeptStill>;
  /** Undefined: there is none, or only one of long ago. */
  read(machineId: string): Promise<StoredStill | undefined>;
}

/** Older stills show a machine that may look quite different by now. */
const AGE_MAX = sql`interval '1 day'`;

/** The tag in addresses while the first still is being taken. */
export const FIRST_STILL = "first";

/** The tag of the newest still of the machine `m` of a query; null: there is none. */
export function stillTag(): RawBuilder<string | null> {
  return sql<
    string | null
  >`(select tag from machine_still t where t.machine_id = m.id and taken_at > clock_timestamp() - ${AGE_MAX})`;
}

/** When it was put. */
export function stillAt(): RawBuilder<Date | null> {
  return sql<Date | null>`(select taken_at from machine_still t where t.machine_id = m.id and taken_at > clock_timestamp() - ${AGE_MAX})`;
}

/** Stills in the database; each node keeps those it has read or taken until they change. */
export function stillStore(playDb: PlayDb): StillStore {
  const db = playDb.withTables<NodesTables>();
  const known = new Map<string, KeptStill>();
  return {
    async put(machineId, webp) {
      const tag = createHash("sha256").update(webp).digest("base64url").slice(0, 22);
      const taken_at = databaseNow();
      await db
        .insertInto("machine_still")
        .values({ machine_id: machineId, tag, webp })
        .onConflict((conflict) => conflict.column("machine_id").doUpdateSet({ tag, webp, taken_at }))
        .execute();
      known.set(machineId, { tag, webp });
      return { tag, webp };
    },
    async read(machineId) {
      const kept = known.get(machineId);
      const row = await db
        .selectFrom("machine_still")
        .select([
          "tag",
          sql<number>`(extract(epoch from clock_timestamp() - taken_at) * 1000)::double precision`.as("ageMs"),
          sql<Buffer | null>`case when tag = ${kept?.tag ?? ""} then null else webp end`.as("webp"),
        ])
        .where("machine_id", "=", machineId)
        .where(sql<boolean>`taken_at > clock_timestamp() - ${AGE_MAX}`)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const webp = row.webp ?? kept?.webp;
      if (webp === undefined) return undefined;
      known.set(machineId, { tag: row.tag, webp });
      return { tag: row.tag, webp, ageMs: row.ageMs };
    },
  };
}

/** PUT /agent/machines/{id}/still: an agent puts the still of a machine that its own link carries. */
export function stillRoute(deps: PlayDeps, app: FastifyInstance, links: Links, stills: Stills): void {
  app.register((room, _options, ready) => {
    // Only here a body is raw bytes; a larger one than the contract allows is refused while it comes.
    room.addContentTypeParser(
      "image/webp",
      { parseAs: "buffer", bodyLimit: STILL_BYTES_MAX },
      (_request, body, parsed) => parsed(null, body),
    );
    room.put(
      "/agent/machines/:id/still",
      { bodyLimit: STILL_BYTES_MAX, config: { anyHost: true } },
      async (request, reply) => {
        const agent = await agentOfHeader(deps.db, request.headers.authorization);
        if (!agent) return sendProblem(reply, { name: "auth.signature" });
        const params = z.safeParse(StillParams, request.params);
        if (!params.success) return sendProblem(reply, { name: "request.malformed" });
        if (!(await carries(deps, links, agent.id, params.data.id)))
          return sendProblem(reply, {
            name: "machine.not_available",
            detail: "the still is of no machine of this agent",
          });
        if (!Buffer.isBuffer(request.body) || !isWebp(request.body))
          return sendProblem(reply, { name: "request.malformed", detail: "a still must be WebP by its bytes" });
        const kept = await stills.put(params.data.id, request.body);
        if (kept === undefined)
          return reply.code(503).send({ code: 503, ErrorMessage: "The still could not be kept, take another one" });
        return reply.code(204).header("etag", `"${kept.tag}"`).send();
      },
    );
    ready();
  });
}

/** Whether a machine is this agent's, by the link that it has or had last. */
export async function carries({ db }: PlayDeps, links: Links, agentId: string, machineId: string): Promise<boolean> {
  const link = links.get(machineId);
  if (link) return link.agentId === agentId;
  const row = await db
    .selectFrom("agent_link")
    .select("agent_id")
    .where("machine_id", "=", machineId)
    .executeTakeFirst();
  return row?.agent_id === agentId;
}
