import type { DelayReport } from "@longarm/contract/game-socket";
import { DELAY_EVERY_MS } from "@longarm/contract/game-socket";
import type { StaffClip } from "@longarm/contract/staff-disputes";
import { DELAY_BOUNDS_MS } from "@longarm/contract/staff-reports";
import type { Log } from "@longarm/database/log";
import type { Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import type * as z from "zod/mini";
import { addViewing, delayBucket } from "../../records/reports/index.ts";
import type { PlayDeps } from "../deps.ts";

/** How often the newest delays are written, ms. */
export const NEWEST_EVERY_MS = 5_000;
/** How often what was counted is added to the sums of reports, ms. */
export const SUMS_EVERY_MS = 60_000;
/** From one report that counts to the next of the same machine, ms: whatever a page sends, and over however many sockets. */
const REPORT_MS_MIN = DELAY_EVERY_MS / 2;
/** A delay that is older than this is not shown, ms: three reports are missing, and what was counted last is written. */
const SHOWN_MS = 3 * DELAY_EVERY_MS + NEWEST_EVERY_MS;

/** A delay from which on a report is kept, ms: the page calls such a link poor. */
const TROUBLE_MS = 180;
/** Without trouble one report is kept in this time, ms. */
const CALM_EVERY_MS = 60_000;
/** Reports that wait to be written at most; a report is lost rather than memory. */
const WAITING_MAX = 1_000;
/** Reports are kept for as long as recordings. */
const KEPT = sql`interval '90 days'`;

type Kept = {
  readonly session: string;
  readonly at: number;
  readonly delay: number | null;
  readonly freezes: readonly (readonly [fromMs: number, toMs: number])[];
};
type Sums = { watchedMs: number; watchersMost: number; delays: number[] };
type ViewingDeps = Pick<PlayDeps, "db" | "clock"> & { readonly log: Pick<Log, "warn"> };
type Seat = { readonly machineId: string; readonly epoch: number; readonly playSessionId: string };

/**
 * What is seen of machines, counted in memory (record 0191): delays that the pages of this node's seats report, and how many watch how long. A report is
 * believed for the seat whose socket sends it, and decides nothing: staff reads it, no rule does.
 */
export class Viewing {
  readonly #deps: ViewingDeps;
  readonly #sums = new Map<string, Sums>();
  readonly #newest = new Map<string, { readonly epoch: number; readonly ms: number }>();
  readonly #reportedAt = new Map<string, number>();
  readonly #keptOf = new Map<string, { readonly session: string; readonly at: number }>();
  #kept: Kept[] = [];

  constructor(deps: ViewingDeps) {
    this.#deps = deps;
  }

  /** The page of a seat's holder reports what it shows, within the ranges of the contract. A report that comes too early is dropped. */
  reported(seat: Seat, report: DelayReport): void {
    const { machineId, epoch } = seat;
    const { ms } = report;
    const now = this.#deps.clock.now();
    const agoMs = now - (this.#reportedAt.get(machineId) ?? Number.NEGATIVE_INFINITY);
    if (agoMs >= 0 && agoMs < REPORT_MS_MIN) return;
    this.#reportedAt.set(machineId, now);
    this.#keep(seat, report, now);
    if (ms === undefined) return;
    this.#newest.set(machineId, { epoch, ms });
    const { delays } = this.#sumsOf(machineId);
    const bucket = delayBucket(ms);
    delays[bucket] = (delays[bucket] ?? 0) + 1;
  }

  /** So many watch the machine now, on all nodes. */
  watchedBy(machineId: string, count: number): void {
    const sums = this.#sumsOf(machineId);
    sums.watchersMost = Math.max(sums.watchersMost, count);
  }

  /** A spectator has watched the machine for so many ms. */
  watchedFor(machineId: string, ms: number): void {
    this.#sumsOf(machineId).watchedMs += Math.max(0, ms);
  }

  /** Writes the newest delays. One that cannot be written is not tried again: the next report is newer. */
  async writeNewest(): Promise<void> {
    await this.#writeDelays();
    await this.#writeKept();
  }

  async #writeDelays(): Promise<void> {
    const rows = [...this.#newest];
    this.#newest.clear();
    if (rows.length === 0) return;
    await sql`insert into seat_delay (machine_id, epoch, delay_ms)
      select * from unnest(${rows.map(([machineId]) => machineId)}::text[], ${rows.map(([, { epoch }]) => epoch)}::bigint[],
        ${rows.map(([, { ms }]) => ms)}::integer[]) as new (machine_id, epoch, delay_ms) order by machine_id
      on conflict (machine_id) do update set epoch = excluded.epoch, delay_ms = excluded.delay_ms, at = clock_timestamp()
        where seat_delay.epoch <= excluded.epoch`.execute(this.#deps.db);
  }

  /** Adds what was counted to the sums of reports; only of this machine, or of all. What cannot be written is kept for the next time. */
  async writeSums(only?: string): Promise<void> {
    const sums = [...this.#sums].filter(([machineId]) => only === undefined || machineId === only);
    for (const [machineId] of sums) this.#sums.delete(machineId);
    try {
      await addViewing(
        this.#deps.db as unknown as Kysely<unknown>,
        sums.map(([machineId, one]) => ({ machineId, ...one })),
      );
    } catch (error) {
      for (const [machineId, one] of sums) this.#addBack(machineId, one);
      throw error;
    }
    await sql`delete from picture_report where at < clock_timestamp() - ${KEPT}`.execute(this.#deps.db);
  }

  /** Adds what is left, once no socket is open any more. */
  async close(): Promise<void> {
    await this.writeSums().catch((error: unknown) =>
      this.#deps.log.warn({ err: error }, "delays and watchers of the last minute are missing in the reports"),
    );
  }

  /** For staff that looks at a game later (record 0222): what went wrong, and now and then that nothing did. */
  #keep({ machineId, playSessionId: session }: Seat, { ms, freezes = [] }: DelayReport, now: number): void {
    const last = this.#keptOf.get(machineId);
    const isCalm = freezes.length === 0 && (ms ?? 0) < TROUBLE_MS;
    if (isCalm && last?.session === session && now - last.at < CALM_EVERY_MS) return;
    this.#keptOf.set(machineId, { session, at: now });
    if (this.#kept.length >= WAITING_MAX) return;
    const times = freezes.map(({ agoMs, ms: long }) => [now - agoMs - long, now - agoMs] as const);
    this.#kept.push({ session, at: now, delay: ms ?? null, freezes: times });
  }

  async #writeKept(): Promise<void> {
    const rows = this.#kept;
    this.#kept = [];
    if (rows.length === 0) return;
    await sql`insert into picture_report (play_session_id, at, delay_ms, freezes)
      select session, to_timestamp(at / 1000.0), delay, freezes::jsonb from unnest(${rows.map(({ session }) => session)}::text[],
        ${rows.map(({ at }) => at)}::float8[], ${rows.map(({ delay }) => delay)}::integer[],
        ${rows.map(({ freezes }) => JSON.stringify(freezes))}::text[]) as new (session, at, delay, freezes)`.execute(
      this.#deps.db,
    );
  }

  #addBack(machineId: string, { watchedMs, watchersMost, delays }: Sums): void {
    const sums = this.#sumsOf(machineId);
    sums.watchedMs += watchedMs;
    sums.watchersMost = Math.max(sums.watchersMost, watchersMost);
    sums.delays = sums.delays.map((count, at) => count + (delays[at] ?? 0));
  }

  #sumsOf(machineId: string): Sums {
    const sums = this.#sums.get(machineId) ?? { watchedMs: 0, watchersMost: 0, delays: DELAY_BOUNDS_MS.map(() => 0) };
    this.#sums.set(machineId, sums);
    return sums;
  }
}

/** What the page of a play session reported of its picture from then to then; times are ms since 1970. */
export async function pictureReports(
  db: PlayDeps["db"],
  playSessionId: string,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<z.input<typeof StaffClip>["picture"]> {
  const { rows } = await sql<{ at: Date; delay: number | null; freezes: [number, number][] }>`
    select at, delay_ms as delay, freezes from picture_report
    where play_session_id = ${playSessionId} and at >= ${from} and at < ${to} order by at limit ${REPORTS_MAX}`.execute(
    db,
  );
  return rows.map(({ at, delay, freezes }) => ({
    at: at.getTime(),
    delayMs: delay,
    freezes: freezes.map(([fromMs, toMs]) => ({ fromMs, toMs })),
  }));
}
const REPORTS_MAX = 500;

/**
 * For queries of machines `m` with seats `s`: the delay that the page of the present holder reported last, ms; null: none lately, or it is gone.
 */
export const newestDelay = (): RawBuilder<number | null> =>
  sql<
    number | null
  >`(select d.delay_ms from seat_delay d where d.machine_id = m.id and d.epoch = s.epoch and s.holder_socket is not null
    and d.at > clock_timestamp() - ${SHOWN_MS}::double precision * interval '1 millisecond')`;
