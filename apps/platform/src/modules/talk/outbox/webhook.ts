import { runTransaction } from "@longarm/database/run-transaction";
import { signatureOf } from "@longarm/link/standard-webhooks";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Clock } from "../../../clock.ts";
import { post } from "./post.ts";
import type { Send } from "./worker.ts";

/** The one receiver that the server's configuration names. */
const WEBHOOK_TARGET = "operator";

type WebhookConfig = {
  /** Where facts go: exactly there. */
  readonly url: string;
  /** `whsec_…`; the first is the newest. Each signs, so that a receiver can change its own in peace. */
  readonly secrets: readonly string[];
};

/** Sends facts to the configured address, signed as Standard Webhooks wants it. */
export function webhookSender(config: WebhookConfig, clock: Pick<Clock, "now">, version: string): Send {
  return async ({ target, fact }, signal) => {
    // A row of an endpoint that is configured no more.
    if (target !== WEBHOOK_TARGET) return { is: "dead", answer: "no such endpoint is configured" };
    const { id, seq, type, subject, data, madeAt } = fact;
    const body = JSON.stringify({ type, timestamp: madeAt.toISOString(), seq, subject, data });
    const timestampS = Math.floor(clock.now() / 1_000);
    const headers = {
      "content-type": "application/json",
      "user-agent": `Longarm/${version}`,
      "webhook-id": id,
      "webhook-timestamp": String(timestampS),
      "webhook-signature": signatureOf(config.secrets, id, timestampS, body),
    };
    return await post(config.url, { headers, body, signal }, { gone: [410] });
  };
}

/**
 * Makes the rows of endpoints what the configuration says: facts are kept for the endpoint from now on, or no more. `games`: each game is a fact too,
 * from those that end after the first start with it.
 */
export async function configureWebhook(db: Kysely<unknown>, wanted: { readonly games: boolean } | null): Promise<void> {
  const games = wanted?.games ?? false;
  await runTransaction(db, async (trx) => {
    await sql`insert into webhook_target (name, active) values (${WEBHOOK_TARGET}, false) on conflict (name) do nothing`.execute(
      trx,
    );
    const { rows } = await sql<{
      games: boolean;
    }>`select games from webhook_target where name = ${WEBHOOK_TARGET} for update`.execute(trx);
    if (games && rows[0]?.games !== true) await sql`select report_games_from_now()`.execute(trx);
    await sql`update webhook_target set active = ${wanted !== null}, games = ${games} where name = ${WEBHOOK_TARGET}`.execute(
      trx,
    );
  });
}
