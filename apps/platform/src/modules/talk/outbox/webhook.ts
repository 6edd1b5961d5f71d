import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Clock } from "../../../clock.ts";
import { signatureOf } from "../../../standard-webhooks.ts";
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

/** Makes the rows of endpoints what the configuration says: facts are kept for the endpoint from now on, or no more. */
export async function configureWebhook(db: Kysely<unknown>, isConfigured: boolean): Promise<void> {
  if (isConfigured)
    await sql`insert into webhook_target (name) values (${WEBHOOK_TARGET}) on conflict (name) do update set active = true`.execute(
      db,
    );
  else await sql`update webhook_target set active = false where name = ${WEBHOOK_TARGET}`.execute(db);
}
