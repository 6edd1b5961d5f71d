import { createHash } from "node:crypto";
import { RecordAnchor } from "@longarm/contract/recording";
import * as z from "zod/mini";
import type { AnyDb } from "../../../deps.ts";
import { openAudit } from "../audit/index.ts";
import type { ClipTables } from "./tables.ts";

/** The newest sealed line of a session's index, as its agent reported it. */
export type Anchor = { readonly links: number; readonly head: string; readonly at: Date };

/** Writes down how far the record of a play session has come, in the audit log too. A repeat writes nothing; another head of the same line is kept out. */
export async function noteAnchor(
  db: AnyDb,
  from: { readonly nodeId: string; readonly agentId: string },
  { machineId, playSessionId, links, head }: z.infer<typeof RecordAnchor>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const added = await trx
      .withTables<ClipTables>()
      .insertInto("record_anchor")
      .values({ machine_id: machineId, play_session_id: playSessionId, links, head, agent_id: from.agentId })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (added.numInsertedOrUpdatedRows !== 1n) return;
    await openAudit(trx, from.nodeId).write({
      type: "recording.anchored",
      actor: `agent:${from.agentId}`,
      subject: `session:${playSessionId}`,
      facts: { machineId, links, head },
    });
  });
}

const Sealed = z.object({ t: z.literal("sealed"), link: RecordAnchor.shape.links });

/** The newest sealed line of a chain. Undefined: it ends with none. */
export function newestLink(chain: Buffer): Pick<Anchor, "links" | "head"> | undefined {
  const line = chain.subarray(chain.lastIndexOf("\n", -2) + 1, -1);
  try {
    const { link } = z.parse(Sealed, JSON.parse(line.toString("utf8")));
    return { links: link, head: createHash("sha256").update(line).digest("hex") };
  } catch {
    return undefined;
  }
}

/** Every anchor of a session, the oldest first. */
export async function anchorsOf(db: AnyDb, machineId: string, playSessionId: string): Promise<Anchor[]> {
  return await db
    .withTables<ClipTables>()
    .selectFrom("record_anchor")
    .select(["links", "head", "noted_at as at"])
    .where("play_session_id", "=", playSessionId)
    .where("machine_id", "=", machineId)
    .orderBy("links")
    .execute();
}
