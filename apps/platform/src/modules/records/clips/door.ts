import { createHash } from "node:crypto";
import { CHAIN_FILE } from "@longarm/contract/evidence/format";
import {
  AGENT_CLIP_PART_PATH,
  AGENT_CLIP_PATH,
  CLIP_PART_BYTES_MAX,
  ClipManifest,
  ClipParams,
  ClipPartParams,
} from "@longarm/contract/recording";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod/mini";
import { sendProblem } from "../../../plugins/problems.ts";
import { newestLink, noteAnchor } from "./anchors.ts";
import type { ClipDb } from "./tables.ts";

const MANIFEST_BYTES_MAX = 1024 * 1024;

export type ClipDoorDeps = {
  readonly db: ClipDb;
  readonly node: string;
  /** The agent of a key; undefined: the key holds for none. */
  readonly agentOf: (header: string | undefined) => Promise<{ readonly id: string } | undefined>;
  /** Whether a machine is this agent's. */
  readonly carries: (agentId: string, machineId: string) => Promise<boolean>;
  readonly changed: (clipId: string) => void;
};

type Requested = FastifyRequest & { clipOf?: Anchored };
type Anchored = { readonly agentId: string; readonly machineId: string; readonly playSessionId: string };

/** The routes that agents put clips to. Key and clip are checked before the body is read. */
export function addClipDoor(app: FastifyInstance, deps: ClipDoorDeps): void {
  const path = (of: string): string => `/${of.replaceAll(/\{(\w+)\}/g, ":$1")}`;
  app.register((room, _options, ready) => {
    room.removeAllContentTypeParsers();
    room.addContentTypeParser(
      ["application/octet-stream", "application/json"],
      { parseAs: "buffer", bodyLimit: CLIP_PART_BYTES_MAX },
      (_request, body, parsed) => parsed(null, body),
    );
    room.addHook("onRequest", (request, reply) => admit(deps, request, reply));
    room.put(
      path(AGENT_CLIP_PART_PATH),
      { bodyLimit: CLIP_PART_BYTES_MAX, config: { anyHost: true } },
      async (request, reply) => {
        const params = z.safeParse(ClipPartParams, request.params);
        if (!params.success || !Buffer.isBuffer(request.body)) return sendProblem(reply, { name: "request.malformed" });
        await putPart(deps.db, params.data, request.body);
        return reply.code(204).send();
      },
    );
    room.put(
      path(AGENT_CLIP_PATH),
      { bodyLimit: MANIFEST_BYTES_MAX, config: { anyHost: true } },
      async (request, reply) => {
        const params = z.safeParse(ClipParams, request.params);
        const manifest = parseManifest(request.body);
        if (!params.success || manifest === undefined) return sendProblem(reply, { name: "request.malformed" });
        const { id } = params.data;
        if (!(await hasParts(deps.db, id, manifest)))
          return sendProblem(reply, {
            name: "request.invalid",
            detail: "a part of the clip is not here as it is named",
          });
        await anchorClip(deps, id, request as Requested);
        await putManifest(deps.db, id, manifest);
        deps.changed(id);
        return reply.code(204).send();
      },
    );
    ready();
  });
}

async function admit({ db, agentOf, carries }: ClipDoorDeps, request: Requested, reply: FastifyReply) {
  const agent = await agentOf(request.headers.authorization);
  if (!agent) return sendProblem(reply, { name: "auth.signature" });
  const params = z.safeParse(ClipParams, request.params);
  if (!params.success) return sendProblem(reply, { name: "request.malformed" });
  const clip = await db
    .selectFrom("clip")
    .select(["machine_id as machineId", "play_session_id as playSessionId"])
    .where("id", "=", params.data.id)
    .executeTakeFirst();
  if (clip === undefined || !(await carries(agent.id, clip.machineId)))
    return sendProblem(reply, { name: "machine.not_available", detail: "the clip is of no machine of this agent" });
  request.clipOf = { agentId: agent.id, ...clip };
  return undefined;
}

function parseManifest(body: unknown): ClipManifest | undefined {
  if (!Buffer.isBuffer(body)) return undefined;
  try {
    const parsed = z.safeParse(ClipManifest, JSON.parse(body.toString("utf8")));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

async function putPart(db: ClipDb, { id, name }: { id: string; name: string }, bytes: Buffer): Promise<void> {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  await db
    .insertInto("clip_part")
    .values({ clip_id: id, name, sha256, bytes })
    .onConflict((conflict) => conflict.columns(["clip_id", "name"]).doUpdateSet({ sha256, bytes }))
    .execute();
}

/** Whether all that a manifest names is here, byte for byte. */
async function hasParts(db: ClipDb, id: string, { segments, index, chain }: ClipManifest): Promise<boolean> {
  const rows = await db.selectFrom("clip_part").select(["name", "sha256"]).where("clip_id", "=", id).execute();
  const sums = new Map(rows.map(({ name, sha256 }) => [name, sha256]));
  return [...segments, index, chain].every((part) => part === null || sums.get(part.name) === part.sha256);
}

/** Has the audit log confirm a clip's own chain: the next anchor of its session may be minutes away, and of more lines than the clip has. */
async function anchorClip({ db, node }: ClipDoorDeps, id: string, { clipOf }: Requested): Promise<void> {
  const part = db.selectFrom("clip_part").select("bytes").where("clip_id", "=", id).where("name", "=", CHAIN_FILE);
  const chain = (await part.executeTakeFirst())?.bytes;
  const newest = chain && newestLink(chain);
  if (newest === undefined || clipOf === undefined) return;
  const { agentId, ...session } = clipOf;
  await noteAnchor(db, { nodeId: node, agentId }, { ...session, ...newest });
}

async function putManifest(db: ClipDb, id: string, manifest: ClipManifest): Promise<void> {
  const isThere = manifest.segments.length > 0;
  await db
    .updateTable("clip")
    .set({
      state: isThere ? "ready" : "missing",
      reason: isThere ? null : "deleted",
      manifest: isThere ? (JSON.stringify(manifest) as never) : null,
    })
    .where("id", "=", id)
    .execute();
}
