import { CARE_DAYS } from "@longarm/contract/player-care";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import { cashInsSince, gameSums, staysSince } from "../../play/played.ts";
import { depositsOf, withdrawalsOf } from "../../records/history/index.ts";
import { looserWishes } from "../limits/index.ts";
import type { Facts, Frame } from "./measures.ts";
import { declaredOf, refusalsSince } from "./notes.ts";

/** Rows of one kind and player that are read, the newest first: who has more is far above each threshold already. */
const ROWS_MAX = 1_000;
/** Stays whose games are summed. */
const STAYS_SUMMED = 500;
/** Days with which the stakes of the last week are compared. */
const BEFORE_DAYS = 28;
/** One more than the measures look at: the venue's first day may have begun earlier than so many times 24 hours ago. */
const STAY_DAYS = CARE_DAYS.time + 1;

/** The time that the measures look at, by the database's clock and the venue's time zone. */
export async function frameOf(db: AnyDb, timeZone: string): Promise<Frame> {
  const { rows } = await sql<{ now: Date; from: Date; to: Date; six: Date }>`
    with today as (select clock_timestamp() as now, date_trunc('day', clock_timestamp() at time zone ${timeZone}) as day)
    select now, (day - make_interval(days => back)) at time zone ${timeZone} as "from",
      (day - make_interval(days => back - 1)) at time zone ${timeZone} as "to",
      (day - make_interval(days => back) + interval '6 hours') at time zone ${timeZone} as six
    from today, generate_series(${CARE_DAYS.time - 1}::int, 0, -1) back order by back desc`.execute(db);
  return {
    now: rows[0]?.now ?? new Date(0),
    days: rows.map(({ from, to }) => ({ from, to })),
    nights: rows.map(({ from, six }) => ({ from, to: six })),
  };
}

/** What the rooms that own it say of these players: a few statements, however many they are. */
export async function factsOf(db: AnyDb, playerIds: readonly string[]): Promise<ReadonlyMap<string, Facts>> {
  if (playerIds.length === 0) return new Map();
  const id = sql.ref("looked.id");
  const times = (rows: unknown) => sql`coalesce((select jsonb_agg(to_jsonb(r)) from (${rows}) r), '[]')`;
  const newest = (rows: unknown) => times(sql`select m.at from (${rows}) m order by m.at desc limit ${ROWS_MAX}`);
  const monthAgo = sql<Date>`clock_timestamp() - make_interval(days => ${CARE_DAYS.takenBack}::int)`;
  const sums = gameSums(id, {
    ...{ days: CARE_DAYS.stakes, before: BEFORE_DAYS },
    ...{ lossDays: CARE_DAYS.netLoss, most: STAYS_SUMMED },
  });
  const { rows } = await sql<WireFacts>`
    select looked.id, ${times(staysSince(id, STAY_DAYS, ROWS_MAX))} as stays, ${times(cashInsSince(id, STAY_DAYS, ROWS_MAX))} as "cashIns",
      ${newest(depositsOf(id, monthAgo))} as deposits, ${newest(withdrawalsOf(id, monthAgo))} as withdrawals,
      ${newest(refusalsSince(id, CARE_DAYS.failedDeposits))} as refusals,
      ${looserWishes("looked.id", CARE_DAYS.limitRaises)} as "limitRaises", ${declaredOf(id)} as declared, sums.*
    from unnest(${[...playerIds]}::text[]) as looked (id) cross join lateral (${sums}) sums`.execute(db);
  return new Map(rows.map((row) => [row.id, readFacts(row)]));
}

type At<Row> = Omit<Row, "at" | "from" | "to"> & Record<keyof Row & ("at" | "from" | "to"), string>;
type Listed = "stays" | "cashIns" | "deposits" | "withdrawals" | "refusals";
type WireFacts = { readonly id: string } & Omit<Facts, Listed> & {
    readonly [K in Listed]: readonly At<Facts[K][number]>[];
  };

function readFacts({ id: _, stays, cashIns, deposits, withdrawals, refusals, ...sums }: WireFacts): Facts {
  const read = ({ at }: { readonly at: string }) => ({ at: new Date(at) });
  return {
    ...sums,
    stays: stays.map((stay) => ({ ...stay, from: new Date(stay.from), to: new Date(stay.to) })),
    cashIns: cashIns.map(({ at, stay }) => ({ at: new Date(at), stay })),
    deposits: deposits.map(read),
    withdrawals: withdrawals.map(read),
    refusals: refusals.map(read),
  };
}
