import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import { devicesOf } from "./devices.ts";

/** How a fact reaches a receiver. */
export type Channel = "webhook" | "push" | "mail";
export type DeliveryState = "waiting" | "done" | "dead" | "dropped";

/** Something that happened, for receivers outside of the platform: no names, no addresses, amounts in minor units. */
type NewFact = {
  /** What happened to what: `task.opened`. */
  readonly type: string;
  /** What it is about: `task:17`. */
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** False: webhooks do not receive it. */
  readonly isReport?: boolean;
};

/**
 * Writes a fact in the transaction of what it reports; every webhook that is active receives a report, at least once.
 * @returns its sequence number.
 */
export async function writeFact(
  db: AnyDb,
  random: Random,
  { type, subject, data, isReport = true }: NewFact,
): Promise<number> {
  const { rows } = await sql<{ seq: number }>`insert into outbox_fact (id, type, subject, data, is_report)
    values (${newId(random, "evt")}, ${type}, ${subject}, ${JSON.stringify(data)}::jsonb, ${isReport}) returning seq`.execute(
    db,
  );
  const [written] = rows;
  if (written === undefined) throw new Error("a fact that was written has a number");
  return written.seq;
}

/** Games that one look reports at most, and the reports that may be due before no further game is. */
const GAMES_AT_ONCE = 500;
const WAITING_MAX = 1_000;

/** Reports games that were played since, for an endpoint that wants them (record 0256). @returns whether there may be more. */
export async function reportGames(db: AnyDb): Promise<boolean> {
  const { rows } = await sql<{
    past: number;
  }>`select report_games_played(${GAMES_AT_ONCE}::int, ${WAITING_MAX}::int) as past`.execute(db);
  return rows[0]?.past !== 0;
}

/** Sends a fact to these receivers too. */
export async function sendTo(
  db: AnyDb,
  seq: number,
  channel: Exclude<Channel, "webhook">,
  targets: readonly string[],
): Promise<void> {
  await sql`insert into outbox_delivery (fact_seq, channel, target) select ${seq}, ${channel}, unnest(${[...targets]}::text[])
    on conflict do nothing`.execute(db);
}

/** Writes a fact that the devices of a player ring for. `data` may say `until` when it matters (ISO 8601): no device rings later. */
export async function ringPlayer(
  db: AnyDb,
  random: Random,
  { playerId, ...fact }: Omit<NewFact, "data"> & { readonly playerId: string; readonly data: PlayerData },
): Promise<void> {
  const seq = await writeFact(db, random, { ...fact, data: { player: playerId, ...fact.data } });
  await sendTo(db, seq, "push", await devicesOf(db, [playerId]));
}
type PlayerData = NewFact["data"] & { readonly until?: string; readonly machineName?: string | null };

/** What waits for receivers of a channel about a subject is not sent any more. */
export async function dropWaiting(db: AnyDb, channel: Exclude<Channel, "webhook">, subject: string): Promise<void> {
  await sql`update outbox_delivery as d set state = 'dropped', ended_at = clock_timestamp() from outbox_fact f
    where f.seq = d.fact_seq and f.subject = ${subject} and d.channel = ${channel} and d.state = 'waiting'`.execute(db);
}
