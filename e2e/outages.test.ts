/** @module-tag long */
import { systemClock } from "@longarm/database/clock";
import type { EmbeddedPostgres } from "@longarm/database/embedded-server";
import { startEmbeddedPostgres } from "@longarm/database/embedded-server";
import { silentLog } from "@longarm/database/log";
import type { TemporaryVenue } from "@longarm/database/testing/temporary-venue";
import { killAndWait, temporaryVenue } from "@longarm/database/testing/temporary-venue";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSocket } from "../apps/platform/src/testing/open-socket.ts";
import type { Player } from "../rig/player.ts";
import { allOf, ELIF, signIn } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";

/* The database is killed and comes back; the platform is stopped during requests. Every request gets an answer, nothing is lost. */

const SOON = { timeout: 60_000, interval: 50 };
const AMOUNT = 50_000;
/** Far less than the minute for which an idle connection is kept, and more than a slow computer needs. */
const STOP_MS = 40_000;
const MACHINE = "nar-01";
const OTHER = "kuzey-01";

let place: TemporaryVenue;
let elsewhere: Awaited<ReturnType<TemporaryVenue["startElsewhere"]>>;
let again: EmbeddedPostgres | undefined;
let venue: TestVenue;
let deniz: Player;
let elif: Player;
let all: number;

/** A venue for each test: after an outage that went wrong the next try begins anew. */
beforeEach(async () => {
  place = await temporaryVenue();
  elsewhere = await place.startElsewhere();
  venue = await openTestVenue({ machines: 4, nodes: 1, databaseUrl: elsewhere.url });
  deniz = await signIn(venue.href);
  elif = await signIn(venue.href, ELIF);
  all = allOf(await deniz.balance());
});
afterEach(async () => {
  await venue?.close();
  await again?.stop();
  again = undefined;
  await place?.end();
});

async function seat(player: Player, machineId: string) {
  const page = await player.open(machineId);
  await expect.poll(() => page.init(), SOON).toMatchObject({ is: "done" });
  return page;
}

const statusOf = async (path: string): Promise<number> => (await fetch(`${venue.href}/${path}`)).status;

test("a killed database: the platform stays up and reports that it is not ready, and recovers by itself once the database is back", {}, async () => {
  const page = await seat(deniz, MACHINE);
  expect(await page.peer.request("cashIn", { id: "before-it", amount: AMOUNT })).toMatchObject({
    data: { outcome: "done" },
  });
  const programs = [venue.platform.pid(), venue.agent.pid()];
  // The supervisor that would restart it ends first.
  await killAndWait(elsewhere.owner);
  process.kill(elsewhere.serverPid, "SIGKILL");
  await expect.poll(() => statusOf("readyz"), SOON).toBe(503);
  expect(await statusOf("healthz")).toBe(200);
  // An unknown outcome is not reported as a refusal.
  const cashOut = (id: string) => page.peer.request("cashOut", { id });
  expect(await cashOut("in-the-middle")).toMatchObject({ is: "done", data: { outcome: "unknown" } });
  expect((await deniz.call("player/balance")).status).toBeGreaterThanOrEqual(500);

  const { folder, systemFolder } = place;
  const listen = { portNumber: Number(new URL(elsewhere.url).port) };
  again = await startEmbeddedPostgres({ folder, systemFolder, listen, log: silentLog, clock: systemClock, fast: true });
  await expect.poll(() => statusOf("readyz"), SOON).toBe(200);
  await expect
    .poll(() => page.ofMethod("transfer"), SOON)
    .toEqual([{ id: "in-the-middle", outcome: "refused", amount: 0 }]);
  expect(await deniz.balance()).toEqual({ balance: all - AMOUNT, onMachine: AMOUNT });
  // What was announced stays: only a new transfer moves the money.
  expect(await cashOut("in-the-middle")).toMatchObject({ is: "refused" });
  await expect
    .poll(() => cashOut("after-it"), SOON)
    .toMatchObject({ is: "done", data: { outcome: "done", amount: AMOUNT } });
  expect(await page.peer.request("leave", {})).toMatchObject({ data: { outcome: "done" } });
  expect(await deniz.balance()).toEqual({ balance: all });
  expect([venue.platform.pid(), venue.agent.pid()]).toEqual(programs);
  expect(await venue.ledger.verify()).toEqual([]);
});

test("a platform that is stopped answers accepted requests, over HTTP and sockets, closes the sockets with 1012, and accepts no new ones", async () => {
  const page = await seat(deniz, MACHINE);
  const other = await seat(elif, OTHER);
  expect(await other.peer.request("cashIn", { id: "to-come-home", amount: AMOUNT })).toMatchObject({
    data: { outcome: "done" },
  });
  const idle = openSocket(`${venue.href.replace("http", "ws")}/notifications?token=${deniz.token}`);
  await idle.opened;

  // A frozen agent keeps both waiting.
  process.kill(venue.agent.pid(), "SIGSTOP");
  const paidIn = page.peer.request("cashIn", { id: "in-the-end", amount: AMOUNT });
  const cancelled = elif.call("player/cancel", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ machineId: OTHER }),
  });
  await expect
    .poll(() => venue.ask("select count(*)::int as answer from machine_transfer where state = 'asking'"), SOON)
    .toBe(1);
  await expect
    .poll(() => venue.ask(`select state as answer from seat where machine_id = '${OTHER}'`), SOON)
    .toBe("ending");

  const ended = venue.platform.exited();
  process.kill(venue.platform.pid(), "SIGTERM");
  expect(await idle.closed).toEqual({ code: 1012, reason: "restart" });
  const newcomer = fetch(`${venue.href}/healthz`);
  // The platform waits for answers for some seconds only, and a busy computer needs them.
  process.kill(venue.agent.pid(), "SIGCONT");
  await expect(newcomer).rejects.toThrow();
  expect(await paidIn).toMatchObject({ is: "done", data: { outcome: "done", amount: AMOUNT } });
  expect(await page.closed).toEqual({ code: 1012, reason: "restart" });
  expect(await (await cancelled).json()).toMatchObject({ code: 20000 });
  // No signal kills it: it ends by itself, and does not wait for a caller's connection to become old.
  const stillThere = AbortSignal.timeout(STOP_MS);
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(stillThere.aborted).toBe(false);

  await venue.platform.restart();
  expect(await deniz.balance()).toEqual({ balance: all - AMOUNT, onMachine: AMOUNT });
  const back = await seat(deniz, MACHINE);
  await expect
    .poll(() => back.peer.request("leave", {}), SOON)
    .toMatchObject({ data: { outcome: "done", amount: AMOUNT } });
  expect(await deniz.balance()).toEqual({ balance: all });
  expect(await venue.ledger.verify()).toEqual([]);
});
