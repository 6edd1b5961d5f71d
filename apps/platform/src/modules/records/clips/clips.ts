import type { ClipGap, ClipPart, ClipSegment } from "@longarm/contract/recording";
import { CLIP_MS_MAX } from "@longarm/contract/recording";
import type { Database } from "@longarm/database/connection";
import type { FastifyInstance } from "fastify";
import type { Selectable } from "kysely";
import { sql } from "kysely";
import type { Bus } from "../../../bus/index.ts";
import type { Clock } from "../../../clock.ts";
import type { AnyDb } from "../../../deps.ts";
import type { Log } from "../../../log.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import { repeatLook } from "../../../repeat-look.ts";
import type { Anchor } from "./anchors.ts";
import { anchorsOf } from "./anchors.ts";
import type { ClipDoorDeps } from "./door.ts";
import { addClipDoor } from "./door.ts";
import type { AskAgent } from "./fetching.ts";
import { fetchClips, sendHolds } from "./fetching.ts";
import type { ClipStream } from "./stream.ts";
import { streamPart } from "./stream.ts";
import type { ClipDb, ClipReason, ClipState, ClipTables } from "./tables.ts";

const LOOK_MS = 2_000;
/** A clip that no case holds is kept for so long. */
const KEPT = sql`interval '30 days'`;

/** A part of a play session's record. Times are ms since 1970 by the agent's clock, which `skewMs` relates to the platform's. */
export type Clip = {
  readonly id: string;
  readonly machineId: string;
  readonly playSessionId: string;
  /** By the platform's count; null: a clip of a time. */
  readonly gameNumber: number | null;
  readonly fromMs: number;
  readonly toMs: number;
  readonly state: ClipState;
  readonly reason: ClipReason | null;
  readonly segments: readonly ClipSegment[];
  readonly index: ClipPart | null;
  readonly chain: ClipPart | null;
  readonly gaps: readonly ClipGap[];
  /** The agent's clock minus the platform's, and how exactly that is known; null: it was not measured. */
  readonly skewMs: number | null;
  readonly skewWithinMs: number | null;
};

export type ClipWish = {
  readonly machineId: string;
  readonly playSessionId: string;
  readonly gameNumber?: number;
  readonly from: Date;
  readonly to: Date;
};

/** Parts of the records that agents keep, fetched when somebody wants them. */
export interface Clips {
  /** The clip's id; the same wish gives the same one. A clip that was missing is tried again. */
  requestClip(wish: ClipWish): Promise<string>;
  clipOf(id: string): Promise<Clip | undefined>;
  openPart(id: string, name: string): Promise<Buffer | undefined>;
  /** The clip of this very wish; undefined: it was not requested yet, or was removed. */
  findClip(wish: ClipWish): Promise<Clip | undefined>;
  /** The same part piece by piece: no more than one is in memory. */
  streamPart(id: string, name: string): Promise<ClipStream | undefined>;
  /** A member of staff reads the clip: the audit log says so, once for each clip, person and hour. */
  noteReading(id: string, staffId: string): Promise<void>;
  /** A case holds the clip, and all of the session at its agent, from being removed. */
  lock(id: string, caseId: string): Promise<void>;
  unlock(id: string, caseId: string): Promise<void>;
  /** Removes a clip, unless it was wanted again after `since`, was read, or is or was held. */
  forget(id: string, since: Date): Promise<void>;
  anchorsOf(machineId: string, playSessionId: string): Promise<Anchor[]>;
  start(): void;
  /** Requests now from agents what is due. */
  look(): Promise<number>;
  close(): Promise<void>;
}

/** Reads clips that are here already, where nothing is fetched. */
export type ClipReads = Pick<Clips, "findClip" | "openPart" | "noteReading">;

/** Reads clips of that database. */
export function clipReads(any: AnyDb): ClipReads {
  const db = any.withTables<ClipTables>();
  return {
    findClip: (wish) => findClip(db, wish),
    async openPart(id, name) {
      const part = db.selectFrom("clip_part").select("bytes").where("clip_id", "=", id).where("name", "=", name);
      return (await part.executeTakeFirst())?.bytes;
    },
    async noteReading(clip_id, staff_id) {
      await sql`insert into clip_reading (clip_id, staff_id) values (${clip_id}, ${staff_id}) on conflict do nothing`.execute(
        db,
      );
    },
  };
}

export type ClipsDeps = Pick<ClipDoorDeps, "agentOf" | "carries" | "node"> & {
  readonly db: Database<unknown>["kysely"];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly bus: Bus;
  readonly ask: AskAgent;
};

export function createClips(deps: ClipsDeps, app: FastifyInstance): Clips {
  const { bus, clock, log, random, ask } = deps;
  const db: ClipDb = deps.db.withTables<ClipTables>();
  const changed = (clipId: string): void => bus.publish("clip.changed", { clipId });
  addClipDoor(app, { ...deps, db, changed });
  const looks = repeatLook({ clock, log, everyMs: LOOK_MS, failed: "clips could not be fetched" }, async () => {
    const parts = { db, clock, ask, changed };
    const done = (await fetchClips(parts)) + (await sendHolds(parts));
    await removeOld(db);
    return done;
  });

  async function hold(id: string, change: (trx: ClipDb) => Promise<unknown>): Promise<void> {
    await db.transaction().execute(async (trx) => {
      await trx.selectFrom("clip").select("id").where("id", "=", id).forUpdate().executeTakeFirstOrThrow();
      await change(trx);
      const held = (await trx.selectFrom("clip_hold").select("case_id").where("clip_id", "=", id).execute()).length > 0;
      await trx
        .insertInto("clip_hold_change")
        .values({ clip_id: id, held })
        .onConflict((conflict) => conflict.column("clip_id").doUpdateSet({ held }))
        .execute();
    });
  }

  return {
    requestClip: (wish) => requestClip(db, random, wish),
    async clipOf(id) {
      const row = await db.selectFrom("clip").selectAll().where("id", "=", id).executeTakeFirst();
      return row && clipIn(row);
    },
    ...clipReads(db),
    streamPart: (id, name) => streamPart(db, id, name),
    lock: (id, caseId) =>
      hold(id, (trx) =>
        trx
          .insertInto("clip_hold")
          .values({ clip_id: id, case_id: caseId })
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      ),
    unlock: (id, caseId) =>
      hold(id, (trx) => trx.deleteFrom("clip_hold").where("clip_id", "=", id).where("case_id", "=", caseId).execute()),
    async forget(id, since) {
      const isFree = sql`id not in (select clip_id from clip_hold) and id not in (select clip_id from clip_hold_change) and id not in (select clip_id from clip_reading)`;
      await sql`delete from clip where id = ${id} and date_trunc('milliseconds', wanted_at) <= ${since} and ${isFree}`.execute(
        db,
      );
    },
    anchorsOf: (machineId, playSessionId) => anchorsOf(db, machineId, playSessionId),
    start: looks.start,
    look: looks.look,
    close: looks.close,
  };
}

async function findClip(db: ClipDb, { machineId, playSessionId, from, to }: ClipWish): Promise<Clip | undefined> {
  const row = await db
    .selectFrom("clip")
    .selectAll()
    .where("play_session_id", "=", playSessionId)
    .where("machine_id", "=", machineId)
    .where("from_ms", "=", from.getTime())
    .where("to_ms", "=", to.getTime())
    .executeTakeFirst();
  return row && clipIn(row);
}

function clipIn(row: Selectable<ClipTables["clip"]>): Clip {
  const { segments = [], index = null, chain = null, gaps = [] } = row.manifest ?? {};
  return {
    ...{ id: row.id, machineId: row.machine_id, playSessionId: row.play_session_id },
    gameNumber: row.game_number === null ? null : Number(row.game_number),
    ...{ fromMs: row.from_ms, toMs: row.to_ms, state: row.state, reason: row.reason },
    ...{ segments, index, chain, gaps, skewMs: row.skew_ms, skewWithinMs: row.skew_within_ms },
  };
}

async function requestClip(
  db: ClipDb,
  random: Random,
  { machineId, playSessionId, gameNumber, from, to }: ClipWish,
): Promise<string> {
  const [from_ms, to_ms] = [from.getTime(), to.getTime()];
  if (to_ms < from_ms || to_ms - from_ms > CLIP_MS_MAX) throw new Error("A clip has at most half an hour.");
  const { id } = await db
    .insertInto("clip")
    .values({
      ...{ id: newId(random, "cl"), machine_id: machineId, play_session_id: playSessionId, from_ms, to_ms },
      game_number: gameNumber ?? null,
    })
    .onConflict((conflict) =>
      conflict.columns(["play_session_id", "machine_id", "from_ms", "to_ms"]).doUpdateSet({
        ...{ wanted_at: sql`clock_timestamp()`, next_at: sql`clock_timestamp()` },
        tries: sql`case when clip.state = 'missing' then 0 else clip.tries end`,
        reason: sql`case when clip.state = 'missing' then null else clip.reason end`,
        state: sql`case when clip.state = 'missing' then 'wanted' else clip.state end`,
      }),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** Clips that were not wanted for long, and that no case holds. */
async function removeOld(db: ClipDb): Promise<void> {
  await db
    .deleteFrom("clip")
    .where("wanted_at", "<", sql<Date>`clock_timestamp() - ${KEPT}`)
    .where("id", "not in", (from) => from.selectFrom("clip_hold").select("clip_id"))
    .where("id", "not in", (from) => from.selectFrom("clip_hold_change").select("clip_id"))
    .execute();
}
