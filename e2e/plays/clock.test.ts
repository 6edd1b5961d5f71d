/** @module-tag long */
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { cashIn, leave, logIn, lowerBet, playGame, playing, sitDown } from "../../rig/page/game-page.ts";
import type { Visitor } from "../../rig/page/visitor.ts";
import { arrive, DESK } from "../../rig/page/visitor.ts";
import type { Credentials } from "../../rig/player.ts";
import { DENIZ, ELIF, signIn } from "../../rig/player.ts";
import type { MovedClock } from "../../rig/venue/moved-clock.ts";
import { openMovedClock } from "../../rig/venue/moved-clock.ts";
import { longarm } from "../../rig/venue/staff.ts";
import type { StrictVenue } from "../../rig/venue/strict-venue.ts";
import { limitLosses, openStrictVenue, verify } from "../../rig/venue/strict-venue.ts";
import { closeVisitors, sharedBrowser } from "../scripted/browser.ts";

/*
 * The night in which summer time begins, in Stockholm: midnight, and the hour from two to three that is none. The clock of each program and of the
 * database is moved; the rules of the market `lab` hold for the venue. A day of a limit and a break of a day have 24 hours, an age goes by the date.
 */

const SOON = { timeout: 60_000, interval: 100 };
const MACHINE = "nar-01";
let other: string;
let strict: StrictVenue;
let clock: MovedClock;
let browser: Browser;
let young: Credentials;

const ask = (query: string) => strict.venue.ask(query);
/** A moved clock ends every lease at once; then agents and nodes renew theirs. The platform refuses an agent of another time, so that starts anew. */
async function moveTo(at: string): Promise<void> {
  await clock.moveTo(at);
  await strict.venue.agent.kill();
  await strict.venue.agent.restart();
  const elif = await signIn(strict.venue.href, ELIF);
  await expect.poll(async () => (await elif.machines()).map(({ status }) => status), SOON).toEqual([1, 1]);
}
const untilThen = (at: string) => expect.poll(() => clock.now(), SOON).toBeGreaterThan(Date.parse(at));

beforeAll(async () => {
  clock = await openMovedClock("2027-03-27T21:00:00Z");
  strict = await openStrictVenue({
    ...{ web: true, machines: 2, databaseUrl: clock.databaseUrl },
    platformEnv: { ...clock.env, TIME_ZONE: "Europe/Stockholm" },
    agentEnv: clock.env,
  });
  const { venue } = strict;
  other = (await venue.machineIds()).find((id) => id !== MACHINE) ?? "-";
  const [added] = await venue.addPlayers("young", 1, 50_000);
  if (added === undefined) throw new Error("no player was added");
  young = added;
  await verify(venue, DENIZ, "1990-05-31", "199005311234");
  await verify(venue, ELIF, "1990-05-31", "199005315678");
  await verify(venue, young, "2006-03-28", "200603281111");
  for (const player of [DENIZ, ELIF, young]) await limitLosses(venue, player);
  await longarm(venue, "markets", "choose", "lab", "--amounts-in", "TRY", "--reason", "a test");
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await strict?.close();
  await clock?.close();
});
afterEach(async () => {
  await expect.poll(() => ask("select count(*)::int as answer from seat where state <> 'free'"), SOON).toBe(0);
  expect(await strict.venue.ledger.verify()).toEqual([]);
});

/** What a player who wants to sit down is answered: `done`, or the number of the refusal. */
async function sits(player: Credentials, machineId: string): Promise<string | number> {
  const page = await (await signIn(strict.venue.href, player)).open(machineId);
  const answers: (string | number)[] = [];
  // An agent that was just restarted may be out of reach for a moment.
  await expect
    .poll(async () => {
      const answer = await page.init();
      answers.push(answer.is === "refused" ? answer.refusal.code : answer.is);
      return answers.at(-1);
    }, SOON)
    .not.toBe(60010);
  if (answers.at(-1) === "done") {
    await page.peer.request("leave", {});
    await expect
      .poll(() => ask(`select state as answer from seat where machine_id = '${machineId}'`), SOON)
      .toBe("free");
  }
  page.drop();
  return answers.at(-1) ?? "none";
}

/** A player at a machine, whose computer shows the time of the venue. */
async function atMachine(player: Credentials): Promise<Visitor> {
  const visitor = await arrive(browser, DESK, "en");
  await visitor.context.addInitScript((aheadMs) => {
    const RealDate = Date;
    globalThis.Date = new Proxy(RealDate, {
      construct: (target, given, self) =>
        Reflect.construct(target, given.length === 0 ? [RealDate.now() + aheadMs] : given, self),
      get: (target, key) => (key === "now" ? () => RealDate.now() + aheadMs : Reflect.get(target, key)),
    });
  }, clock.now() - Date.now());
  await logIn(visitor.page, strict.venue.href, player);
  await sitDown(visitor.page, MACHINE);
  await cashIn(visitor.page, 100, "en");
  await lowerBet(visitor.page, 500);
  return visitor;
}

const sessionId = () =>
  ask(`select id as answer from play_session where ended_at is null and machine_id = '${MACHINE}'`);
const checks = () => ask("select count(*)::int as answer from reality_check");

test("midnight: an age is reached, a play session continues, and no limit of a day begins anew before 24 hours", async () => {
  await moveTo("2027-03-27T22:58:45Z");
  expect(await sits(young, other)).toBe(60086);
  const { page, context } = await atMachine(DENIZ);
  await playGame(page);
  const before = await sessionId();
  await untilThen("2027-03-27T23:00:01Z");
  expect(await sits(young, other)).toBe("done");
  await playing(page);
  await playGame(page);
  expect(await sessionId()).toBe(before);
  await leave(page, "en");
  await context.close();
  await longarm(strict.venue, "players", "limits", DENIZ.username, "--limit", "wager.day=0.01", "--reason", "a test");
  const refusal = await sits(DENIZ, MACHINE);
  expect(refusal).not.toBe("done");
  const { call } = await signIn(strict.venue.href, young);
  const headers = { "content-type": "application/json" };
  expect(
    (await call("player/breaks", { method: "POST", body: JSON.stringify({ kind: "panic" }), headers })).status,
  ).toBe(200);
  // The day that follows has 23 hours: its date is over before the day of a limit, and of a break.
  await moveTo("2027-03-28T22:30:00Z");
  expect(await sits(DENIZ, MACHINE)).toBe(refusal);
  expect(await sits(young, other)).toBe(60080);
  await moveTo("2027-03-28T23:10:00Z");
  expect(await sits(young, other)).toBe("done");
  expect(await sits(DENIZ, MACHINE)).toBe("done");
});

test("summer time begins while a player plays: a reality check counts minutes that passed, not the clock's", async () => {
  // Back an hour: so a computer's clock may go, too.
  await moveTo("2027-03-28T00:59:00Z");
  const { page, context } = await atMachine(ELIF);
  await playGame(page);
  const before = await sessionId();
  const shown = await checks();
  await untilThen("2027-03-28T01:00:01Z");
  await playGame(page);
  expect(await sessionId()).toBe(before);
  expect(await checks()).toBe(shown);
  expect(await page.getByRole("alertdialog").count()).toBe(0);
  await leave(page, "en");
  await context.close();
});
