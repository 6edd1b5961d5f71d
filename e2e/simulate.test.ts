/** @module-tag long */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openSocket } from "../apps/platform/src/testing/open-socket.ts";
import type { Player } from "../rig/player.ts";
import { allOf, ELIF, signIn, sitAt } from "../rig/player.ts";
import { longarm } from "../rig/venue/staff.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";

/* What happens to a machine under its player, made to happen from the command line; each time the player plays on. */

const SOON = { timeout: 60_000, interval: 100 };
const MACHINE = "nar-01";
let venue: TestVenue;
let deniz: Player;
let elif: Player;
/** What the player owned at the start, everywhere together. */
let all: number;

beforeAll(async () => {
  venue = await openTestVenue({ machines: 1 });
  deniz = await signIn(venue.href);
  elif = await signIn(venue.href, ELIF);
  all = allOf(await deniz.balance());
});
afterAll(() => venue?.close());
/** The seat is free, and the wallet has what it had at first and what the games brought. */
afterEach(async () => {
  await expect.poll(() => elif.statusOf(MACHINE), SOON).toBe(1);
  const net = Number(await venue.ask("select coalesce(sum(win - stake), 0) as answer from game"));
  expect(await deniz.balance()).toEqual({ balance: all + net });
  expect(await venue.ledger.verify()).toEqual([]);
  expect(await venue.ask("select count(*)::int as answer from discrepancy")).toBe(0);
});

const simulate = (what: string) => longarm(venue, "simulate", MACHINE, what);
const owner = async () => await longarm(venue, "machines", "list");

test.each([
  ["tilt", "tilt"],
  ["door", "door"],
])("%s and repair under a playing player: no press passes meanwhile, and the player plays on", async (what, lockup) => {
  const device = await sitAt(deniz, MACHINE);
  await device.cashIn(`before-the-${what}`, 200_000);
  await device.play();
  await simulate(what);
  await device.shows({ lockup });
  await expect.poll(() => elif.statusOf(MACHINE), SOON).toBe(0);
  expect(await device.press()).toBe("refused 60042");
  expect(await owner()).toMatch(new RegExp(`nar-01 .* fault +deniz\\.aydin .* locked: ${lockup}`));
  expect(await simulate("repair")).toBe("Repaired.");
  await expect.poll(() => device.meters().lockup, SOON).toBeUndefined();
  await expect.poll(() => elif.statusOf(MACHINE), SOON).toBe(3);
  await device.play();
  await device.leave();
});

test("a hand pay locks the machine with what is owed until staff confirms it: it is in the wallet, and the player plays on", async () => {
  const device = await sitAt(deniz, MACHINE);
  await device.cashIn("before-the-hand-pay", 200_000);
  expect(await simulate("handpay")).toMatch(/^The next game ends in a hand pay/);
  await device.spin();
  await device.shows({ lockup: "handPay", handPay: { kind: "win" } });
  const owed = device.meters().handPay?.amount ?? 0;
  expect(owed).toBeGreaterThan(0);
  await expect
    .poll(() => venue.ask("select count(*)::int as answer from hand_pay where confirmed_at is null"), SOON)
    .toBe(1);
  // The hand pay is reported before its game: the credits follow.
  await expect.poll(async () => (await deniz.balance()).onMachine, SOON).toBe(device.meters().credit);
  const before = await deniz.balance();
  expect(await simulate("repair")).toMatch(/a hand pay is owed/);
  await expect.poll(() => device.press(), SOON).toBe("refused 60042");
  expect(await longarm(venue, "handpay", "confirm", MACHINE)).toMatch(
    new RegExp(`^The hand pay HP\\d+ of ${(owed / 100).toFixed(2)} is paid, and the machine is reset\\.$`),
  );
  await expect.poll(() => deniz.balance(), SOON).toEqual({ ...before, balance: before.balance + owed });
  await expect.poll(() => device.meters().lockup, SOON).toBeUndefined();
  await device.play();
  await device.leave();
});

test("a bonus, free spins and the jackpot come with the next game and are in the history", async () => {
  const device = await sitAt(deniz, MACHINE);
  await device.cashIn("before-the-luck", 200_000);
  for (const [what, proof] of [
    ["bonus", "bonus"],
    ["freespins", "free_spins >= 8"],
    ["jackpot", "win >= 1500000"],
  ] as const) {
    await simulate(what);
    const { gamesPlayed } = device.meters();
    await device.play();
    const { gamesPlayed: now } = device.meters();
    expect(now).toBe(gamesPlayed + 1);
    await expect
      .poll(() => venue.ask(`select ${proof} as answer from game where game_number = ${now}`), SOON)
      .toBe(true);
  }
  await expect
    .poll(() => venue.ask("select body->>'name' as answer from machine_event where kind = 'jackpot'"), SOON)
    .toBe("GRAND");
  await device.leave();
});

test("a machine that goes offline in a game keeps seat and credits, accepts no other player, and its game is in the history once it is back", async () => {
  const device = await sitAt(deniz, MACHINE);
  await device.cashIn("before-the-silence", 200_000);
  await device.spin();
  const number = device.meters().gamesPlayed + (device.meters().inGame ? 1 : 0);
  await simulate("offline");
  await expect.poll(() => device.page.ofMethod("agent").at(-1), SOON).toEqual({ connected: false });
  expect(await owner()).toMatch(/nar-01 .* agentAway +deniz\.aydin .* does not answer/);
  const other = await elif.open(MACHINE);
  expect(await other.init()).toMatchObject({ is: "refused", refusal: { name: "seat.taken" } });
  other.drop();
  expect(await device.peer.request("cashOut", { id: "into-the-silence" })).toMatchObject({
    refusal: { name: "machine.unreachable" },
  });
  await simulate("repair");
  await expect.poll(() => device.page.ofMethod("agent").at(-1), SOON).toEqual({ connected: true });
  await expect
    .poll(() => venue.ask(`select count(*)::int as answer from game where game_number = ${number}`), SOON)
    .toBe(1);
  await expect.poll(() => device.meters().inGame, SOON).toBe(false);
  await device.play();
  await device.leave();
});

test("an agent killed in a game comes back to the same seat: the game is in the history, and the player plays on", async () => {
  const device = await sitAt(deniz, MACHINE);
  await device.cashIn("before-the-kill", 200_000);
  const { gamesPlayed } = device.meters();
  await device.spin();
  await venue.agent.kill();
  await expect.poll(() => device.page.ofMethod("agent").at(-1), SOON).toEqual({ connected: false });
  await venue.agent.restart();
  await expect.poll(() => device.page.ofMethod("agent").at(-1), SOON).toEqual({ connected: true });
  await expect
    .poll(() => venue.ask(`select count(*)::int as answer from game where game_number = ${gamesPlayed + 1}`), SOON)
    .toBe(1);
  await expect.poll(() => device.meters().gamesPlayed, SOON).toBe(gamesPlayed + 1);
  await device.play();
  await device.leave();
});

test("a frozen platform is noticed by page and agent although its sockets stay open; both come back when it runs again", async () => {
  const device = await sitAt(deniz, MACHINE);
  await device.cashIn("before-the-standstill", 200_000);
  // From its first beat on a page expects frames; the later page has had its first beat, so the earlier one has too.
  const witness = openSocket(`${venue.href.replace(/^http/, "ws")}/notifications?token=${deniz.token}`);
  await expect.poll(() => witness.frames, SOON).toContainEqual(expect.objectContaining({ method: "beat" }));
  const wholeLog = () => readFile(join(venue.dataFolder, "logs/agent.log"), "utf8");
  const earlier = (await wholeLog()).length;
  const agentLog = async () => (await wholeLog()).slice(earlier);
  const link = () => venue.ask("select link_id as answer from agent_link");
  const before = await link();
  for (const pid of venue.platformPids()) process.kill(pid, "SIGSTOP");
  try {
    expect(await device.page.closed).toEqual({ code: 1013, reason: "silent" });
    await expect.poll(agentLog, SOON).toMatch(/link to the platform was lost/);
  } finally {
    for (const pid of venue.platformPids()) process.kill(pid, "SIGCONT");
  }
  witness.socket.terminate();
  const back = await sitAt(deniz, MACHINE);
  await back.shows({ credit: 200_000 });
  await back.play();
  await back.leave();
  await expect.poll(link, SOON).not.toBe(before);
});
