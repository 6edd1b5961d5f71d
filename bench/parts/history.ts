import { openDatabase } from "@longarm/database/connection";
import { silentLog } from "@longarm/database/log";
import { writeLongHistory } from "@longarm/platform/testing/long-history";
import { playerIdOf, signIn } from "../../e2e/player/player.ts";
import { DEMO_PLAYERS } from "../../launcher/seed.ts";
import type { Spread } from "../figures/spread.ts";
import { spreadOf } from "../figures/spread.ts";
import type { Part } from "./part.ts";

const SHORT_ROWS = 1_000;
const LONG_ROWS = 1_000_000;
/** Asked of each history in turns, so that both meet the same other work. */
const ROUNDS = 60;
const WARM_UP_ROUNDS = 5;
/** Writing and tidying a million rows. */
const STATEMENT_MS_MAX = 120_000;
const DAY_MS = 86_400_000;

/** What a player looks at; each is asked of the API as the page asks. */
const questions = (now: number): Readonly<Record<string, string>> => ({
  "transactions, newest 25": "player/transactions",
  "transactions, a download's 500": "player/transactions?limit=500",
  "transactions, jackpots": "player/transactions?type=6",
  "transactions, a rare machine": "player/transactions?search=nar",
  "transactions, a week": `player/transactions?from=${new Date(now - 7 * DAY_MS).toISOString()}`,
  "sessions, newest 25": "player/sessions",
  "sessions, a rare machine": "player/sessions?search=nar",
});

/** How long the API takes for one page of a history of a thousand rows, and of a million. */
export const history: Part = async (rig, tell) => {
  const [short, long] = await Promise.all(DEMO_PLAYERS.map((player) => signIn(rig.house.href, player)));
  if (short === undefined || long === undefined) throw new Error("Two demo players are needed.");
  rig.say(`History: writing ${LONG_ROWS} sessions and transactions`);
  const url = rig.house.databaseUrl;
  const db = openDatabase({ url, maxConnections: 1, log: silentLog, statementTimeoutMs: STATEMENT_MS_MAX });
  try {
    const found = await db.pool.query<{ id: string }>("select id from machine order by (id like 'nar%') desc, id");
    const machineIds = found.rows.map(({ id }) => id);
    await writeLongHistory(db.pool, { playerId: playerIdOf(short), machineIds, rows: SHORT_ROWS });
    await writeLongHistory(db.pool, { playerId: playerIdOf(long), machineIds, rows: LONG_ROWS });
  } finally {
    await db.close();
  }
  for (const [what, path] of Object.entries(questions(Date.now()))) {
    rig.say(`History: ${what}`);
    const times: { short: number[]; long: number[] } = { short: [], long: [] };
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
      const shortMs = await timeOf(() => short.call(path));
      const longMs = await timeOf(() => long.call(path));
      if (round < 0) continue;
      times.short.push(shortMs);
      times.long.push(longMs);
    }
    const [ofShort, ofLong] = [spreadOf(times.short), spreadOf(times.long)];
    tell({ what, condition: `${SHORT_ROWS} rows`, unit: "ms", value: ofShort });
    tell({ what, condition: `${LONG_ROWS} rows`, unit: "ms", value: ofLong });
    tell({ what, condition: "long to short, p50", unit: "times", value: ratio(ofLong, ofShort) });
  }
};

async function timeOf(ask: () => Promise<Response>): Promise<number> {
  const from = performance.now();
  const reply = await ask();
  await reply.text();
  if (!reply.ok) throw new Error(`A history answered ${reply.status}.`);
  return performance.now() - from;
}

const ratio = (one: Spread | null, other: Spread | null): number | null =>
  one === null || other === null ? null : one.p50 / other.p50;
