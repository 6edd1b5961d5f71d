import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { DeliveryState } from "./write-fact.ts";

type DeliveryRow = {
  readonly id: string;
  readonly channel: "webhook" | "mail";
  readonly type: string;
  readonly subject: string;
  readonly fact: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly madeAt: Date;
  readonly triedAt: Date | null;
  readonly dueAt: Date;
  /** When it arrived, was given up or was dropped; null: it waits. */
  readonly endedAt: Date | null;
  readonly lastAnswer: string | null;
};

const columns = sql`d.id::text as id, d.channel, f.type, f.subject, f.id as fact, d.state, d.attempts, f.made_at as "madeAt",
  d.tried_at as "triedAt", d.due_at as "dueAt", d.ended_at as "endedAt", d.last_answer as "lastAnswer"`;

/** Deliveries of webhooks and e-mail, newest first. */
export async function listDeliveries(
  db: Kysely<unknown>,
  {
    state,
    after,
    limit,
  }: { readonly state: DeliveryState | "all"; readonly after: number | null; readonly limit: number },
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`select ${columns}
    from outbox_delivery d join outbox_fact f on f.seq = d.fact_seq
    where d.channel in ('webhook', 'mail') and (${state} = 'all' or d.state = ${state}) and (${after}::bigint is null or d.id < ${after}::bigint)
    order by d.id desc limit ${limit}`.execute(db);
  return rows;
}

type DeliveryWhole = DeliveryRow & {
  readonly seq: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** Tries that failed, the oldest first; without an answer a person sent it again. */
  readonly failures: readonly { readonly at: string; readonly answer: string | null }[];
  /** Newer reports about the same subject that have arrived already. */
  readonly overtakenBy: number;
};

/** One delivery with its report and its failed tries. */
export async function findDelivery(db: Kysely<unknown>, id: number): Promise<DeliveryWhole | undefined> {
  const { rows } = await sql<DeliveryWhole>`select ${columns}, f.seq, f.data, d.failures,
      (select count(*)::int from outbox_fact n join outbox_delivery e on e.fact_seq = n.seq and e.channel = d.channel and e.target = d.target
        where n.subject = f.subject and n.seq > f.seq and e.state = 'done') as "overtakenBy"
    from outbox_delivery d join outbox_fact f on f.seq = d.fact_seq where d.id = ${id} and d.channel in ('webhook', 'mail')`.execute(
    db,
  );
  return rows[0];
}

/** How many deliveries of webhooks and e-mail wait, and how many were given up; since when the oldest of these. */
export async function deliveryCounts(
  db: Kysely<unknown>,
): Promise<{ readonly waiting: number; readonly dead: number; readonly deadSince: Date | null }> {
  const { rows } = await sql<{ waiting: number; dead: number; deadSince: Date | null }>`
    select count(*) filter (where state = 'waiting')::int as waiting, count(*) filter (where state = 'dead')::int as dead,
      min(ended_at) filter (where state = 'dead') as "deadSince"
    from outbox_delivery where channel in ('webhook', 'mail') and state in ('waiting', 'dead')`.execute(db);
  return rows[0] ?? { waiting: 0, dead: 0, deadSince: null };
}

const again = sql`state = 'waiting', attempts = 0, due_at = clock_timestamp(), ended_at = null, lease = null,
  failures = outbox_failed(failures, null)`;

/** Sends a dead delivery again, from its first try. @returns whether it was dead. */
export async function resend(db: Kysely<unknown>, id: number): Promise<boolean> {
  const { rows } = await sql`update outbox_delivery set ${again}
    where id = ${id} and state = 'dead' and channel in ('webhook', 'mail') returning id`.execute(db);
  return rows.length > 0;
}

/** Deliveries that one act sends again at most: more of them would keep the outbox from others for long. */
const RESENT_AT_ONCE = 10_000;

/** Sends dead deliveries again, the oldest first. @returns how many, and how many are left. */
export async function resendDead(
  db: Kysely<unknown>,
  limit = RESENT_AT_ONCE,
): Promise<{ readonly sent: number; readonly left: number }> {
  const { numAffectedRows = 0n } = await sql`update outbox_delivery set ${again} where id in (
    select id from outbox_delivery where state = 'dead' and channel in ('webhook', 'mail') order by id limit ${limit} for update)`.execute(
    db,
  );
  return { sent: Number(numAffectedRows), left: (await deliveryCounts(db)).dead };
}

/** Gives a dead delivery up for good. @returns whether it was dead. */
export async function dropDelivery(db: Kysely<unknown>, id: number): Promise<boolean> {
  const { rows } = await sql`update outbox_delivery set state = 'dropped'
    where id = ${id} and state = 'dead' and channel in ('webhook', 'mail') returning id`.execute(db);
  return rows.length > 0;
}

/** Texts that change with the facts and with these deliveries: a page reads again what has another mark. */
export async function outboxMarks(
  db: Kysely<unknown>,
): Promise<{ readonly facts: string; readonly deliveries: string }> {
  const { rows } = await sql<{ facts: string; deliveries: string }>`
    select (select coalesce(max(seq), 0)::text from outbox_fact where type <> 'game.ended') as facts,
      (select concat_ws(' ', count(*) filter (where state = 'waiting'), count(*) filter (where state = 'dead'), max(id), max(tried_at), max(ended_at))
        from outbox_delivery where channel in ('webhook', 'mail') and state in ('waiting', 'dead')) as deliveries`.execute(
    db,
  );
  return rows[0] ?? { facts: "", deliveries: "" };
}

type RecentFact = {
  readonly seq: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly madeAt: Date;
};

/** The newest facts of these types within the last day, newest first; games are none of them. */
export async function recentFacts(
  db: Kysely<unknown>,
  types: readonly string[],
  limit: number,
): Promise<readonly RecentFact[]> {
  const { rows } = await sql<RecentFact>`select seq, type, data, made_at as "madeAt" from outbox_fact
    where type = any(${[...types]}::text[]) and type <> 'game.ended' and made_at > clock_timestamp() - interval '1 day' order by seq desc limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** The number of the newest fact that is no game; 0: there is none. */
export async function newestFact(db: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{
    seq: number;
  }>`select coalesce(max(seq), 0) as seq from outbox_fact where type <> 'game.ended'`.execute(db);
  return rows[0]?.seq ?? 0;
}
