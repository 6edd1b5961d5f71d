import type { Database } from "@longarm/database/connection";
import { openDatabase } from "@longarm/database/connection";
import { silentLog } from "@longarm/database/log";
import { writeLongHistory } from "@longarm/platform/testing/long-history";
import { DEMO_PLAYERS } from "../../launcher/seed.ts";
import type { Spread } from "../../rig/figures.ts";
import { spreadOf } from "../../rig/figures.ts";
import type { Player } from "../../rig/player.ts";
import { playerIdOf, signIn } from "../../rig/player.ts";
import type { Held, Part, Result } from "../result.ts";
import type { Setup } from "../setup/setup.ts";
import { MACHINES } from "../setup/setup.ts";

const SHORT_ROWS = 10_000;
/** In every run, and by name. */
const [LONG_ROWS, LONGEST_ROWS] = [1_000_000, 10_000_000];
/** Requested from each history in turn, so that both meet the same other work. */
const ROUNDS = 60;
const WARM_UP_ROUNDS = 10;
/** Writing and tidying many rows. */
const STATEMENT_MS_MAX = 900_000;
/** Tables are written side by side. */
const WRITERS = 4;
const DAY_MS = 86_400_000;
/** Growth is flat when the middle answer of the long one takes at most this many times that of the short one. */
const FLAT = 1.5;

type Question = () => Promise<unknown>;
type Report = (result: Result) => void;

/** What a player looks at; each is requested from the API as the page does. */
const pages = (now: number): Readonly<Record<string, string>> => ({
  "transactions, newest 25": "player/transactions",
  "transactions, a download's 500": "player/transactions?limit=500",
  "transactions, jackpots": "player/transactions?type=6",
  "transactions, a rare machine": "player/transactions?search=nar",
  "transactions, a week": `player/transactions?from=${new Date(now - 7 * DAY_MS).toISOString()}`,
  "sessions, newest 25": "player/sessions",
  "sessions, a rare machine": "player/sessions?search=nar",
});

/** What everybody does all the time, whatever lies in the tables. */
const daily = (player: Player): Readonly<Record<string, Question>> => ({
  balance: () => got(player.call("player/balance")),
  "a transfer (a bonus claimed)": () => got(player.call("player/bonus")),
  "the lobby's machines": () => got(player.call("machine/all")),
  "a seat taken and left": async () => {
    const page = await player.open(MACHINES[0]);
    for (const act of [() => page.init(), () => page.peer.request("leave", {})] as const) {
      const answer = await act();
      if (answer.is !== "done") throw new Error(`A seat answered ${JSON.stringify(answer)}.`);
    }
    page.drop();
  },
});

/** What grows with the years: one player's history from ten thousand rows to a million, and everything in a venue that has as many. */
export const history: Part = (setup, report) => growth(setup, report, LONG_ROWS);
/** The same to ten million: a quarter of an hour, and 15 GB beside the temporary files of the computer. */
export const historyTenMillion: Part = (setup, report) => growth(setup, report, LONGEST_ROWS);

async function growth(setup: Setup, report: Report, longRows: number): Promise<void> {
  const [short, long] = await Promise.all(DEMO_PLAYERS.map((player) => signIn(setup.venue.href, player)));
  if (short === undefined || long === undefined) throw new Error("Two demo players are needed.");
  const condition = `${longRows} rows`;
  const held = (value: Spread | null): Held => ({
    peer: { name: `${SHORT_ROWS} rows`, value },
    reach: { of: "ratio", atMost: FLAT },
  });
  await write(setup, short, SHORT_ROWS);
  const before = await timesOf(setup, daily(short));
  await write(setup, long, longRows);
  for (const [what, path] of Object.entries(pages(Date.now()))) {
    const ask =
      (player: Player): Question =>
      () =>
        got(player.call(path));
    const times = await timesOf(setup, { [`${what}, short`]: ask(short), [`${what}, long`]: ask(long) });
    const [ofShort = null, ofLong = null] = Object.values(times);
    report({ what, condition, unit: "ms", value: ofLong, held: held(ofShort) });
  }
  const after = await timesOf(setup, daily(short));
  for (const [what, value] of Object.entries(after))
    report({ what, condition, unit: "ms", value, held: held(before[what] ?? null) });
}

/** Asks each question so often, in turns. */
async function timesOf(
  setup: Setup,
  questions: Readonly<Record<string, Question>>,
): Promise<Record<string, Spread | null>> {
  const names = Object.keys(questions);
  setup.say(`History: ${names.join("; ")}`);
  const times = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1)
    for (const [name, ask] of Object.entries(questions)) {
      const from = performance.now();
      await ask();
      if (round >= 0) times.get(name)?.push(performance.now() - from);
    }
  return Object.fromEntries([...times].map(([name, values]) => [name, spreadOf(values)]));
}

async function got(response: Promise<Response>): Promise<void> {
  const reply = await response;
  await reply.text();
  if (!reply.ok) throw new Error(`${new URL(reply.url).pathname} answered ${reply.status}.`);
}

/** Rows of the history, of the ledger behind it, and bonuses to claim. */
async function write(setup: Setup, player: Player, rows: number): Promise<void> {
  setup.say(`History: writing ${rows} sessions and transactions`);
  const from = performance.now();
  const url = new URL(setup.venue.databaseUrl);
  // These rows may be lost in a power cut, and the checks of each would take most of the time.
  url.searchParams.set("options", "-c session_replication_role=replica -c synchronous_commit=off");
  const db = openDatabase({
    ...{ url: url.href, maxConnections: WRITERS, log: silentLog },
    statementTimeoutMs: STATEMENT_MS_MAX,
  });
  const playerId = playerIdOf(player);
  try {
    const found = await db.pool.query<{ id: string }>("select id from machine order by (id like 'nar%') desc, id");
    const machineIds = found.rows.map(({ id }) => id);
    await Promise.all([
      writeLongHistory(db.pool, { playerId, machineIds, rows }),
      writeLongLedger(db.pool, { playerId, rows }),
    ]);
    await db.pool.query(
      `insert into bonus_grant (id, player_id, amount, reason, granted_by)
       select 'bg_' || gen_random_uuid(), $1, 1, 'bench', 'bench' from generate_series(1, $2::int)`,
      [playerId, 4 * (ROUNDS + WARM_UP_ROUNDS)],
    );
    // What was written is not written down while times are taken.
    await db.pool.query("checkpoint");
  } finally {
    await db.close();
  }
  setup.say(`History: written in ${((performance.now() - from) / 1_000).toFixed(0)} s`);
}

/** Rows written at a time: a statement may not take long. */
const PART = 50_000;

/**
 * Gives the ledger so many deposits of a player, with both postings of each, in SQL and past its triggers (the connection must have
 * `session_replication_role=replica`): the books of such a database are not right any more. They are as old as those of `writeLongHistory`.
 */
async function writeLongLedger(
  pool: Database<unknown>["pool"],
  { playerId, rows }: { readonly playerId: string; readonly rows: number },
): Promise<void> {
  const write = async (sql: string): Promise<void> => {
    for (let first = 1; first <= rows; first += PART)
      await pool.query(sql, [playerId, rows, first, Math.min(first + PART - 1, rows)]);
  };
  await Promise.all([write(TRANSFERS), write(POSTINGS)]);
  await Promise.all(["transfers", "postings"].map((table) => pool.query(`vacuum analyze ledger.${table}`)));
}

/** Far above the numbers of entries that the ledger makes. */
const FIRST_ENTRY = 1_000_000_000;
const ACCOUNT = (address: string): string => `(select id from ledger.accounts where address = ${address})`;

const TRANSFERS = `
  insert into ledger.transfers (id, kind, from_account, to_account, amount_minor, about, created_at)
  select 'long.' || $1::text || '.' || n, 'deposit', cage, wallet, 100, '{"reason":"long"}',
    now() - interval '1 minute' - ($2::int - n) * interval '3 minutes'
  from generate_series($3::int, $4::int) n, ${ACCOUNT("'cage'")} c (cage), ${ACCOUNT("'player:' || $1::text")} w (wallet)`;

/** The cage is in every player's history, each as long as no other: its entries begin behind that. */
const POSTINGS = `
  insert into ledger.postings (account_id, entry_number, transfer_id, amount_minor, balance_minor)
  select side.account, ${FIRST_ENTRY} + n + side.beyond, 'long.' || $1::text || '.' || n, side.amount, side.amount * n
  from generate_series($3::int, $4::int) n, ${ACCOUNT("'cage'")} c (cage), ${ACCOUNT("'player:' || $1::text")} w (wallet),
    lateral (values (wallet, 100, 0), (cage, -100, $2::int)) side (account, amount, beyond)`;
