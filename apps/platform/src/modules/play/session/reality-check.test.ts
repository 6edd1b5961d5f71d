import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GameRules, PlayRules } from "@longarm/contract/player-protection";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inProcessBus } from "../../../bus/index.ts";
import { systemClock } from "../../../clock.ts";
import type { FakeAgent } from "../../../testing/fake-agent.ts";
import type { FakeMachine } from "../../../testing/fake-machine.ts";
import type { Page } from "../../../testing/fake-page.ts";
import type { PlayVenue } from "../../../testing/play-venue.ts";
import { eventually, playVenue } from "../../../testing/play-venue.ts";
import { PASSWORD } from "../../../testing/test-venue.ts";
import type { LimitsTables, SetLimit } from "../../protection/limits/index.ts";
import { setLimit } from "../../protection/limits/index.ts";
import type { MarketId, MarketTables } from "../../protection/markets/index.ts";
import { chooseMarket } from "../../protection/markets/index.ts";

/*
 * Rules and reality checks of two nodes on one database and one bus: the agents' links are on the first, the pages on the second. Time is moved in the
 * rows, because they are judged by the database's clock.
 */
let one: PlayVenue;
let two: PlayVenue;
/** The markets that the players get also want help organisations to be listed. */
const folder = mkdtempSync(join(tmpdir(), "longarm-checks-"));
const settingsFile = join(folder, "Settings.json");
writeFileSync(settingsFile, JSON.stringify({ helpList: [{ name: "GamCare", phone: "0808 8020 133" }] }));
beforeAll(async () => {
  const sharedBus = inProcessBus({ clock: systemClock, onError: () => {} });
  const long = {
    IDLE_MS: "3600000",
    NO_DEPOSIT_MS: "3600000",
    WAITING_MS: "3600000",
    SEAT_LEASE_MS: "6000",
    ORPHAN_SWEEP_MS: "300",
    SETTINGS_FILE: settingsFile,
  };
  one = await playVenue({ sharedBus, env: { NODE_ID: "one", ...long } });
  two = await playVenue({ sharedBus, env: { NODE_ID: "two", ...long }, database: one.database });
});
afterAll(async () => {
  await two.end(true);
  await one.end();
  rmSync(folder, { recursive: true });
});

let number = 0;

type Seated = {
  readonly id: string;
  readonly machine: FakeMachine;
  readonly agent: FakeAgent;
  readonly player: { readonly id: string; readonly token: string };
  readonly page: Page;
  readonly answer: unknown;
};

/** A player at a machine, with credit, who is of this market from then on: before a seat it may ask for more than these tests are about. */
async function seated(market: MarketId | null, at: PlayVenue = two): Promise<Seated> {
  number += 1;
  const id = `check-${String(number).padStart(2, "0")}`;
  const { machine, agent } = await one.machine(id);
  const player = await one.player(`check.${number}`, 100_000);
  const page = await at.page(player.token, id);
  const answer = await page.init();
  expect(answer).toMatchObject({ is: "done" });
  await page.peer.request("cashIn", { id: `check-cash-in-${number}`, amount: 50_000 });
  await two.inState(id, "playing");
  if (market !== null) {
    const before = page.ofMethod("rules").length;
    await choose(player.id, market);
    await eventually(() => expect(page.ofMethod("rules").length).toBeGreaterThan(before));
  }
  return { id, machine, agent, player, page, answer };
}

async function choose(playerId: string, market: MarketId | null): Promise<void> {
  const choice = { scope: "player", subject: playerId, market, by: "tester", reason: "a test" } as const;
  await chooseMarket(one.db.withTables<MarketTables>(), choice);
  one.bus.publish("protection.changed", { playerId });
}

/** The player has been at machines for so many minutes more. */
async function pass(venue: PlayVenue, { id, player }: Pick<Seated, "id" | "player">, minutes: number): Promise<void> {
  const by = sql`make_interval(mins => ${minutes})`;
  await sql`update play_session set started_at = started_at - ${by} where machine_id = ${id} and ended_at is null`.execute(
    venue.db,
  );
  venue.bus.publish("protection.changed", { playerId: player.id });
}

/** The operator limits the player. */
async function limitOf({ player }: Pick<Seated, "player">, limit: Pick<SetLimit, "kind" | "value">): Promise<void> {
  await setLimit(two.db.withTables<LimitsTables>(), { playerId: player.id, owner: "house", by: "tester", ...limit });
  one.bus.publish("protection.changed", { playerId: player.id });
}

const rulesOf = ({ machine }: Pick<Seated, "machine">): PlayRules | undefined => machine.rules;
const newest = (page: Page, method: "rules" | "check"): unknown => page.ofMethod(method).at(-1);
const openCheck = async (
  page: Page,
): Promise<{ id: string; playedMs: number; games: number; wagered: number; won: number }> => {
  await eventually(() => expect(newest(page, "check")).toMatchObject({ state: "open" }));
  return (
    newest(page, "check") as { check: { id: string; playedMs: number; games: number; wagered: number; won: number } }
  ).check;
};

describe("rules travel with the grant", () => {
  test("without a market nothing is ruled", async () => {
    const it = await seated(null);
    expect(rulesOf(it)).toEqual({ minCycleMs: 0, autoplay: true, stopReels: true });
    expect(it.answer).toMatchObject({
      data: { rules: { minCycleMs: 0, autoplay: true, releaseToPress: false }, check: { state: "none" } },
    });
  });

  test("RTS 8A, 14D, 14E: those of the player's market go to the agent and to the page", async () => {
    const it = await seated("gb");
    const limits = { minCycleMs: 2_500, autoplay: false, stopReels: false, maxStake: 200, heldFor: "realityCheck" };
    await eventually(() => expect(rulesOf(it)).toMatchObject(limits));
    expect(rulesOf(it)?.paidForMs).toBeGreaterThan(3_500_000);
    expect(newest(it.page, "rules")).toMatchObject({
      ...{ minCycleMs: 2_500, autoplay: false, releaseToPress: true, winBelowStakePlain: true, maxStake: 200 },
      check: { everyMin: 60 },
    });
  });

  test.each([
    ["the time of a day", { kind: "time", value: 30 }],
    ["the time of one play session", { kind: "session", value: 30 }],
  ] as const)("RTS 12A: what a limit leaves of %s is held at the agent, platform or not", async (_what, limit) => {
    const it = await seated(null);
    await limitOf(it, limit);
    await eventually(() => expect(rulesOf(it)).toMatchObject({ heldFor: "limit" }));
    expect(rulesOf(it)?.paidForMs).toBeGreaterThan(28 * 60_000);
    expect(rulesOf(it)?.paidForMs).toBeLessThanOrEqual(30 * 60_000);
    // A reality check that comes sooner is held for first.
    await it.page.peer.request("checkEvery", { minutes: 15 });
    await eventually(() => expect(rulesOf(it)).toMatchObject({ heldFor: "realityCheck" }));
  });

  test("RTS 12A: no game may cost more than a limit of stakes leaves; the page's rule stays the market's", async () => {
    const it = await seated(null);
    await limitOf(it, { kind: "wager", value: 150 });
    await eventually(() => expect(rulesOf(it)?.maxStake).toBe(150));
    expect(newest(it.page, "rules")).not.toMatchObject({ maxStake: expect.anything() });
    const strict = await seated("gb");
    await limitOf(strict, { kind: "wager", value: 5_000 });
    await eventually(() => expect(rulesOf(strict)?.maxStake).toBe(200));
  });

  test.each([
    ["unknown", null, 200],
    ["24", "24 years", 200],
    ["25", "25 years", 500],
  ] as const)("SI 2025: with an age of %s the highest stake is that of the age", async (_age, age, maxStake) => {
    const it = await seated(null);
    if (age !== null)
      await sql`insert into identity_record (player_id, birth_date) values (${it.player.id}, current_date - ${age}::interval)`.execute(
        one.db,
      );
    await choose(it.player.id, "gb");
    await eventually(() => expect(rulesOf(it)).toMatchObject({ maxStake }));
    await eventually(() => expect(newest(it.page, "rules")).toMatchObject({ maxStake }));
  });

  test("a market that is chosen while somebody plays holds at once, on the other node too", async () => {
    const it = await seated(null);
    await choose(it.player.id, "gb");
    await eventually(() => expect(rulesOf(it)).toMatchObject({ minCycleMs: 2_500, autoplay: false }));
    await eventually(() =>
      expect(newest(it.page, "rules")).toMatchObject({ autoplay: false, check: { everyMin: 60 } }),
    );
  });

  test("one that no message announced, as by the command line, holds with the next renewal, and the page learns of it", async () => {
    const it = await seated(null);
    const choice = { scope: "player", subject: it.player.id, market: "gb", by: "tester", reason: "a test" } as const;
    await chooseMarket(one.db.withTables<MarketTables>(), choice);
    await eventually(() => expect(rulesOf(it)).toMatchObject({ minCycleMs: 2_500 }));
    await eventually(() => expect(newest(it.page, "rules")).toMatchObject({ autoplay: false }));
  });

  test("an agent that comes back has them with its new grant", async () => {
    const it = await seated("gb");
    await eventually(() => expect(rulesOf(it)).toMatchObject({ minCycleMs: 2_500 }));
    await it.agent.kill();
    it.machine.rules = undefined;
    const again = await one.agent([it.machine], `agent of ${it.id}`);
    expect(await again.hello()).toMatchObject({ is: "done" });
    await eventually(() => expect(rulesOf(it)).toMatchObject({ minCycleMs: 2_500 }));
  });
});

describe("RTS 13B: the reality check", () => {
  test("comes when its time at machines is over: figures, no running time, the agent held; and counts anew once it is answered", async () => {
    const it = await seated("gb");
    it.machine.play(60);
    await it.agent.pump();
    await pass(two, it, 61);
    const { id, ...figures } = await openCheck(it.page);
    expect(figures).toMatchObject({ games: 1, wagered: 100, won: 60 });
    expect(figures.playedMs).toBeGreaterThanOrEqual(3_660_000);
    expect(await two.seat(it.id)).toMatchObject({ state: "playing", due_at: null });
    await eventually(() => expect(rulesOf(it)).toMatchObject({ paidForMs: 0, heldFor: "realityCheck" }));

    expect(await it.page.peer.request("keepPlaying", { id })).toEqual({ is: "done", data: {} });
    await eventually(() => expect(newest(it.page, "check")).toEqual({ state: "none" }));
    await eventually(() => expect(rulesOf(it)?.paidForMs).toBeGreaterThan(3_500_000));
    expect((await two.seat(it.id)).due_at).not.toBeNull();
    // The answer may have been lost on its way.
    expect(await it.page.peer.request("keepPlaying", { id })).toEqual({ is: "done", data: {} });
    expect((await two.seat(it.id)).state).toBe("playing");
  });

  test("never covers a game: it is due first, and shown when game and bonus are over", async () => {
    const it = await seated("gb");
    it.machine.inGame = true;
    it.machine.bonus = true;
    it.machine.happen("bonusStarted");
    await it.agent.pump();
    await two.inState(it.id, "inBonus");
    await pass(two, it, 61);
    await eventually(() => expect(newest(it.page, "check")).toEqual({ state: "due" }));
    await eventually(() => expect(rulesOf(it)).toMatchObject({ paidForMs: 0, heldFor: "realityCheck" }));
    expect(await openRows(it)).toBe(0);
    it.machine.inGame = false;
    it.machine.bonus = false;
    it.machine.happen("bonusEnded");
    await it.agent.pump();
    await openCheck(it.page);
  });

  test("survives a reload, another node and a second device, with its figures; one answer is for all", async () => {
    const it = await seated("gb");
    await pass(two, it, 61);
    const check = await openCheck(it.page);
    const there = await one.page(it.player.token, it.id);
    expect(await there.init()).toMatchObject({ is: "done", data: { check: { state: "open", check } } });
    expect(await two.seat(it.id)).toMatchObject({ state: "playing", due_at: null });
    expect(await there.peer.request("keepPlaying", { id: check.id })).toMatchObject({ is: "done" });
    await eventually(() => expect(newest(there, "check")).toEqual({ state: "none" }));
  });

  test("no answer for five minutes: the play session ends, and the credits go home", async () => {
    const it = await seated("gb");
    await pass(two, it, 61);
    await openCheck(it.page);
    await sql`update reality_check set shown_at = shown_at - interval '5 minutes' where player_id = ${it.player.id}`.execute(
      two.db,
    );
    two.bus.publish("protection.changed", { machineId: it.id });
    expect(await it.page.closed).toEqual({ code: 4000, reason: "ended" });
    expect(it.page.ofMethod("ended")).toEqual([{ code: "CODE_18801" }]);
    await two.inState(it.id, "free");
    expect(it.machine.credit).toBe(0);
    expect(await answersOf(it)).toEqual(["none"]);
  });

  test("leaving answers it; a player whose link was lost finds it again, at whatever machine", async () => {
    const it = await seated("gb");
    await pass(two, it, 61);
    await openCheck(it.page);
    expect(await it.page.peer.request("leave", {})).toMatchObject({
      is: "done",
      data: { outcome: "done", amount: 50_000 },
    });
    expect(await answersOf(it)).toEqual(["leave"]);

    const lost = await seated("gb");
    await pass(two, lost, 61);
    const { id } = await openCheck(lost.page);
    await choose(lost.player.id, null);
    lost.page.drop();
    await two.inState(lost.id, "waiting");
    await sql`update seat set due_at = clock_timestamp() where machine_id = ${lost.id}`.execute(two.db);
    await two.inState(lost.id, "free");
    const { machine } = await one.machine(`${lost.id}-next`);
    const next = await two.page(lost.player.token, machine.id);
    await next.init();
    expect((await openCheck(next)).id).toBe(id);
    await eventually(() => expect(machine.rules).toMatchObject({ paidForMs: 0, heldFor: "realityCheck" }));
  });

  test("counts time at machines across machines, by the player's own choice where no market asks for it", async () => {
    const it = await seated(null);
    await it.page.peer.request("checkEvery", { minutes: 60 });
    await pass(two, it, 40);
    await it.page.peer.request("leave", {});
    await two.inState(it.id, "free");
    const { machine } = await one.machine(`${it.id}-next`);
    const page = await two.page(it.player.token, machine.id);
    await page.init();
    expect(machine.rules?.paidForMs).toBeLessThanOrEqual(20 * 60_000);
    await pass(two, { id: machine.id, player: it.player }, 21);
    expect((await openCheck(page)).playedMs).toBeGreaterThanOrEqual(61 * 60_000);
  });

  test("its pause of the seat's times outlasts the sweep for seats that stand still", async () => {
    const [it, other] = [await seated("gb"), await seated(null)];
    await pass(two, it, 61);
    await openCheck(it.page);
    // A seat without a time is found by the sweep: it was there twice since the check was shown.
    for (const _look of [1, 2]) {
      await sql`update seat set due_at = null where machine_id = ${other.id}`.execute(two.db);
      await eventually(async () => expect((await two.seat(other.id)).due_at).not.toBeNull());
    }
    expect((await two.seat(it.id)).due_at).toBeNull();
  });

  test("a sign-in that is locked changes nothing of it", async () => {
    const it = await seated(null);
    await it.page.peer.request("checkEvery", { minutes: 15 });
    const headers = { authorization: `Bearer ${it.player.token}` };
    const post = (path: string, payload: object) =>
      two.app.inject({ method: "POST", url: `/v1/player/${path}`, headers, payload });
    expect((await post("pin", { pin: "4712", password: PASSWORD })).statusCode).toBeLessThan(300);
    expect((await post("lock", {})).statusCode).toBeLessThan(300);
    expect(await it.page.peer.request("checkEvery", { minutes: null })).toMatchObject({
      is: "refused",
      refusal: { name: "session.locked" },
    });
  });

  test("the player chooses a shorter time, not a longer one than the market's, and none where it may be off", async () => {
    const it = await seated("gb");
    expect(await it.page.peer.request("checkEvery", { minutes: 15 })).toEqual({ is: "done", data: {} });
    await eventually(() => expect(newest(it.page, "rules")).toMatchObject({ check: { everyMin: 15 } }));
    await eventually(() => expect(rulesOf(it)?.paidForMs).toBeLessThanOrEqual(15 * 60_000));
    await it.page.peer.request("checkEvery", { minutes: null });
    await eventually(() => expect(newest(it.page, "rules")).toMatchObject({ check: { everyMin: null } }));
    await eventually(() => expect(rulesOf(it)?.paidForMs).toBeUndefined());

    const strict = await seated("lab");
    const { check } = newest(strict.page, "rules") as GameRules;
    expect(check.mayBeOff).toBe(false);
    expect(await strict.page.peer.request("checkEvery", { minutes: null })).toMatchObject({
      is: "refused",
      refusal: { code: 40000 },
    });
    if (check.longestMin !== null && check.longestMin < 60)
      expect(await strict.page.peer.request("checkEvery", { minutes: 60 })).toMatchObject({ is: "refused" });

    const free = await seated(null);
    await free.page.peer.request("checkEvery", { minutes: 30 });
    await pass(two, free, 31);
    await openCheck(free.page);
  });

  test("hostile: a check that does not exist, of another player, or answered twice is refused; choices are limited", async () => {
    const [it, other] = [await seated("gb"), await seated("gb")];
    await pass(two, it, 61);
    const { id } = await openCheck(it.page);
    for (const hostile of ["rc_nothing", "%", id])
      expect(await other.page.peer.request("keepPlaying", { id: hostile })).toMatchObject({ is: "refused" });
    expect(await openRows(it)).toBe(1);
    for (const minutes of [0, 14, 61, -15, 15.5, "30", {}])
      expect(await it.page.peer.request("checkEvery", { minutes: minutes as never })).toMatchObject({
        is: "refused",
        refusal: { code: 60031 },
      });
    for (let n = 0; n < 20; n += 1) await it.page.peer.request("checkEvery", { minutes: n % 2 === 0 ? 15 : 30 });
    expect(await it.page.peer.request("checkEvery", { minutes: 45 })).toMatchObject({
      is: "refused",
      refusal: { code: 60030 },
    });
    const watcher = await two.page(other.player.token, it.id);
    await watcher.init({ role: "spectator" });
    expect(await watcher.peer.request("keepPlaying", { id })).toMatchObject({
      is: "refused",
      refusal: { code: 60014 },
    });
    expect(await watcher.peer.request("checkEvery", { minutes: 15 })).toMatchObject({
      is: "refused",
      refusal: { code: 60014 },
    });
    expect(watcher.ofMethod("check")).toEqual([]);
    expect(await openRows(it)).toBe(1);
  });
});

async function openRows({ player }: Seated): Promise<number> {
  const { rows } =
    await sql`select id from reality_check where player_id = ${player.id} and answered_at is null`.execute(two.db);
  return rows.length;
}

async function answersOf({ player }: Seated): Promise<unknown[]> {
  const { rows } = await sql<{
    answer: string;
  }>`select answer from reality_check where player_id = ${player.id} order by shown_at`.execute(two.db);
  return rows.map(({ answer }) => answer);
}
