import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { platformMigrations } from "../../migration-sets.ts";
import { longarmOf } from "../../testing/longarm.ts";
import { eventually, sharePlayVenue } from "../../testing/play-venue.ts";
import { CALL_LIMITS } from "./calls.ts";

/* player 3: "Call an attendant" is heard, seen by staff, and its page says what became of it. */

const venue = sharePlayVenue({ env: { CALL_LATE_MS: "1000" } });

const longarm = longarmOf(venue);

async function atMachine(id: string) {
  const { machine, agent } = await venue.machine(id);
  const player = await venue.player(`calls.${id}`, 10_000);
  const page = await venue.page(player.token, id);
  const init = await page.init();
  return { machine, agent, player, page, init };
}

const rowsOf = (machineId: string) =>
  venue.db
    .withTables<{ attendant_call: { id: number; machine_id: string; reason: string; called_at: Date } }>()
    .selectFrom("attendant_call")
    .selectAll()
    .where("machine_id", "=", machineId)
    .orderBy("id")
    .execute();

/** Lets the calls of a machine be so much older. */
const age = (machineId: string, seconds: number) =>
  sql`update attendant_call set called_at = called_at - ${seconds} * interval '1 second' where machine_id = ${machineId}`.execute(
    venue.db,
  );

test("player 3: a call is one row however often the key is pressed, and staff answers and closes it before the page's eyes", async () => {
  const { page, init, player } = await atMachine("call-01");
  expect(init).toMatchObject({ is: "done", data: { call: null } });
  const calls = await Promise.all([1, 2, 3].map(() => page.peer.request("callAttendant", {})));
  for (const call of calls) expect(call).toMatchObject({ is: "done", data: { state: "open" } });
  expect(await page.peer.request("callAttendant", {})).toMatchObject({ is: "done", data: { state: "open" } });
  const rows = await rowsOf("call-01");
  expect(rows).toMatchObject([{ reason: "player" }]);
  const number = String(rows[0]?.id);

  expect((await longarm("calls", "list")).said).toMatch(/call-01 +calls\.call-01 +player/);
  expect((await longarm("calls", "answer", number, "--dry-run")).said).toContain("nothing was changed");
  expect(await rowsOf("call-01")).toMatchObject([{ answered_at: null }]);
  expect((await longarm("calls", "answer", number)).code).toBe(0);
  await eventually(() => expect(page.ofMethod("call").at(-1)).toMatchObject({ state: "answered" }));
  expect((await longarm("calls", "answer", number)).complained).toContain("answered already, by root:ayse");

  // A page that is opened anew shows it too.
  const again = await venue.page(player.token, "call-01");
  expect(await again.init()).toMatchObject({ data: { call: { state: "answered", answeredAt: expect.any(String) } } });

  expect((await longarm("calls", "close", number)).code).toBe(0);
  await eventually(() => expect(again.ofMethod("call").at(-1)).toMatchObject({ state: "closed" }));
  expect((await longarm("calls", "list")).said).not.toContain("call-01");
  expect((await longarm("calls", "list", "--all")).said).toMatch(/call-01 .*by root:ayse.*by root:ayse/);
  const entries = (await longarm("audit", "list", "--type", "call.opened,call.answered,call.closed")).said;
  for (const word of [`player:${player.id}`, "root:ayse"]) expect(entries).toContain(word);
});

test("player 3: calls cannot be flooded, and say when the next one is heard", async () => {
  const { page } = await atMachine("call-02");
  const close = async () => {
    const open = (await rowsOf("call-02")).at(-1);
    expect((await longarm("calls", "close", String(open?.id))).code).toBe(0);
  };
  for (let call = 0; call < CALL_LIMITS.most; call += 1) {
    expect(await page.peer.request("callAttendant", {})).toMatchObject({ is: "done" });
    await close();
    expect(await page.peer.request("callAttendant", {})).toMatchObject({
      is: "refused",
      refusal: { name: "request.too_many", params: { seconds: expect.any(Number) } },
    });
    await age("call-02", CALL_LIMITS.againS + 1);
  }
  expect(await page.peer.request("callAttendant", {})).toMatchObject({ is: "refused" });
  await age("call-02", CALL_LIMITS.withinS);
  expect(await page.peer.request("callAttendant", {})).toMatchObject({ is: "done" });
  await close();
});

test("player 3: why is the machine's own word, somebody without the seat calls nobody, and a late call is counted", async () => {
  const { machine, agent, page } = await atMachine("call-03");
  const other = await venue.player("calls.other");
  const stranger = await venue.page(other.token, "call-03");
  expect(await stranger.peer.request("callAttendant", {})).toMatchObject({ is: "refused" });
  expect(await rowsOf("call-03")).toEqual([]);
  machine.lockup = "tilt";
  machine.happen("tilt");
  await agent.pump();
  expect(await page.peer.request("callAttendant", {})).toMatchObject({ is: "done" });
  expect(await rowsOf("call-03")).toMatchObject([{ reason: "tilt" }]);
  const metrics = async () => (await venue.get("/metrics")).body;
  await eventually(async () => expect(await metrics()).toMatch(/longarm_calls_open 1\n/));
  await age("call-03", 2);
  await eventually(async () => expect(await metrics()).toMatch(/longarm_calls_late 1\n/));
});

test("the tables of calls are made over a database that has players and machines", async () => {
  const database = await testDatabase();
  const own = platformMigrations.find(({ name }) => name === "calls");
  if (!own) throw new Error("the calls have no migrations");
  const sets = platformMigrations.slice(0, platformMigrations.indexOf(own));
  await migrate({ pool: database.pool, sets, log: silentLog });
  expect(await rehearseMigrations(database.pool, own)).toEqual([
    "0001-attendant-calls",
    "0002-any-kind-of-lockup",
    "0003-alarms-that-stay",
    "0004-recording",
    "0005-evidence",
  ]);
  await database.drop();
});
