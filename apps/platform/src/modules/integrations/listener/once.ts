import { createHash } from "node:crypto";
import { INTEGRATION_ANSWER_DAYS } from "@longarm/contract/integration";
import { runTransaction } from "@longarm/database/run-transaction";
import type { Kysely, Transaction } from "kysely";
import { sql } from "kysely";

/** What is answered: a status, and the body as text. */
export type Answered = { readonly status: number; readonly text: string };
type Once = Answered | "otherRequest" | "inProgress";

export type OnceRequest = {
  readonly integrationId: string;
  readonly key: string;
  readonly method: string;
  readonly url: string;
  readonly body: Buffer;
  /** Its answer is not kept: a repeat is done anew. */
  readonly isFresh: boolean;
};

const sha256Of = ({ method, url, body }: OnceRequest): Buffer =>
  createHash("sha256").update(`${method} ${url}\n`).update(body).digest();

/**
 * Does the work of a request once for its key: work and answer are one transaction, so that neither is there without the other, whatever dies. A repeat
 * gets the stored answer, of a refusal too. `work` answers a refusal after it has taken its own changes back.
 */
export async function once(
  db: Kysely<unknown>,
  request: OnceRequest,
  work: (trx: Transaction<unknown>) => Promise<Answered>,
): Promise<{ readonly answer: Once; readonly isRepeat: boolean }> {
  const { integrationId, key, isFresh } = request;
  const sha256 = sha256Of(request);
  return await runTransaction(db, async (trx) => {
    const { rows: locks } = await sql<{ free: boolean }>`select pg_try_advisory_xact_lock(
      hashtextextended(${`integration/${integrationId}/${key}`}, 0)) as free`.execute(trx);
    if (locks[0]?.free !== true) return { answer: "inProgress" as const, isRepeat: false };
    if (isFresh) return { answer: await work(trx), isRepeat: false };
    const { rows } = await sql<{ sha256: Buffer; status: number; answer: string }>`
      select request_sha256 as sha256, status, answer from integration_answer
      where integration_id = ${integrationId} and key = ${key}`.execute(trx);
    const [known] = rows;
    if (known !== undefined && !known.sha256.equals(sha256))
      return { answer: "otherRequest" as const, isRepeat: false };
    if (known !== undefined) return { answer: { status: known.status, text: known.answer }, isRepeat: true };
    const answer = await work(trx);
    await sql`insert into integration_answer (integration_id, key, request_sha256, status, answer)
      values (${integrationId}, ${key}, ${sha256}, ${answer.status}, ${answer.text})`.execute(trx);
    return { answer, isRepeat: false };
  });
}

/** Forgets answers that no repeat is promised any more. */
export async function forgetAnswers(db: Kysely<unknown>): Promise<void> {
  await sql`delete from integration_answer
    where answered_at < clock_timestamp() - make_interval(days => ${INTEGRATION_ANSWER_DAYS}::int)`.execute(db);
}
