import { defaultSettings } from "@longarm/contract/settings";
import { expect, test } from "vitest";
import type { ApiAnswer, ApiClient } from "../../shared/api/client.ts";
import { networkFailure, readFailure } from "../../shared/api/failure.ts";
import { memoryStorage, realTexts } from "../../shared/testing/fakes.ts";
import { createThrottle } from "../../shared/throttle/throttle.ts";
import { createClaims, createClaimTimes } from "./claims.ts";

const GIVEN: ApiAnswer<unknown> = { ok: true, data: { status: true, code: 20000, Params: { amount: 5_000 } } };
const TOO_SOON = "You can use discount only once per 5 minutes";

/** Claims of a player with this balance; the platform answers with `answers`, one after the other. */
async function begin(balance: number | undefined, answers: ApiAnswer<unknown>[] = [GIVEN], change = {}) {
  const settings = { ...defaultSettings(), ...change };
  const clock = { at: 1_800_000_000_000, now: () => clock.at };
  const called: string[] = [];
  const said: string[] = [];
  const times = createClaimTimes(memoryStorage(), clock, settings.claimThrottleMs);
  const wallet = { now: balance, asked: 0, answer: undefined as number | undefined };
  const api = {
    async read(name: string) {
      called.push(name);
      return answers[called.length - 1] ?? GIVEN;
    },
  } as unknown as ApiClient;
  const claims = createClaims({
    api,
    settings,
    times,
    throttle: createThrottle(clock, settings.throttleMs),
    texts: await realTexts("en", "app", "code", "claims"),
    say: (kind, text, forMs) => void said.push(`${kind} ${forMs ?? ""} ${text}`),
    balance: () => wallet.now,
    async refreshBalance() {
      wallet.asked += 1;
      wallet.now ??= wallet.answer;
    },
  });
  return { claims, times, clock, called, said, wallet };
}

test.each([
  [10_000, []],
  [1_245_075, []],
  [9_999, ["discount"]],
  [0, ["discount"]],
])("R-5-07: with a balance of %i minor units and the default minimum the calls are %j", async (balance, calls) => {
  const { claims, called } = await begin(balance);
  await claims.claim("discount");
  expect(called).toEqual(calls);
});

test("R-5-09: the message of the block is word for word, and a click that it blocks is no use", async () => {
  const { claims, called, said, wallet } = await begin(10_000);
  await claims.claim("discount");
  expect(said).toEqual(["info  Your balance must be below 100"]);
  wallet.now = 9_999;
  await claims.claim("discount");
  expect(called).toEqual(["discount"]);
});

test("R-5-08: without the balance check a discount is asked for at any balance; a bonus always is", async () => {
  const free = await begin(50_000, [GIVEN], { discountBalanceCheck: false });
  await free.claims.claim("discount");
  expect(free.called).toEqual(["discount"]);
  const bonus = await begin(50_000);
  await bonus.claims.claim("bonus");
  expect(bonus.called).toEqual(["bonus"]);
});

test("another minimum of the settings holds, and stands in the message in the page's figures", async () => {
  const { claims, called, said } = await begin(250_000, [GIVEN], { discountMinBalance: 2_500 });
  await claims.claim("discount");
  expect([called, said]).toEqual([[], ["info  Your balance must be below 2,500"]]);
});

test("a balance that is not known yet is asked for first; without an answer nothing is sent", async () => {
  const known = await begin(undefined);
  known.wallet.answer = 9_999;
  await known.claims.claim("discount");
  expect(known.called).toEqual(["discount"]);
  const unknown = await begin(undefined);
  await unknown.claims.claim("discount");
  expect(unknown.called).toEqual([]);
  expect(unknown.said).toEqual(["bad  Network Error, please check your connection"]);
});

test("R-5-13: a second click within 30 s sends nothing and says so word for word, each key by itself", async () => {
  const { claims, clock, called, said } = await begin(0);
  await claims.claim("discount");
  clock.at += 29_999;
  await claims.claim("discount");
  expect(said.at(-1)).toContain(TOO_SOON);
  await claims.claim("bonus");
  clock.at += 1;
  await claims.claim("discount");
  expect(called).toEqual(["discount", "bonus", "discount"]);
});

test("a second click while the call is under way says the same", async () => {
  const { claims, called, said } = await begin(0);
  await Promise.all([claims.claim("bonus"), claims.claim("bonus")]);
  expect(called).toEqual(["bonus"]);
  expect(said[0]).toContain(TOO_SOON);
});

test("with no 30 s of its own a claim still keeps the 500 ms of every key", async () => {
  const { claims, clock, called } = await begin(0, [], { claimThrottleMs: 0 });
  await claims.claim("bonus");
  await claims.claim("bonus");
  clock.at += 500;
  await claims.claim("bonus");
  expect(called).toEqual(["bonus", "bonus"]);
});

test("what was given is a toast with its amount, and the balance is asked for anew", async () => {
  const { claims, said, wallet } = await begin(0);
  await claims.claim("discount");
  expect(said).toEqual(["good 3000 A discount of ₺50 was added to your balance."]);
  expect(wallet.asked).toBe(1);
});

test.each([
  ["our text of the code", { code: 60020, ErrorMessage: "X" }, "There is nothing to claim now"],
  ["the text of 60021", { code: 60021 }, "You have claimed this already"],
  ["its ErrorMessage", { code: 99999, ErrorMessage: "Come back on Monday" }, "Come back on Monday"],
])("a refusal is told by %s", async (_, body, text) => {
  const { claims, said } = await begin(0, [{ ok: false, failure: readFailure("refused", 409, body) }]);
  await claims.claim("bonus");
  expect(said).toEqual([`bad  ${text}`]);
});

test("no answer, or one that cannot be read, is told as not known: it is not asked again, and the wallet is", async () => {
  const lost = await begin(0, [{ ok: false, failure: networkFailure }]);
  await lost.claims.claim("discount");
  expect(lost.said).toEqual([
    "bad  Network Error, please check your connection",
    "info  We could not confirm the discount. Check your balance before you try again.",
  ]);
  expect([lost.called.length, lost.wallet.asked]).toEqual([1, 1]);
  const odd = await begin(0, [{ ok: false, failure: readFailure("malformed", 200, { Params: { amount: "much" } }) }]);
  await odd.claims.claim("bonus");
  expect(odd.said).toEqual(["info  We could not confirm the bonus. Check your balance before you try again."]);
});

test.each([
  [{ status: true }, "good 3000 The bonus was added to your balance."],
  [{ code: 20000, Params: { amount: 5_000 } }, "good 3000 A bonus of ₺50 was added to your balance."],
  [{ code: 60020 }, "bad  There is nothing to claim now"],
  [{}, "info  We could not confirm the bonus. Check your balance before you try again."],
])("an answer in another form, %j, is told as what it is", async (data, text) => {
  const { claims, said } = await begin(0, [{ ok: true, data }]);
  await claims.claim("bonus");
  expect(said).toEqual([text]);
});

test("a key that another tab used while the balance was asked for sends nothing here", async () => {
  const { claims, times, called, said, wallet } = await begin(undefined);
  wallet.answer = 100;
  const claim = claims.claim("discount");
  times.use("discount");
  await claim;
  expect([called, said]).toEqual([[], [`info  ${TOO_SOON}`]]);
});

function timesOf(kept: Record<string, string> = {}, at = 1_800_000_000_000) {
  const storage = memoryStorage(kept);
  const clock = { at, now: () => clock.at };
  return { storage, clock, times: createClaimTimes(storage, clock, 30_000) };
}

test("R-9-13: a key waits 30 s after its use, and the other key does not", () => {
  const { times, clock } = timesOf();
  times.use("discount");
  expect([times.leftMs("discount"), times.leftMs("bonus")]).toEqual([30_000, 0]);
  clock.at += 29_999;
  expect(times.leftMs("discount")).toBe(1);
  clock.at += 1;
  expect(times.leftMs("discount")).toBe(0);
});

test("R-3-35: the time of a use is kept for each key, and a later visit reads it", () => {
  const { times, storage, clock } = timesOf();
  times.use("discount");
  clock.at += 10_000;
  times.use("bonus");
  expect(Object.fromEntries(storage.all)).toEqual({
    "longarm.discountUsed": "1800000000000",
    "longarm.bonusUsed": "1800000010000",
  });
  const later = timesOf(Object.fromEntries(storage.all), clock.at + 5_000);
  expect([later.times.leftMs("discount"), later.times.leftMs("bonus")]).toEqual([15_000, 25_000]);
});

test("a clock set back by hours holds a key for no longer than a use does", () => {
  const { times, clock } = timesOf();
  times.use("bonus");
  clock.at -= 7_200_000;
  expect(times.leftMs("bonus")).toBe(30_000);
  clock.at += 30_000;
  expect(times.leftMs("bonus")).toBe(0);
});

test.each(["", "soon", "NaN", "-5", "null", "{}"])("a kept time of %j holds nothing", (kept) => {
  expect(timesOf({ "longarm.discountUsed": kept }).times.leftMs("discount")).toBe(0);
});

test.each(["Infinity", "9e99", "99999999999999"])("a kept time of %j holds the key for one use only", (kept) => {
  const { times, clock } = timesOf({ "longarm.discountUsed": kept });
  clock.at += 30_000;
  expect(times.leftMs("discount")).toBe(0);
});
