import { DELAY_EVERY_MS } from "@longarm/contract/game-socket";
import { DELAY_BOUNDS_MS } from "@longarm/contract/staff-reports";
import type { Log } from "@longarm/database/log";
import type { Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
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

type Sums = { watchedMs: number; watchersMost: number; delays: number[] };
type ViewingDeps = Pick<PlayDeps, "db" | "clock"> & { readonly log: Pick<Log, "warn"> };
type Seat = { readonly machineId: string; readonly epoch: number };

/**
 * What is seen of machines, counted in memory (record 0191): delays that the pages of this node's seats report, and how many watch how long. A report is
 * believed for the seat whose socket sends it, and decides nothing: staff reads it, no rule does.
 */
export class Viewing {
  readonly #deps: ViewingDeps;
  readonly #sums = new Map<string, Sums>();
  readonly #newest = new Map<string, { readonly epoch: number; readonly ms: number }>();
  readonly #reportedAt = new Map<string, number>();

  constructor(deps: ViewingDeps) {
    this.#deps = deps;
  }

  /** The page of a seat's holder reports its delay, ms within the range of the contract. One that comes too early is dropped. */
  reported({ machineId, epoch }: Seat, ms: number): void {
    const now = this.#deps.clock.now();
    const agoMs = now - (this.#reportedAt.get(machineId) ?? Number.NEGATIVE_INFINITY);
    if (agoMs >= 0 && agoMs < REPORT_MS_MIN) return;
    this.#reportedAt.set(machineId, now);
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
      for (const [machineId, one] of sums) this.#keep(machineId, one);
      throw error;
    }
  }

  /** Adds what is left, once no socket is open any more. */
  async close(): Promise<void> {
    await this.writeSums().catch((error: unknown) =>
      this.#deps.log.warn({ err: error }, "delays and watchers of the last minute are missing in the reports"),
    );
  }

  #keep(machineId: string, { watchedMs, watchersMost, delays }: Sums): void {
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

/**
 * For queries of machines `m` with seats `s`: the delay that the page of the present holder reported last, ms; null: none lately, or it is gone.
 */
export const newestDelay = (): RawBuilder<number | null> =>
  sql<
    number | null
  >`(select d.delay_ms from seat_delay d where d.machine_id = m.id and d.epoch = s.epoch and s.holder_socket is not null
    and d.at > clock_timestamp() - ${SHOWN_MS}::double precision * interval '1 millisecond')`;
