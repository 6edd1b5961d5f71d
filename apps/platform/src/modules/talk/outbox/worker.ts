import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Clock } from "../../../clock.ts";
import type { Log } from "../../../log.ts";
import type { Random } from "../../../random.ts";
import { newId, shareOf } from "../../../random.ts";
import { repeatLook } from "../../../repeat-look.ts";
import type { Outcome } from "./post.ts";
import type { Channel, DeliveryState } from "./write-fact.ts";
import { reportGames } from "./write-fact.ts";

/** One fact on its way to one receiver. */
type Delivery = {
  readonly id: number;
  readonly target: string;
  /** How often it was tried, with this try. */
  readonly attempts: number;
  readonly fact: {
    readonly seq: number;
    /** The same for each repeat. */
    readonly id: string;
    readonly type: string;
    readonly subject: string;
    readonly data: Readonly<Record<string, unknown>>;
    readonly madeAt: Date;
  };
};

/** Tries one delivery; never throws. `signal`: the platform ends. */
export type Send = (delivery: Delivery, signal: AbortSignal) => Promise<Outcome>;

type OutboxDeps = {
  readonly db: Kysely<unknown>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly senders: Readonly<Partial<Record<Channel, Send>>>;
};

export interface Outbox {
  start(): void;
  /** Sends what waits, now. */
  wake(): void;
  /** Stops; what is on its way is sent again by the next start. */
  close(): Promise<void>;
}

/** Deliveries of one channel that are on their way at once, on one node: a slow receiver of one channel keeps no other waiting. */
const AT_ONCE: Readonly<Record<Channel, number>> = { webhook: 4, push: 8, mail: 4 };
const LOOK_MS = 1_000;
/** Longer than one try may take, ms: after it another node takes over what a dead one had. */
const LEASE_MS = 30_000;
/** Waits after each failed try, seconds. After the last one the delivery is dead. */
const WAITS_S = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200, 86_400] as const;
/** Facts are kept so long, and those of games, which the record of play keeps, so long; deliveries go with them. */
const KEPT_DAYS = 30;
const GAMES_KEPT_DAYS = 1;
const TIDY_MS = 3_600_000;

/** When a delivery that failed so often is tried again, ms, spread by a fifth; null: never. */
export function waitAfter(attempts: number, share: number): number | null {
  const seconds = WAITS_S[attempts - 1];
  return seconds === undefined ? null : Math.round(seconds * 1_000 * (0.9 + 0.2 * share));
}

/** Delivers facts at least once, from their rows: over restarts, and on whichever node has a hand free. */
export function createOutbox(deps: OutboxDeps): Outbox {
  const { db, clock, random, log, senders } = deps;
  const ending = new AbortController();
  const busy = new Map<Channel, Set<Promise<void>>>();
  const stops: (() => void)[] = [];
  let looking: Promise<void> | undefined;
  let again = false;

  async function round(): Promise<void> {
    for (const [channel, send] of Object.entries(senders) as [Channel, Send][]) {
      const own = busy.get(channel) ?? new Set();
      busy.set(channel, own);
      const free = AT_ONCE[channel] - own.size;
      if (free <= 0) continue;
      const lease = newId(random, "le");
      for (const delivery of await claim(db, { channel, lease, most: free })) {
        const trying = attempt(deps, delivery, lease, send(delivery, ending.signal))
          .catch((error: unknown) => log.warn({ err: error, delivery: delivery.id }, "a delivery could not be noted"))
          .finally(() => {
            own.delete(trying);
            wake();
          });
        own.add(trying);
      }
    }
  }

  function wake(): void {
    if (ending.signal.aborted) return;
    if (looking !== undefined) {
      again = true;
      return;
    }
    again = false;
    looking = round()
      .catch((error: unknown) => log.warn({ err: error }, "deliveries could not be read"))
      .finally(() => {
        looking = undefined;
        if (again) wake();
      });
  }

  const failed = "games could not be reported, the next look tries again";
  const games = repeatLook({ clock, log, everyMs: LOOK_MS, failed }, async (isClosed) => {
    while (!isClosed() && (await reportGames(db))) wake();
    return 0;
  });

  return {
    wake,
    start() {
      const tidy = () =>
        void forgetOld(db).catch((error: unknown) => log.warn({ err: error }, "old facts could not be removed"));
      stops.push(clock.every(LOOK_MS, wake), clock.every(TIDY_MS, tidy));
      if (senders.webhook !== undefined) games.start();
      wake();
    },
    async close() {
      ending.abort();
      for (const stop of stops.splice(0)) stop();
      await Promise.all([looking, games.close()]);
      await Promise.allSettled([...busy.values()].flatMap((own) => [...own]));
    },
  };
}

/** Notes what came of a try. */
async function attempt(
  { db, random, log }: OutboxDeps,
  delivery: Delivery,
  lease: string,
  tried: Promise<Outcome>,
): Promise<void> {
  const whole = await tried;
  const outcome = { ...whole, answer: keptPart(whole.answer) };
  const waits = outcome.is === "retry" ? waitAfter(delivery.attempts, shareOf(random)) : null;
  const facts = { delivery: delivery.id, target: delivery.target, type: delivery.fact.type, answer: outcome.answer };
  if (outcome.is === "retry" && waits !== null) {
    log.info({ ...facts, attempts: delivery.attempts }, "a delivery failed and is tried again");
    return await noteRetry(db, delivery, lease, outcome, Math.max(waits, outcome.afterMs ?? 0));
  }
  if (outcome.is === "moot") log.info(facts, "a delivery has no receiver any more");
  else if (outcome.is !== "done") log.error({ ...facts, alarm: "delivery" }, "a delivery was given up");
  await noteEnd(db, delivery, lease, outcome);
}

const ANSWER_CHARS_MAX = 200;
/** The part of an answer that is kept. A receiver chooses its words; the database accepts no control characters and no half pairs. */
const keptPart = (answer: string): string => answer.replaceAll(/[\p{Cc}\p{Cs}]/gu, "\uFFFD").slice(0, ANSWER_CHARS_MAX);

type Claimed = Omit<Delivery, "fact"> & Delivery["fact"] & { readonly factId: string };

/**
 * Takes what is due; `due_at` is then the time at which another node takes it over. What has an order waits until all that is earlier in it was sent or
 * given up. A look that is old sees too much waiting, never too little.
 */
async function claim(
  db: Kysely<unknown>,
  { channel, lease, most }: { readonly channel: Channel; readonly lease: string; readonly most: number },
): Promise<Delivery[]> {
  const { rows } = await sql<Claimed>`update outbox_delivery as d
    set lease = ${lease}, attempts = d.attempts + 1, tried_at = clock_timestamp(), due_at = clock_timestamp() + ${LEASE_MS} * interval '1 millisecond'
    from outbox_fact f
    where f.seq = d.fact_seq and d.id in (select one.id from outbox_delivery one
      where one.state = 'waiting' and one.channel = ${channel} and one.due_at <= clock_timestamp()
        and not exists (select from outbox_delivery earlier where earlier.state = 'waiting' and earlier.target = one.target
          and earlier.ordered_by = one.ordered_by and earlier.id < one.id)
      order by one.due_at, one.id limit ${most} for update of one skip locked)
    returning d.id, d.target, d.attempts, f.seq, f.id as "factId", f.type, f.subject, f.data, f.made_at as "madeAt"`.execute(
    db,
  );
  return rows.map(({ id, target, attempts, factId, seq, type, subject, data, madeAt }) => ({
    id,
    target,
    attempts,
    fact: { seq, id: factId, type, subject, data, madeAt },
  }));
}

/**
 * Only who still holds the lease writes: another node may have taken over meanwhile. What comes after it in its order is due no earlier: a look would
 * only pass it by.
 */
async function noteRetry(
  db: Kysely<unknown>,
  { id }: Delivery,
  lease: string,
  { answer }: Outcome,
  waitMs: number,
): Promise<void> {
  await sql`with tried as (update outbox_delivery set lease = null, last_answer = ${answer}, failures = outbox_failed(failures, ${answer}),
      due_at = clock_timestamp() + ${waitMs} * interval '1 millisecond'
      where id = ${id} and lease = ${lease} and state = 'waiting' returning id, target, ordered_by, due_at)
    update outbox_delivery d set due_at = t.due_at from tried t where d.state = 'waiting' and d.target = t.target
      and d.ordered_by = t.ordered_by and d.id > t.id and d.due_at < t.due_at`.execute(db);
}

const ENDS = { done: "done", moot: "dropped", dead: "dead", retry: "dead" } as const satisfies Record<
  Outcome["is"],
  DeliveryState
>;

async function noteEnd(db: Kysely<unknown>, { id }: Delivery, lease: string, { is, answer }: Outcome): Promise<void> {
  // What arrives at once writes no more than its answer.
  const failures = ENDS[is] === "dead" ? sql`outbox_failed(failures, ${answer})` : sql`failures`;
  await sql`update outbox_delivery set state = ${ENDS[is]}, lease = null, last_answer = ${answer}, failures = ${failures}, ended_at = clock_timestamp()
    where id = ${id} and lease = ${lease} and state = 'waiting'`.execute(db);
}

async function forgetOld(db: Kysely<unknown>): Promise<void> {
  await sql`delete from outbox_fact f where f.made_at < clock_timestamp() - ${GAMES_KEPT_DAYS} * interval '1 day'
    and (f.type = 'game.ended' or f.made_at < clock_timestamp() - ${KEPT_DAYS} * interval '1 day')
    and not exists (select from outbox_delivery d where d.fact_seq = f.seq and d.state in ('waiting', 'dead'))`.execute(
    db,
  );
}
