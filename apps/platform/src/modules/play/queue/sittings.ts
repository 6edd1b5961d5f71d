import { sql } from "kysely";
import type { Clock } from "../../../clock.ts";
import type { QueueDb } from "./tables.ts";

/** Sittings of so long ago count, days; of each machine the newest. */
const DAYS = 14;
const EACH_MAX = 200;
/** What was read holds for so long, ms. */
const KEPT_MS = 60_000;
/** Fewer places that ended say nothing of how many sit down in the end. */
const ENDED_MIN = 20;

type Known = { readonly lengths: ReadonlyMap<string, readonly number[]>; readonly seatedShare: number };

/** How long players sit at machines, and which share of those who wait sits down in the end; read again each minute. */
export class Sittings {
  readonly #db: QueueDb;
  readonly #clock: Clock;
  #known: Promise<Known> | undefined;
  #untilMs = 0;

  constructor(db: QueueDb, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async now(): Promise<Known> {
    if (this.#known === undefined || this.#clock.now() >= this.#untilMs) {
      this.#untilMs = this.#clock.now() + KEPT_MS;
      this.#known = this.#read().catch((error: unknown) => {
        this.#untilMs = 0;
        throw error;
      });
    }
    return await this.#known;
  }

  async #read(): Promise<Known> {
    const { rows } = await sql<{ id: string; lengths: number[] }>`
      select machine_id as id, array_agg(ms) as lengths from (
        select machine_id, (extract(epoch from ended_at - started_at) * 1000)::double precision as ms,
          row_number() over (partition by machine_id order by ended_at desc) as newest
        from play_session where ended_at > clock_timestamp() - make_interval(days => ${DAYS})) s
      where newest <= ${EACH_MAX} group by machine_id`.execute(this.#db);
    const { rows: ends } = await sql<{ seated: number; ended: number }>`
      select count(*) filter (where end_reason = 'seated')::int as seated, count(*)::int as ended
      from queue_place where ended_at > clock_timestamp() - make_interval(days => ${DAYS})`.execute(this.#db);
    const { seated, ended } = ends[0] ?? { seated: 0, ended: 0 };
    return {
      lengths: new Map(rows.map(({ id, lengths }) => [id, lengths])),
      seatedShare: ended < ENDED_MIN ? 1 : seated / ended,
    };
  }
}
