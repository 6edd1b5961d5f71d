import { canonicalJson } from "@longarm/contract/canonical-json";
import type { ApprovalKind, Permission } from "@longarm/contract/staff-rights";
import { APPROVAL_KINDS } from "@longarm/contract/staff-rights";
import type { Selectable } from "kysely";
import { sql } from "kysely";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { Evidence, StaffDb, StaffTables, StaffTransaction } from "../accounts/index.ts";
import { rightsOf, sha256 } from "../accounts/index.ts";
import type { After, Waits } from "./acts.ts";
import { Refused } from "./refusal.ts";
import type { StaffCaller } from "./sign-ins.ts";

/** How long an approval may wait, ms. */
export const APPROVAL_MS = 900_000;

export type ApprovalRequest = {
  readonly kind: ApprovalKind;
  readonly subject: string;
  readonly amount?: number;
  readonly reason: string;
  /** What exactly would be done. */
  readonly content: Readonly<Record<string, unknown>>;
  /** What the second person sees beside it, as it is now. */
  readonly evidence?: readonly Evidence[];
  /** What a dry run answers. */
  readonly would?: object;
};

/** Both people of an approval, and what is done after the commit of the signature. */
export type Signed = {
  readonly id: string;
  readonly requestedBy: string;
  readonly signedBy: string;
  readonly reason: string;
  readonly after: After;
};

/** Does what was requested, in the transaction of the signature. @throws Refused `approval.changed`: what it is about is another by now. */
export type Execute = (trx: StaffTransaction, content: Record<string, unknown>, signed: Signed) => Promise<void>;

const hashOf = (content: unknown, evidence: readonly Evidence[]): string =>
  sha256(canonicalJson({ content, evidence }));

/** Writes down what a second person must sign. */
export async function requestApproval(
  trx: StaffTransaction,
  random: Random,
  { staffId, signIn }: StaffCaller,
  { kind, subject, amount, reason, content, evidence = [], would }: ApprovalRequest,
): Promise<Waits> {
  const row = await trx
    .insertInto("approval")
    .values({
      id: newId(random, "ap"),
      kind,
      subject,
      amount: amount ?? null,
      reason,
      content: JSON.stringify(content),
      evidence: JSON.stringify(evidence),
      hash: hashOf(content, evidence),
      requested_by: staffId,
      sign_in_id: signIn.id,
      expires_at: databaseIn(APPROVAL_MS),
      decided_by: null,
      decided_at: null,
      refusal: null,
    })
    .returning(["id", "expires_at"])
    .executeTakeFirstOrThrow();
  const waits = { approval: row.id, expiresAt: row.expires_at.toISOString() };
  return { waits, ...(would !== undefined && { would }) };
}

type Row = Selectable<StaffTables["approval"]>;
export type ShownApproval = Row & {
  readonly over: boolean;
  readonly requestedName: string;
  readonly decidedName: string | null;
};

/** An approval that waits is over when its time is, or when the sign-in that requested it has ended. */
const rows = (db: StaffDb) =>
  db
    .selectFrom("approval as a")
    .innerJoin("staff as r", "r.id", "a.requested_by")
    .innerJoin("staff_sign_in as i", "i.id", "a.sign_in_id")
    .leftJoin("staff as d", "d.id", "a.decided_by")
    .selectAll("a")
    .select(["r.name as requestedName", "d.name as decidedName"])
    .select(
      sql<boolean>`a.state = 'waiting' and (a.expires_at <= clock_timestamp() or i.ended_at is not null or i.expires_at <= clock_timestamp())`.as(
        "over",
      ),
    );

/** The permission to request a kind, where it is another than the one to sign it. */
const REQUESTED_WITH: Partial<Record<ApprovalKind, Permission>> = {
  "discrepancy.explain": "discrepancy.explain",
  "identity.correct": "player.add",
};

/** Whether the caller may sign this kind. */
const signs = (caller: StaffCaller, kind: ApprovalKind): boolean => caller.permissions.has(APPROVAL_KINDS[kind]);
const kindsOf = (caller: StaffCaller): ApprovalKind[] =>
  (Object.keys(APPROVAL_KINDS) as ApprovalKind[]).filter((kind) => signs(caller, kind));

export const maySign = (caller: StaffCaller, { state, over, kind, requested_by }: ShownApproval): boolean =>
  state === "waiting" && !over && requested_by !== caller.staffId && signs(caller, kind);

/** Those that the caller may see, the newest first. */
export async function listApprovals(
  db: StaffDb,
  caller: StaffCaller,
  { which, after, limit }: { which: "forMe" | "mine" | "decided"; after: string | undefined; limit: number },
): Promise<ShownApproval[]> {
  const kinds = kindsOf(caller);
  const seesAll = caller.permissions.has("audit.see");
  return await rows(db)
    .$if(which === "forMe", (query) =>
      query
        .where("a.state", "=", "waiting")
        .where("a.requested_by", "!=", caller.staffId)
        .where("a.kind", "in", kinds.length > 0 ? kinds : ["" as ApprovalKind])
        .where(
          sql<boolean>`a.expires_at > clock_timestamp() and i.ended_at is null and i.expires_at > clock_timestamp()`,
        ),
    )
    .$if(which === "mine", (query) => query.where("a.requested_by", "=", caller.staffId))
    .$if(which === "decided", (query) =>
      query
        .where("a.state", "!=", "waiting")
        .$if(!seesAll, (own) =>
          own.where((row) =>
            row.or([
              row("a.requested_by", "=", caller.staffId),
              row("a.kind", "in", kinds.length > 0 ? kinds : ["" as ApprovalKind]),
            ]),
          ),
        ),
    )
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(a.requested_at, a.id) < (select requested_at, id from approval where id = ${after ?? ""})`,
      ),
    )
    .orderBy("a.requested_at", "desc")
    .orderBy("a.id", "desc")
    .limit(limit)
    .execute();
}

/** Those that wait and are not over, the oldest first. */
export async function listWaiting(db: StaffDb): Promise<ShownApproval[]> {
  return await rows(db)
    .where("a.state", "=", "waiting")
    .where(sql<boolean>`a.expires_at > clock_timestamp() and i.ended_at is null and i.expires_at > clock_timestamp()`)
    .orderBy("a.requested_at")
    .limit(500)
    .execute();
}

/** One that the caller may see. @throws Refused. */
export async function findApproval(db: StaffDb, caller: StaffCaller, id: string): Promise<ShownApproval> {
  const row = await rows(db).where("a.id", "=", id).executeTakeFirst();
  const sees =
    row && (row.requested_by === caller.staffId || signs(caller, row.kind) || caller.permissions.has("audit.see"));
  if (row === undefined || sees !== true) throw new Refused("thing.unknown", { kind: "approval" });
  return row;
}

/** Locks one that waits, so that it is decided once. @throws Refused. */
async function lockWaiting(trx: StaffTransaction, caller: StaffCaller, id: string): Promise<ShownApproval> {
  await trx.selectFrom("approval").select("id").where("id", "=", id).forUpdate().execute();
  const row = await findApproval(trx, caller, id);
  if (row.state !== "waiting" || row.over)
    throw new Refused("approval.over", { state: row.over ? "expired" : row.state });
  return row;
}

/** What waits about a thing is over: it was requested before the thing changed hands. */
export async function withdrawAbout(trx: StaffTransaction, { staffId }: StaffCaller, subject: string): Promise<void> {
  await trx
    .updateTable("approval")
    .set({ state: "withdrawn", decided_by: staffId, decided_at: databaseNow() })
    .where("subject", "=", subject)
    .where("state", "=", "waiting")
    .execute();
}

async function decide(
  trx: StaffTransaction,
  id: string,
  by: string,
  state: Row["state"],
  refusal: string | null = null,
) {
  await trx
    .updateTable("approval")
    .set({ state, decided_by: by, decided_at: databaseNow(), refusal })
    .where("id", "=", id)
    .execute();
}

/** A second person's decision: never the first one's, and only with the permission of its kind. */
async function lockForSecond(trx: StaffTransaction, caller: StaffCaller, id: string): Promise<ShownApproval> {
  const row = await lockWaiting(trx, caller, id);
  if (row.requested_by === caller.staffId) throw new Refused("approval.own");
  const permission = APPROVAL_KINDS[row.kind];
  if (!caller.permissions.has(permission)) throw new Refused("permission.missing", { permission });
  return row;
}

/** Signs exactly what the hash names, and does it. @throws Refused. */
export async function signApproval(
  trx: StaffTransaction,
  caller: StaffCaller,
  { id, hash }: { readonly id: string; readonly hash: string },
  execute: Readonly<Partial<Record<ApprovalKind, Execute>>>,
  after: After,
): Promise<void> {
  const row = await lockForSecond(trx, caller, id);
  if (row.hash !== hash || hashOf(row.content, row.evidence) !== hash) throw new Refused("approval.changed");
  // What was requested needs its requester's right at the signature too.
  if (!(await rightsOf(trx, row.requested_by)).permissions.has(REQUESTED_WITH[row.kind] ?? APPROVAL_KINDS[row.kind]))
    throw new Refused("approval.changed");
  const work = execute[row.kind];
  if (work === undefined) throw new Refused("act.refused", { sentence: "This version cannot do what was requested." });
  await decide(trx, id, caller.staffId, "done");
  const { requested_by: requestedBy, reason } = row;
  await work(trx, row.content, { id, requestedBy, signedBy: caller.staffId, reason, after });
}

export async function refuseApproval(
  trx: StaffTransaction,
  caller: StaffCaller,
  id: string,
  reason: string,
): Promise<void> {
  await lockForSecond(trx, caller, id);
  await decide(trx, id, caller.staffId, "refused", reason);
}

/** The person who requested it takes it back. @throws Refused. */
export async function withdrawApproval(trx: StaffTransaction, caller: StaffCaller, id: string): Promise<void> {
  const row = await lockWaiting(trx, caller, id);
  if (row.requested_by !== caller.staffId) throw new Refused("thing.unknown", { kind: "approval" });
  await decide(trx, id, caller.staffId, "withdrawn");
}
