import type { Database } from "@longarm/database/connection";
import { openDatabase } from "@longarm/database/connection";
import { silentLog } from "@longarm/database/log";
import { proveReports, readHours, readReport, rebuildReports } from "@longarm/platform/modules/records/reports/index";
import { spreadOf } from "../../rig/figures.ts";
import type { Part } from "../result.ts";
import type { Setup } from "../setup/setup.ts";

/** Games of one year, and one play session for each hundred. */
const GAMES = 1_000_000;
const GAMES_OF_SESSION = 100;
/** Machines that have played them, beside those of the floor. */
const MACHINES = 200;
const ROUNDS = 20;
const WARM_UP_ROUNDS = 3;
/** Writing many rows, and making their sums. */
const STATEMENT_MS_MAX = 900_000;
/** A report of a million games is wanted within this, ms. */
const REACH_MS = 1_000;

/** Reports over a year with a million games, each of another group, and how long it takes to make and to prove their sums. */
export const reports: Part = async (setup, report) => {
  const url = new URL(setup.venue.databaseUrl);
  // These rows may be lost in a power cut, and their sums are made afterwards.
  url.searchParams.set("options", "-c session_replication_role=replica -c synchronous_commit=off");
  const db = openDatabase<unknown>({
    ...{ url: url.href, maxConnections: 2, log: silentLog },
    statementTimeoutMs: STATEMENT_MS_MAX,
  });
  try {
    await measureReports(db, setup.say, report);
  } finally {
    await db.close();
  }
};

/** The same on any database of a platform. */
export async function measureReports(
  { pool, kysely }: Pick<Database<unknown>, "pool" | "kysely">,
  say: Setup["say"],
  report: Parameters<Part>[1],
): Promise<void> {
  const condition = `${GAMES} games of ${MACHINES} machines`;
  say(`Reports: writing ${condition}`);
  for (const statement of WRITE) await pool.query(statement);
  const seconds = async (work: () => Promise<unknown>): Promise<number> => {
    const from = performance.now();
    await work();
    return performance.now() - from;
  };
  const rebuild = await seconds(() => rebuildReports(kysely));
  report({ what: "the sums of reports, made again", condition, unit: "ms", value: rebuild });
  report({
    what: "the sums of reports, proved",
    condition,
    unit: "ms",
    value: await seconds(() => proveReports(kysely)),
  });
  await pool.query("vacuum analyze report_games, report_money, report_seats");
  const { rows } = await pool.query<{ from: string; to: string }>(
    "select min(day)::text as from, max(day)::text as to from report_games",
  );
  const year = rows[0] ?? { from: "", to: "" };
  const questions: Readonly<Record<string, () => Promise<unknown>>> = {
    ...Object.fromEntries(
      (["machine", "brand", "day", "month"] as const).map((by) => [
        `by ${by}`,
        () => readReport(kysely, { ...year, by }),
      ]),
    ),
    "hours of the week": () => readHours(kysely, year),
  };
  for (const [what, ask] of Object.entries(questions)) {
    const times: number[] = [];
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
      const took = await seconds(ask);
      if (round >= 0) times.push(took);
    }
    const held = { reach: { of: "figure", atMost: REACH_MS, at: "p95" } } as const;
    report({ what: `a report of a year, ${what}`, condition, unit: "ms", value: spreadOf(times), held });
  }
}

const MACHINE = `'report-' || lpad((n % ${MACHINES})::text, 3, '0')`;
const AT = `now() - interval '1 hour' - (${GAMES} - n) * interval '31 seconds'`;

/** Machines, play sessions, cash-ins and games with their transfers, past the ledger: the books of such a database are not right any more. */
const WRITE: readonly string[] = [
  `insert into agent (id, name) values ('ag_reports', 'reports') on conflict do nothing`,
  `insert into machine (id, agent_id, facts, meters, meters_at)
    select ${MACHINE}, 'ag_reports', jsonb_build_object('name', 'Report ' || n, 'brand', 'Brand ' || n % 8, 'denomination', 1 + n % 3), '{}', now()
    from generate_series(0, ${MACHINES - 1}) n`,
  `insert into paytable_sheet (machine_id, from_day, hold, spread, set_by, reason)
    select id, '2000-01-01', 500, 850, 'bench', 'bench' from machine where id like 'report-%'`,
  `insert into ledger.accounts (address) select 'machine:' || id from machine where id like 'report-%' on conflict do nothing`,
  `insert into play_session (id, machine_id, player_id, started_at, ended_at, end_reason)
    select 'report.' || n, ${MACHINE}, 'p_reports', ${AT}, ${AT} + interval '40 minutes', 'left'
    from generate_series(1, ${GAMES}, ${GAMES_OF_SESSION}) n`,
  `insert into game (machine_id, game_number, stake, win, credit_before, credit_after, hand_paid, started_at, ended_at, taken_at)
    select ${MACHINE}, n, 100, case when n % 3 = 0 then 285 else 0 end, 0, 0, 0, ${AT}, ${AT}, ${AT} from generate_series(1, ${GAMES}) n`,
  `insert into ledger.transfers (id, kind, from_account, to_account, amount_minor, about, created_at)
    select 'report.game.' || n, 'game', case when n % 3 = 0 then h.id else m.id end, case when n % 3 = 0 then m.id else h.id end,
      case when n % 3 = 0 then 185 else 100 end, jsonb_build_object('machineId', ${MACHINE}, 'gameNumber', n), ${AT}
    from generate_series(1, ${GAMES}) n join ledger.accounts m on m.address = 'machine:' || ${MACHINE} join ledger.accounts h on h.address = 'house'`,
  "analyze",
];
