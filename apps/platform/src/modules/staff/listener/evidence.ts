import { Readable } from "node:stream";
import type { StaffCall } from "@longarm/contract/staff-call";
import { STAFF_BASE } from "@longarm/contract/staff-call";
import { EVIDENCE_PATH, FINGERPRINT_HEADER } from "@longarm/contract/staff-disputes";
import type { FastifyInstance } from "fastify";
import * as z from "zod/mini";
import { openAudit } from "../../records/audit/index.ts";
import type { Clips } from "../../records/clips/index.ts";
import { makeEvidence, noteExport } from "../../records/evidence/index.ts";
import { actorOf, Refused } from "../sign-in/index.ts";
import type { ActsDeps } from "./desk.ts";
import { idIn } from "./floor.ts";
import type { GuardDeps } from "./guard.ts";
import { guardOf } from "./guard.ts";
import { callerOf } from "./routes.ts";

const EVIDENCE = {
  method: "GET",
  path: EVIDENCE_PATH,
  answer: z.unknown(),
  for: "dispute.see",
} as const satisfies StaffCall;

/** GET disputes/{id}/evidence: the export of a question, streamed. Entries of the audit log about the question are in it with their permission alone. */
export function evidenceRoute(
  app: FastifyInstance,
  guard: GuardDeps,
  { db, source, node }: Pick<ActsDeps, "db" | "source" | "node">,
  clips: Clips,
): void {
  const url = STAFF_BASE + EVIDENCE.path.replace("{id}", ":id");
  app.get(url, { onRequest: guardOf(guard, EVIDENCE), exposeHeadRoute: false }, async (request, reply) => {
    const id = idIn(request.params as Record<string, string>, "question");
    const caller = callerOf(request);
    const found = await makeEvidence({ db: source, clips }, id, caller.permissions.has("audit.see"));
    if (found === undefined) throw new Refused("thing.unknown", { kind: "question" });
    if (found === "tooLarge")
      throw new Refused("act.refused", { sentence: "The recording is too long to be exported." });
    const { name, bytes, fingerprint, parts } = found;
    const { staffId } = caller;
    await noteExport({ db: source, clips, audit: openAudit(db, node) }, found, { actor: actorOf(caller), staffId });
    return await reply
      .headers({ "cache-control": "private, no-store", "content-length": bytes, [FINGERPRINT_HEADER]: fingerprint })
      .header("content-disposition", `attachment; filename="${name}"`)
      .type("application/zip")
      .send(Readable.from(parts()));
  });
}
