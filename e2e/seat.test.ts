import { afterAll, beforeAll, expect, test } from "vitest";
import type { Player } from "../rig/player.ts";
import { allOf, ELIF, signIn } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";

/* One seat, two players, several sockets: who holds it, and which messages each socket gets. */

const SOON = { timeout: 30_000, interval: 50 };
const MACHINE = "nar-01";
let venue: TestVenue;
let deniz: Player;
let elif: Player;
let all: number;

beforeAll(async () => {
  venue = await openTestVenue({ machines: 2 });
  deniz = await signIn(venue.href);
  elif = await signIn(venue.href, ELIF);
  all = allOf(await deniz.balance());
});
afterAll(() => venue?.close());

test("an occupied seat is refused as 60011 to another player, and to its holder at a second machine as 60013", async () => {
  const page = await deniz.open(MACHINE);
  expect(await page.init()).toMatchObject({ is: "done" });
  const other = await elif.open(MACHINE);
  expect(await other.init()).toMatchObject({ is: "refused", refusal: { code: 60011, name: "seat.taken" } });
  const [free] = (await deniz.machines()).filter(({ id }) => id !== MACHINE);
  const second = await deniz.open(free?.id ?? "");
  expect(await second.init()).toMatchObject({ is: "refused", refusal: { code: 60013 } });
  await expect.poll(() => elif.statusOf(MACHINE), SOON).toBe(3);
  await page.peer.request("leave", {});
  await expect.poll(() => other.init(), SOON).toMatchObject({ is: "done" });
  await other.peer.request("leave", {});
});

test("a new socket of the holder closes the older one as taken over, and grows the epoch", async () => {
  const first = await deniz.open(MACHINE);
  const one = await first.init();
  const second = await deniz.open(MACHINE);
  const two = await second.init();
  expect(await first.closed).toEqual({ code: 4000, reason: "taken over" });
  if (one.is !== "done" || two.is !== "done") throw new Error("the holder was refused");
  expect(two.data.epoch).toBe((one.data.epoch ?? 0) + 1);
  expect(two.data.playSession?.id).toBe(one.data.playSession?.id);
  await second.peer.request("leave", {});
});

test("a dropped game socket shows 2 to others and 3 again once the holder is back; the credits stay", async () => {
  const page = await deniz.open(MACHINE);
  await page.init();
  await page.peer.request("cashIn", { id: "before-the-gap", amount: 30_000 });
  page.drop();
  await expect.poll(() => elif.statusOf(MACHINE), SOON).toBe(2);
  expect(await deniz.balance()).toEqual({ balance: all - 30_000, onMachine: 30_000 });
  const back = await deniz.open(MACHINE);
  expect(await back.init()).toMatchObject({ is: "done", data: { meters: { credit: 30_000 }, machine: { status: 3 } } });
  await expect.poll(() => elif.statusOf(MACHINE), SOON).toBe(3);
  expect(await back.peer.request("leave", {})).toMatchObject({ data: { outcome: "done", amount: 30_000 } });
  await expect.poll(() => deniz.balance(), SOON).toEqual({ balance: all });
});

test("a platform that was killed while somebody sat finds the seat and the credits again", {
  tags: ["long"],
}, async () => {
  const page = await deniz.open(MACHINE);
  await page.init();
  await page.peer.request("cashIn", { id: "before-the-outage", amount: 30_000 });
  await venue.platform.kill();
  await venue.platform.restart();
  await expect.poll(() => deniz.balance(), SOON).toEqual({ balance: all - 30_000, onMachine: 30_000 });
  const back = await deniz.open(MACHINE);
  await expect.poll(() => back.init(), SOON).toMatchObject({ is: "done" });
  await expect
    .poll(() => back.peer.request("leave", {}), SOON)
    .toMatchObject({ is: "done", data: { outcome: "done", amount: 30_000 } });
  await expect.poll(() => deniz.balance(), SOON).toEqual({ balance: all });
  expect(await venue.ledger.verify()).toEqual([]);
});
