import { queueCalls } from "@longarm/contract/player-queue";
import { percentile, spreadOf } from "../../rig/figures.ts";
import type { Player } from "../../rig/player.ts";
import { postRequest, startCallers } from "../load/callers.ts";
import type { Query } from "../load/crowd.ts";
import { crowdId, gatherCrowd, queryOf } from "../load/crowd.ts";
import type { Part } from "../result.ts";

const WAITING = 10_000;
const MACHINES = 600;
/** Signed in: they join and are called. */
const PLAYERS = 200;
/** Places that one player may hold. */
const PLACES = 3;
const JOINS_A_SECOND = 40;
const WARMING = 120;
const CONNECTIONS = 64;
/** Players who wait for one real machine, each called and letting the next one go first. */
const CALLED = 60;

/**
 * Queues of a large floor: 10,000 wait for 600 machines, and 600 more join at a fixed rate. Then one machine calls player after player: from the word of
 * the one who lets the next go first to the answer, with which the next is called.
 */
export const queue: Part = async (setup, report) => {
  const query = queryOf(setup);
  const crowd = await gatherCrowd(setup, query, PLAYERS);
  await fillFloor(query);
  const { host, port } = new URL(setup.venue.href);
  const requests = crowd.flatMap(({ token }, at) =>
    Array.from({ length: PLACES }, (_, n) => {
      const machine = floorId((at * PLACES + n) % MACHINES);
      return postRequest(`/v1/${queueCalls.joinQueue.path}`, { host, token }, { machine });
    }),
  );
  const callers = startCallers();
  try {
    const join = (some: readonly string[]) =>
      callers.call({
        ...{ port: Number(port), requests: some, connections: CONNECTIONS },
        ...{ seconds: some.length / JOINS_A_SECOND, rate: JOINS_A_SECOND },
      });
    // Compilers, caches and pools come to their size first.
    await join(requests.slice(0, WARMING));
    setup.say(`Queue: ${requests.length - WARMING} players join ${WAITING} who wait`);
    const joined = await join(requests.slice(WARMING));
    const condition = `${WAITING.toLocaleString("en")} wait for ${MACHINES} machines`;
    report({
      ...{ what: "queue: a player joins", condition, unit: "ms" },
      value: { p50: joined.p50, p95: joined.p95, max: joined.max, n: joined.answered },
    });
    report({
      ...{ what: "queue: a player joins, p99", condition, unit: "ms", value: joined.p99 },
      held: { reach: { of: "figure", atMost: 50 } },
    });
    report({ what: "queue: joins that were refused", condition, unit: "times", value: joined.failed });
    const calls = await passAlong(query, crowd.slice(0, CALLED));
    report({ what: "queue: let the next one go first", condition, unit: "ms", value: spreadOf(calls) });
    report({
      ...{ what: "queue: let the next one go first, p99", condition, unit: "ms" },
      value: percentile(
        calls.toSorted((one, other) => one - other),
        0.99,
      ),
      held: { reach: { of: "figure", atMost: 250 } },
    });
  } finally {
    callers.end();
    await query(
      "update queue_place set ended_at = now(), end_reason = 'left', called_machine = null, called_at = null, call_until = null where ended_at is null",
    );
    await query("delete from seat where machine_id like 'queue-%'");
    await query("delete from machine where id like 'queue-%'");
  }
};

const floorId = (number: number): string => `queue-${number}`;

/** Machines that no agent brings, each with as many who wait. */
async function fillFloor(query: Query): Promise<void> {
  await query(
    `insert into player (id, username, username_key, password, demo)
     select 'p_crowd' || n, 'crowd' || n, 'crowd' || n, password, true
     from player, generate_series(1, $1::int) n where player.id = '${crowdId(1)}' on conflict do nothing`,
    [PLAYERS + WAITING],
  );
  await query(
    `insert into machine (id, agent_id, facts, meters, meters_at, jackpots)
     select 'queue-' || n, agent_id, jsonb_set(facts, '{brand}', '"Queue"'), meters, meters_at, jackpots
     from (select * from machine order by id limit 1) m, generate_series(0, $1::int - 1) n`,
    [MACHINES],
  );
  await query("insert into seat (machine_id, epoch, state) select id, 0, 'free' from machine where id like 'queue-%'");
  await query(
    `insert into queue_place (id, player_id, wants)
     select 'qp_bench' || n, 'p_crowd' || (n + $1::int), array['machine:queue-' || (n % $2::int)] from generate_series(1, $3::int) n`,
    [PLAYERS, MACHINES, WAITING],
  );
  await query("analyze queue_place");
}

/** All of these wait for one machine that works; each lets the next one go first. @returns how long that took, ms. */
async function passAlong(query: Query, players: readonly Player[]): Promise<number[]> {
  const [row] = await query(
    "select m.id from machine m join agent_link l on l.machine_id = m.id join seat s on s.machine_id = m.id where s.player_id is null order by m.id limit 1",
  );
  const machine = String(row?.["id"]);
  const ids = players.map((_, at) => crowdId(at + 1));
  await query(
    "update queue_place set ended_at = now(), end_reason = 'left' where player_id = any($1::text[]) and ended_at is null",
    [ids],
  );
  await query(
    "insert into queue_place (id, player_id, wants) select 'qp_pass' || n, id, array['machine:' || $2::text] from unnest($1::text[]) with ordinality as p (id, n)",
    [ids, machine],
  );
  const times: number[] = [];
  for (let round = 0; round < players.length; round += 1) {
    const called = await calledAt(query, machine);
    const player = players[Number(called.slice("qp_pass".length)) - 1];
    if (player === undefined) break;
    const from = performance.now();
    const passed = await player.call(queueCalls.passQueue.path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id: called }),
    });
    if (!passed.ok) throw new Error(`To let the next one go first was answered ${passed.status}.`);
    times.push(performance.now() - from);
  }
  return times;
}

/** The place that a machine is kept for; the first call comes with the platform's look. */
async function calledAt(query: Query, machine: string): Promise<string> {
  const untilMs = performance.now() + 10_000;
  while (performance.now() < untilMs) {
    const [row] = await query("select id from queue_place where called_machine = $1", [machine]);
    if (row !== undefined) return String(row["id"]);
  }
  throw new Error(`${machine} calls no player.`);
}
