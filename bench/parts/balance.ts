import { setTimeout as pause } from "node:timers/promises";
import { percentile } from "../../rig/figures.ts";
import { ownCost } from "../../rig/process.ts";
import type { Callers } from "../load/callers.ts";
import { getRequest, highestSustained, isSustained, SUSTAINED_P99_MS, startCallers } from "../load/callers.ts";
import { startBare } from "../load/child.ts";
import { gatherCrowd, queryOf } from "../load/crowd.ts";
import type { Part } from "../result.ts";

const PLAYERS = 200;
const CONNECTIONS = 128;
/** Of one try of a rate, s. */
const TRY_S = 1.5;
/** Of the rate at which times are reported, s. */
const STEADY_S = 5;
/** Halvings of what lies between nothing and a little more than the fastest: the last is a fiftieth of it. */
const TRIES = 6;
/** In turns, so that both meet the same other work. */
const ROUNDS = 2;
/** What a rate that was too high has left behind is answered meanwhile. */
const BETWEEN_MS = 300;
const PATH = "/v1/player/balance";

type Side = { readonly port: number; readonly pid: number; readonly requests: readonly string[] };
type Found = { readonly rate: number; readonly p99: number; readonly cpuMs: number };

/**
 * A player's balance through everything (address limit, token, account's limit, database) beside a bare Fastify that answers the same JSON.
 * Calls come at a fixed rate however long answers take, and count from the moment they were meant for: a server that falls behind cannot slow
 * its callers down and look well by it.
 */
export const balance: Part = async (setup, report) => {
  const query = queryOf(setup);
  const crowd = await gatherCrowd(setup, query, PLAYERS);
  const { host, port } = new URL(setup.venue.href);
  const requests = crowd.map(({ token }) => getRequest(PATH, host, token));
  const answer: object | undefined = await crowd[0]?.balance();
  if (answer === undefined) throw new Error("No player has signed in.");
  const bare = await startBare(answer);
  const callers = startCallers();
  const sides: readonly Side[] = [
    { port: Number(port), pid: setup.venue.platform.pid(), requests },
    { port: bare.port, pid: bare.pid, requests },
  ];
  const found: [Found[], Found[]] = [[], []];
  try {
    for (const side of sides) await fastest(callers, side, STEADY_S);
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [index, side] of sides.entries()) {
        const one = await sustained(callers, side);
        setup.say(`Balance: ${index === 0 ? "the platform" : "bare Fastify"} answers ${one.rate.toFixed(0)} a second`);
        found[index]?.push(one);
      }
  } finally {
    callers.end();
    bare.end();
  }
  const middle = (index: 0 | 1, what: keyof Found): number =>
    percentile(
      found[index].map((one) => one[what]).toSorted((one, other) => one - other),
      0.5,
    );
  const held = (what: keyof Found) => ({ peer: { name: "bare Fastify", value: middle(1, what) } });
  const most = `most with p99 ≤ ${SUSTAINED_P99_MS} ms, ${CONNECTIONS} connections`;
  report({
    ...{ what: "balance over HTTP", condition: most, unit: "a second", value: middle(0, "rate") },
    held: { ...held("rate"), reach: { of: "ratio", atLeast: 0.7 } },
  });
  const half = "at half of that";
  report({ what: "balance over HTTP, p99", condition: half, unit: "ms", value: middle(0, "p99"), held: held("p99") });
  report({
    ...{ what: "balance over HTTP, processor of a call", condition: half, unit: "ms", value: middle(0, "cpuMs") },
    held: held("cpuMs"),
  });
};

/** Answers a second when every connection asks again once it is answered. */
async function fastest(callers: Callers, { port, requests }: Side, seconds: number): Promise<number> {
  const { perSecond, failed } = await callers.call({ port, requests, connections: CONNECTIONS, seconds, rate: null });
  if (failed > 0) throw new Error(`${failed} calls of a balance failed.`);
  return perSecond;
}

async function sustained(callers: Callers, side: Side): Promise<Found> {
  const { port, requests, pid } = side;
  const at = (rate: number, seconds: number) =>
    callers.call({ port, requests, connections: CONNECTIONS, seconds, rate });
  const top = await fastest(callers, side, TRY_S);
  const rate = await highestSustained({ from: 0, to: top * 1.2, tries: TRIES }, async (tried) => {
    await pause(BETWEEN_MS);
    return isSustained(await at(tried, TRY_S));
  });
  await pause(BETWEEN_MS);
  const before = ownCost(pid);
  const { p99, answered } = await at(rate / 2, STEADY_S);
  return { rate, p99, cpuMs: ((ownCost(pid)?.cpuMs ?? 0) - (before?.cpuMs ?? 0)) / Math.max(1, answered) };
}
