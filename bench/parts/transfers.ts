import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { percentile } from "../../rig/figures.ts";
import { findTool } from "../../tooling/finders/find-tool.ts";
import { getRequest, startCallers } from "../load/callers.ts";
import type { Query } from "../load/crowd.ts";
import { crowdId, gatherCrowd, queryOf } from "../load/crowd.ts";
import type { Part } from "../result.ts";
import type { Setup } from "../setup/setup.ts";

const PLAYERS = 200;
/** As many connections as the platform has to its database. */
const CONNECTIONS = 10;
const SECONDS = 6;
/** In turns, so that both meet the same other work. */
const ROUNDS = 3;
/** Calls that do not wait for each other come over more connections than are answered at once. */
const OPEN_CONNECTIONS = 64;
const OPEN_SECONDS = 8;
/** More than can be claimed in all that time. */
const GRANTS_OF_PLAYER = 800;

/**
 * Transfers a second through the whole path of a bonus: HTTP, guard, limits, one call of the database, ledger, commit on disk; beside what
 * pgbench reaches with as many connections by calling the same function of the same server. All are paid out of one account, the promotions, whose row
 * they wait for in both ways; `no shared account` is the ledger's own function between accounts without other use. Then bonuses are
 * claimed at half of that rate, however long answers take, and their times count from the moment each was meant for.
 */
export const transfers: Part = async (setup, report) => {
  const query = queryOf(setup);
  const pgbench = await findPgbench(setup.say);
  const crowd = await gatherCrowd(setup, query, PLAYERS);
  await grant(setup, query);
  const { databaseUrl, href } = setup.venue;
  const { host, port } = new URL(href);
  const requests = crowd.map(({ token }) => getRequest("/v1/player/bonus", host, token));
  const callers = startCallers();
  const claim = (connections: number, seconds: number, rate: number | null) =>
    callers.call({ port: Number(port), requests, connections, seconds, rate });
  const load = { databaseUrl, clients: CONNECTIONS, seconds: SECONDS };
  const ways = {
    http: async () => void (await claim(CONNECTIONS, SECONDS, null)),
    same: () => pgbench({ ...load, script: CLAIM }),
    own: () => pgbench({ ...load, script: OWN_ACCOUNTS }),
  };
  try {
    // Compilers, caches and pools come to their size first.
    await claim(CONNECTIONS, 3, null);
    const rates: Record<keyof typeof ways, number[]> = { http: [], same: [], own: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const way of ["http", "same", "own"] as const) {
        setup.say(`Transfers: ${way === "http" ? "over HTTP" : "pgbench"}, ${SECONDS} s`);
        rates[way].push(await rateOf(query, ways[way]));
      }
    }
    const [http, same, own] = [middle(rates.http), middle(rates.same), middle(rates.own)];
    const condition = `${CONNECTIONS} connections`;
    report({
      ...{ what: "bonuses paid over HTTP", condition, unit: "a second", value: http },
      held: { peer: { name: "pgbench", value: same }, reach: { of: "ratio", atLeast: 0.7 } },
    });
    report({ what: "ledger.transfer by pgbench, no shared account", condition, unit: "a second", value: own });
    setup.say(`Transfers: over HTTP at ${(http / 2).toFixed(0)} a second, ${OPEN_SECONDS} s`);
    const open = await claim(OPEN_CONNECTIONS, OPEN_SECONDS, http / 2);
    const half = "at half of that, however long answers take";
    const value = { p50: open.p50, p95: open.p95, max: open.max, n: open.answered };
    report({ what: "a bonus paid over HTTP", condition: half, unit: "ms", value });
    report({ what: "a bonus paid over HTTP, p99", condition: half, unit: "ms", value: open.p99 });
    report({ what: "bonuses that were not paid", condition: half, unit: "times", value: open.failed });
  } finally {
    callers.end();
  }
};

const CLAIM = `\\set n random(1, ${PLAYERS})\nselect * from claim_bonus('${crowdId(0).slice(0, -1)}' || cast(:n as text));\n`;
/** Colons are written as chr(58): pgbench takes a word after one for a variable, in quotes too. */
const OWN_ACCOUNTS = `select problem from ledger.transfer('bench.' || gen_random_uuid(), 'withdraw',
  concat('machine', chr(58), 'bench', cast(:client_id as text)), concat('player', chr(58), 'bench', cast(:client_id as text)), 1, '{}');\n`;

async function grant(setup: Setup, query: Query): Promise<void> {
  setup.say(`Transfers: ${PLAYERS * GRANTS_OF_PLAYER} bonuses are granted`);
  await query(
    `insert into bonus_grant (id, player_id, amount, reason, granted_by)
     select 'bg_' || gen_random_uuid(), 'p_crowd' || player, 1, 'bench', 'bench'
     from generate_series(1, $1::int) player, generate_series(1, $2::int)`,
    [PLAYERS, GRANTS_OF_PLAYER],
  );
  await query("analyze bonus_grant");
}

/** Transfers that are in the ledger afterwards, a second: what refused or failed does not count. */
async function rateOf(query: Query, run: () => Promise<unknown>): Promise<number> {
  const count = async (): Promise<number> =>
    Number((await query("select count(*) as n from ledger.transfers"))[0]?.["n"] ?? 0);
  const before = await count();
  const from = performance.now();
  await run();
  const seconds = (performance.now() - from) / 1_000;
  return ((await count()) - before) / seconds;
}

const middle = (values: readonly number[]): number =>
  percentile(
    values.toSorted((one, other) => one - other),
    0.5,
  );

const run = promisify(execFile);

type PgbenchAsk = {
  readonly databaseUrl: string;
  /** One transaction, in pgbench's language. */
  readonly script: string;
  readonly clients: number;
  readonly seconds: number;
};

/** PostgreSQL's own load tool: as many transactions as `clients` connections can make. @throws Advice where it cannot be had. */
async function findPgbench(say: (line: string) => void) {
  const { executablePath, env } = await findTool("pgbench", { say });
  /** @throws Error with its words when a transaction fails. */
  return async ({ databaseUrl, script, clients, seconds }: PgbenchAsk): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), "longarm-pgbench-"));
    try {
      const file = join(folder, "script.sql");
      await writeFile(file, script);
      const load = ["-c", String(clients), "-j", "2", "-T", String(seconds)];
      const args = ["-n", "-M", "prepared", ...load, "-f", file, databaseUrl];
      const options = { timeout: (seconds + 60) * 1_000, env: { ...process.env, ...env } };
      const ran = await run(executablePath, args, options).catch(outputOf);
      if (/abort|error/i.test(ran.stderr)) throw new Error(ran.stderr.trim().slice(0, 500));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

/** Its own words; the command line has the database's password in it. */
function outputOf(error: Error & { readonly stderr?: string }): { readonly stderr: string } {
  return { stderr: `error: ${error.stderr || error.name}` };
}
