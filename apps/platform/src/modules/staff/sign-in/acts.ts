import { canonicalJson } from "@longarm/contract/canonical-json";
import type { PasskeyAssertion } from "@longarm/contract/passkeys";
import type { StaffCall } from "@longarm/contract/staff-call";
import { runTransaction } from "@longarm/database/run-transaction";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import type { Log } from "../../../log.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { RelyingParty } from "../../../webauthn.ts";
import { openAudit } from "../../records/audit/index.ts";
import type { StaffDb, StaffTransaction } from "../accounts/index.ts";
import { sha256 } from "../accounts/index.ts";
import { askPasskey, checkPasskey, passkeysOf, takeCeremony } from "./passkeys.ts";
import { Refused } from "./refusal.ts";
import type { StaffCaller } from "./sign-ins.ts";
import { actorOf } from "./sign-ins.ts";

/** What every act carries beside its own fields (`actBody` of the contract). */
export type ActBody = {
  readonly id: string;
  readonly dryRun?: boolean | undefined;
  readonly stepUp?: string | undefined;
  /** Why, where the act has such a field. */
  readonly reason?: string | undefined;
  readonly note?: string | undefined;
};

/** One act that somebody sends: what exactly, and as whom. */
export type Act<Body extends ActBody = ActBody> = {
  readonly name: string;
  readonly call: StaffCall;
  readonly caller: StaffCaller;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Body;
};

/**
 * What exactly an act is: its call, what it is about and its whole body, without the step-up that confirms it and without personal data: the hash is
 * in the audit log for ever, and a birth date is found from a hash by trying all days.
 */
export function contentOf(
  name: string,
  params: object,
  { stepUp: _, ...body }: object & { stepUp?: unknown },
  { personal = [] }: Pick<StaffCall, "personal"> = {},
): string {
  const kept = Object.fromEntries(Object.entries(body).filter(([field]) => !personal.includes(field)));
  return sha256(canonicalJson({ name, params, body: kept }));
}

export type ActDeps = {
  readonly db: StaffDb;
  readonly node: string;
  readonly random: Random;
  readonly log: Log;
  readonly rp: () => RelyingParty;
};

const STEP_UP_MS = 120_000;

/** A passkey's word for one act with one content. */
export function createStepUps({ db, random, rp }: ActDeps) {
  return {
    async ask({ staffId, signIn }: StaffCaller, content: string) {
      if ((await passkeysOf(db, staffId)).length === 0) throw new Refused("stepUp.noPasskey");
      return await askPasskey(db, { random, rp: rp() }, { purpose: "stepUp", staffId, signInId: signIn.id, content });
    },
    async confirm(
      { staffId, signIn }: StaffCaller,
      { ceremony, response }: { ceremony: string; response: PasskeyAssertion },
    ) {
      const begun = await takeCeremony(db, { id: ceremony, purpose: "stepUp", signInId: signIn.id });
      const right = begun?.challenge && (await checkPasskey(db, rp(), begun.challenge, response, staffId));
      if (!right || begun.content === null) throw new Refused("ceremony.invalid");
      const row = await db
        .insertInto("staff_step_up")
        .values({
          id: newId(random, "su"),
          sign_in_id: signIn.id,
          content: begun.content,
          expires_at: databaseIn(STEP_UP_MS),
          used_at: null,
        })
        .returning(["id", "expires_at"])
        .executeTakeFirstOrThrow();
      return { stepUp: row.id, expiresAt: row.expires_at.toISOString() };
    },
  };
}

/** Uses the step-up of this act, in the act's transaction. @throws Refused. */
export async function spendStepUp(
  trx: StaffTransaction,
  { signIn }: StaffCaller,
  stepUp: string | undefined,
  content: string,
): Promise<void> {
  const used =
    stepUp !== undefined &&
    (await trx
      .updateTable("staff_step_up")
      .set({ used_at: databaseNow() })
      .where("id", "=", stepUp)
      .where("sign_in_id", "=", signIn.id)
      .where("content", "=", content)
      .where("used_at", "is", null)
      .where("expires_at", ">", databaseNow())
      .executeTakeFirstOrThrow());
  if (!used || used.numUpdatedRows === 0n) throw new Refused("stepUp.needed");
}

class DryRun extends Error {
  readonly result: object;
  constructor(result: object) {
    super("dry run");
    this.result = result;
  }
}

export type ActOutcome<Result> =
  | { readonly is: "done"; readonly result: Result; readonly repeated: boolean }
  | { readonly is: "dryRun"; readonly result: Result; readonly needsApproval: boolean }
  | ({ readonly is: "waiting" } & Waits["waits"]);

/**
 * What is done once the act is committed: the running platform carries it out, pages are notified. What throws Refused takes the act back: nothing was
 * done, and its id is free again. Any other failure is logged, and the act stays done.
 */
export type After = (() => Promise<unknown>)[];

/** In place of a result: nothing was done, a second person must sign. */
export type Waits = {
  readonly waits: { readonly approval: string; readonly expiresAt: string };
  /** What a dry run answers in place of it. */
  readonly would?: object;
};

const waitsIn = (result: object): result is Waits => "waits" in result;

/**
 * Does an act in one transaction that the audit log attributes to its person: once for its id, with its step-up, whole or not at all. A dry run does the
 * same and is rolled back; it needs no step-up. `secret`: the result is shown once and not kept, so a repeat is refused, and a dry run too, but where
 * `hide` makes of the result what a dry run may answer.
 * @throws Refused.
 */
export async function doAct<Result extends object, Body extends ActBody>(
  { db, node, log }: Pick<ActDeps, "db" | "node"> & { readonly log: Pick<Log, "error"> },
  { name, call, caller, params, body }: Act<Body>,
  work: (trx: StaffTransaction, after: After) => Promise<Result | Waits>,
  { secret = false, hide }: { readonly secret?: boolean; readonly hide?: (result: Result) => Result } = {},
): Promise<ActOutcome<Result>> {
  const isDry = body.dryRun === true;
  // A dry run is rolled back with its audit entry: what is shown once must not be shown without one.
  if (isDry && secret && hide === undefined) throw new Refused("request.invalid", { where: "dryRun" });
  const content = contentOf(name, params, body, call);
  let after: After = [];
  try {
    const outcome = await runTransaction(db, async (trx) => {
      after = [];
      await openAudit(trx, node).actAs(actorOf(caller));
      const taken = await trx
        .insertInto("staff_act")
        .values({
          id: body.id,
          staff_id: caller.staffId,
          call: name,
          content,
          answer: null,
          reason: body.reason ?? body.note ?? null,
          about: Object.keys(params).length === 0 ? null : JSON.stringify(params),
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (taken.numInsertedOrUpdatedRows !== 1n) return await repeated<Result>(trx, caller, body.id, content);
      if (call.stepUp === true && !isDry) await spendStepUp(trx, caller, body.stepUp, content);
      const result = await work(trx, after);
      if (isDry) throw new DryRun(hide === undefined || waitsIn(result) ? result : hide(result));
      if (!secret)
        await trx
          .updateTable("staff_act")
          .set({ answer: JSON.stringify(waitsIn(result) ? { waits: result.waits } : result) })
          .where("id", "=", body.id)
          .execute();
      return outcomeOf(result, false);
    });
    for (const run of after)
      await run().catch(async (error: unknown) => {
        if (!(error instanceof Refused)) return log.error({ err: error, act: body.id }, "what follows an act failed");
        await db.deleteFrom("staff_act").where("id", "=", body.id).execute();
        throw error;
      });
    return outcome;
  } catch (error) {
    if (error instanceof DryRun) return dryOutcome<Result>(error.result);
    throw error;
  }
}

function outcomeOf<Result extends object>(result: Result | Waits, repeated: boolean): ActOutcome<Result> {
  return waitsIn(result) ? { is: "waiting", ...result.waits } : { is: "done", result, repeated };
}

function dryOutcome<Result extends object>(result: object): ActOutcome<Result> {
  const needsApproval = waitsIn(result);
  return { is: "dryRun", result: (needsApproval ? (result.would ?? {}) : result) as Result, needsApproval };
}

async function repeated<Result extends object>(
  trx: StaffTransaction,
  caller: StaffCaller,
  id: string,
  content: string,
) {
  const before = await trx.selectFrom("staff_act").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  if (before.staff_id !== caller.staffId || before.content !== content) throw new Refused("act.idUsed");
  if (before.answer === null) throw new Refused("act.refused", { sentence: "It is done: its secret was shown once." });
  return outcomeOf(before.answer as Result, true);
}
