import Fastify from "fastify";
import { Registry } from "prom-client";
import { afterEach, expect, test } from "vitest";
import { manualClock } from "../testing/manual-clock.ts";
import { serveHealth } from "./health.ts";

const app = Fastify();
const clock = manualClock();
let state = { draining: false, bus: "up" as "up" | "away", database: true as boolean | "silent" };
serveHealth(app, {
  clock,
  metrics: new Registry(),
  refresh: async () => {},
  isDraining: () => state.draining,
  busState: () => state.bus,
  async ping() {
    if (state.database === "silent") await new Promise(() => {});
    if (!state.database) throw new Error("the database is away");
  },
});
afterEach(() => {
  state = { draining: false, bus: "up", database: true };
});

async function ask(path: string) {
  const answer = await app.inject(path);
  return [answer.statusCode, answer.json()];
}

test("ready is who reaches the database; without the bus a node is ready, but says what it misses", async () => {
  expect(await ask("/readyz")).toEqual([200, { status: true }]);
  state.bus = "away";
  expect(await ask("/readyz")).toEqual([200, { status: true, degraded: ["bus"] }]);
  state.database = false;
  expect(await ask("/readyz")).toEqual([503, { status: false, ErrorMessage: "The database cannot be reached" }]);
  expect(await ask("/healthz")).toEqual([200, { status: true }]);
});

test("a process that is about to end lives, and is not ready", async () => {
  state.draining = true;
  expect(await ask("/readyz")).toEqual([503, { status: false, ErrorMessage: "This process is about to end" }]);
  expect(await ask("/healthz")).toEqual([200, { status: true }]);
});

test("a database that says nothing is away after three seconds", async () => {
  state.database = "silent";
  const asked = ask("/readyz");
  const step = setInterval(() => clock.advance(3_000), 10);
  expect(await asked).toEqual([503, { status: false, ErrorMessage: "The database cannot be reached" }]);
  clearInterval(step);
});
