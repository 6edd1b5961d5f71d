import { percentile } from "../figures/spread.ts";
import { claimOverHttp } from "../load/claims.ts";
import type { Query } from "../load/crowd.ts";
import { crowdId, gatherCrowd } from "../load/crowd.ts";
import { pgbench } from "../load/pgbench.ts";
import { withDatabase } from "../load/with-database.ts";
import type { Rig } from "../rig/rig.ts";
import type { Part } from "./part.ts";

const PLAYERS = 200;
/** As many connections as the platform has to its database. */
const CONNECTIONS = 10;
const SECONDS = 10;
/** In turns, so that both meet the same other work. */
const ROUNDS = 3;
/** More than can be claimed in all that time. */
const GRANTS_OF_PLAYER = 2_000;

/**
 * Transfers a second through the whole path of a bonus: HTTP, guard, limits, one call of the database, ledger, commit on disk; beside what
 * pgbench reaches with as many connections by calling the same function of the same server. All are paid out of one account, the promotions, whose row
 * they wait for in both ways; the third line is the ledger's own function between accounts that nobody else uses.
 */
export const transfers: Part = async (rig, tell) =>
  await withDatabase(rig, async (query) => {
    const crowd = await gatherCrowd(rig, query, PLAYERS);
    const tokens = crowd.map(({ token }) => token);
    await grant(rig, query);
    const url = `${rig.house.href}/v1/player/bonus`;
    const { databaseUrl } = rig.house;
    const load = { databaseUrl, clients: CONNECTIONS, seconds: SECONDS };
    const ways = {
      http: async () => void (await claimOverHttp({ url, tokens, connections: CONNECTIONS, seconds: SECONDS })),
      same: () => pgbench({ ...load, script: CLAIM }),
      own: () => pgbench({ ...load, script: OWN_ACCOUNTS }),
    };
    // Compilers, caches and pools come to their size first.
    await claimOverHttp({ url, tokens, connections: CONNECTIONS, seconds: 3 });
    const rates: Record<keyof typeof ways, number[]> = { http: [], same: [], own: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const way of ["http", "same", "own"] as const) {
        rig.say(`Transfers: ${way === "http" ? "over HTTP" : "pgbench"}, ${SECONDS} s`);
        rates[way].push(await rateOf(query, ways[way]));
      }
    }
    const [http, same, own] = [middle(rates.http), middle(rates.same), middle(rates.own)];
    const condition = `${CONNECTIONS} connections`;
    tell({ what: "bonuses paid over HTTP", condition, unit: "a second", value: http });
    tell({ what: "the same function by pgbench", condition, unit: "a second", value: same });
    tell({ what: "HTTP to pgbench", condition, unit: "times", value: http / same });
    tell({ what: "ledger.transfer by pgbench, no shared account", condition, unit: "a second", value: own });
  });

const CLAIM = `\\set n random(1, ${PLAYERS})\nselect * from claim_bonus('${crowdId(0).slice(0, -1)}' || cast(:n as text));\n`;
/** Colons are written as chr(58): pgbench takes a word after one for a variable, in quotes too. */
const OWN_ACCOUNTS = `select problem from ledger.transfer('bench.' || gen_random_uuid(), 'withdraw',
  concat('machine', chr(58), 'bench', cast(:client_id as text)), concat('player', chr(58), 'bench', cast(:client_id as text)), 1, '{}');\n`;

async function grant(rig: Rig, query: Query): Promise<void> {
  rig.say(`Transfers: ${PLAYERS * GRANTS_OF_PLAYER} bonuses are granted`);
  await query(
    `insert into bonus_grant (id, player_id, amount, reason, granted_by)
     select 'bg_' || gen_random_uuid(), 'p_crowd' || player, 1, 'bench', 'bench'
     from generate_series(1, $1::int) player, generate_series(1, $2::int)`,
    [PLAYERS, GRANTS_OF_PLAYER],
  );
  await query("analyze bonus_grant");
}

/** Transfers that stand in the ledger afterwards, a second: what refused or failed does not count. */
async function rateOf(query: Query, run: () => Promise<void>): Promise<number> {
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
