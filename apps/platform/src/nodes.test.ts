import { silentLog } from "@longarm/database/log";
import { testDatabase } from "@longarm/database/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import type { Log } from "./log.ts";
import type { Nodes } from "./nodes.ts";
import { createNodes, NodeNameTaken } from "./nodes.ts";
import { manualClock } from "./testing/manual-clock.ts";

let db: Awaited<ReturnType<typeof testDatabase<unknown>>>;
const open: Nodes[] = [];
beforeAll(async () => {
  db = await testDatabase();
});
afterEach(() => {
  for (const nodes of open.splice(0)) nodes.close();
});
afterAll(() => db.drop());

function node(id: string, clock = systemClock): Nodes {
  const nodes = createNodes({ db, clock, log: silentLog as Log }, id);
  open.push(nodes);
  return nodes;
}

test("a node lives from the moment it holds its name until its process lets go of it", async () => {
  const [one, two] = [node("one"), node("two")];
  await one.hold();
  expect((await one.ended(["one", "two", "never"])).toSorted()).toEqual(["never", "two"]);
  await two.hold();
  expect(await one.ended(["one", "two", "two"])).toEqual([]);
  two.close();
  await expect.poll(() => one.ended(["two"])).toEqual(["two"]);
});

test("who does not hold a name of its own judges nobody", async () => {
  expect(await node("lost").ended(["anybody"])).toEqual([]);
});

test("a name that lives is refused with a sentence; one that was just let go is waited for", async () => {
  const clock = manualClock();
  const first = node("same");
  await first.hold();
  const hurried = node("same", clock).hold();
  let over = false;
  const refused = expect(hurried.finally(() => (over = true))).rejects.toThrow(NodeNameTaken);
  await expect
    .poll(() => {
      clock.advance(200);
      return over;
    })
    .toBe(true);
  await refused;
  const patient = node("same").hold();
  first.close();
  await patient;
});

test("a connection that breaks is opened again, and its node has its name back", async () => {
  const [one, two] = [node("kept"), node("watching")];
  await one.hold();
  await two.hold();
  // Of this database alone: other tests' venues hold their locks on the same server.
  await db.pool.query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()
       and database = (select oid from pg_database where datname = current_database())`,
  );
  await expect.poll(() => two.ended(["kept", "never"]), { timeout: 30_000 }).toEqual(["never"]);
  await expect.poll(() => one.ended(["watching", "never"]), { timeout: 30_000 }).toEqual(["never"]);
});
