import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { PlayVenue } from "../../../testing/play-venue.ts";
import { eventually, playVenue } from "../../../testing/play-venue.ts";
import { PASSWORD, testVenue } from "../../../testing/test-venue.ts";

const PIN = "4711";
const SETTING_MS = 60_000;
/** The platform waits this much longer than the page, so that a last report arrives. */
const IDLE_MS = SETTING_MS + 5_000;

let folder: string;
let venue: PlayVenue;
let name: string;
let token: string;
let playerId: string;
let players = 0;

const env = () => ({ LOGINS_PER_MINUTE_ADDRESS: "10000", SETTINGS_FILE: join(folder, "Settings.json") });
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "longarm-idle-"));
  await writeFile(join(folder, "Settings.json"), JSON.stringify({ pinCheck: true, idleLockMs: SETTING_MS }));
  venue = await playVenue({ env: env() });
});
afterAll(async () => {
  await venue.end();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  players += 1;
  name = `idler${players}`;
  playerId = await venue.addPlayer(name, { pin: PIN });
  token = await venue.signIn(name);
});

const jtiOf = (ofToken: string): string =>
  JSON.parse(Buffer.from(ofToken.split(".")[1] ?? "", "base64url").toString("utf8")).jti;
/** The player did nothing for so long. What the process knows of the sign-in is not older than that. */
async function idleFor(ms: number, ofToken = token): Promise<void> {
  const jti = jtiOf(ofToken);
  await sql`update auth_session set active_at = active_at - make_interval(secs => ${ms}::float8 / 1000) where jti = ${jti}`.execute(
    venue.database.kysely,
  );
  venue.bus.publish("auth.lockChanged", { jti });
}
const balance = async (ofToken = token) => (await venue.get("/v1/player/balance", ofToken)).statusCode;
const post = async (path: string, payload?: object, ofToken = token) =>
  await venue.app.inject({
    method: "POST",
    url: `/v1/player/${path}`,
    headers: { authorization: `Bearer ${ofToken}` },
    ...(payload && { payload }),
  });

describe("attack 9: the platform judges idleness", () => {
  test("a sign-in without activity is locked, page or no page, and the PIN opens it", async () => {
    await idleFor(IDLE_MS - 5_000);
    expect(await balance()).toBe(200);
    await idleFor(5_000);
    expect(await balance()).toBe(423);
    expect((await venue.get("/v1/validate", token)).json()).toMatchObject({ locked: true });
    expect((await post("unlock", { pin: PIN })).json()).toEqual({ code: 20000 });
    expect(await balance()).toBe(200);
  });

  test("polls, open sockets and the repeats of a page are no activity", async () => {
    const deposit = { kind: "deposit", from: "cage", to: `player:${playerId}`, amountMinor: 5_000 } as const;
    await venue.ledger.transfer({ id: `deposit-${players}`, ...deposit, about: { actor: "staff:test" } });
    await venue.machine(`idle-${players}`);
    const page = await venue.page(token, `idle-${players}`);
    expect(await page.init()).toMatchObject({ is: "done" });
    const cashIn = async () => await page.peer.request("cashIn", { id: `idle-${players}-0`, amount: 1_000 });
    const moved = { is: "done", data: { outcome: "done", amount: 1_000 } };
    expect(await cashIn()).toEqual(moved);
    await idleFor(IDLE_MS - 5_000);
    for (const path of ["player/balance", "machine/all", "validate"]) await venue.get(`/v1/${path}`, token);
    expect(await cashIn()).toEqual(moved);
    await idleFor(5_000);
    expect(await page.peer.request("cashIn", { id: `idle-${players}-1`, amount: 1_000 })).toMatchObject({
      is: "refused",
      refusal: { code: 60050 },
    });
    expect(await balance()).toBe(423);
    expect(await page.peer.request("leave", {})).toMatchObject({ is: "done" });
  });

  test.each([
    ["the page's word of an input", () => post("active")],
    ["a call that changes something", () => post("kick", { machineId: "none" })],
  ])("%s is activity", async (_name, act) => {
    await idleFor(IDLE_MS - 5_000);
    await act();
    await idleFor(10_000);
    expect(await balance()).toBe(200);
  });

  test("a locked sign-in cannot say that its player is active", async () => {
    await idleFor(IDLE_MS);
    expect((await post("active")).statusCode).toBe(423);
    expect(await balance()).toBe(423);
  });

  test("another process, started later, finds it locked; a longer idle time does not open what was locked", async () => {
    await idleFor(IDLE_MS);
    venue.clock.shift(10_000);
    await eventually(async () => {
      const { rows } =
        await sql`select 1 from auth_session where jti = ${jtiOf(token)} and locked_at is not null`.execute(
          venue.database.kysely,
        );
      expect(rows).toHaveLength(1);
    });
    await writeFile(join(folder, "Later.json"), JSON.stringify({ pinCheck: true, idleLockMs: 100 * IDLE_MS }));
    const other = await testVenue({
      database: venue.database,
      env: { ...env(), SETTINGS_FILE: join(folder, "Later.json") },
    });
    try {
      expect((await other.get("/v1/player/balance", token)).statusCode).toBe(423);
    } finally {
      await other.close(true);
    }
  });

  test("a player without a PIN is not locked: nothing could open it again", async () => {
    await venue.addPlayer(`pinless${players}`);
    const pinless = await venue.signIn(`pinless${players}`);
    await idleFor(10 * IDLE_MS, pinless);
    expect(await balance(pinless)).toBe(200);
  });
});

describe("attack 9: a PIN of one's own", () => {
  let pinless: string;
  beforeEach(async () => {
    await venue.addPlayer(`chooser${players}`);
    pinless = await venue.signIn(`chooser${players}`);
  });

  test("a player without one is known to have none, sets one with the password, and can be locked from then on", async () => {
    expect((await venue.get("/v1/validate", pinless)).json()).toMatchObject({ pin_set: false });
    await idleFor(10 * IDLE_MS, pinless);
    expect((await post("pin", { password: PASSWORD, pin: "4711" }, pinless)).json()).toEqual({ code: 20000 });
    expect((await venue.get("/v1/validate", pinless)).json()).toMatchObject({ pin_set: true, locked: false });
    expect((await post("lock", undefined, pinless)).statusCode).toBe(200);
    expect((await post("unlock", { pin: "4711" }, pinless)).statusCode).toBe(200);
  });

  test("it is changed with the password; the old one opens nothing", async () => {
    expect((await post("pin", { password: PASSWORD, pin: "9035" })).statusCode).toBe(200);
    await post("lock");
    expect((await post("unlock", { pin: PIN })).json()).toMatchObject({ code: 60051 });
    expect((await post("unlock", { pin: "9035" })).statusCode).toBe(200);
  });

  test("a wrong password is refused and counted, five times; a weak PIN is refused before the password is compared", async () => {
    for (let tries = 0; tries < 8; tries += 1)
      expect((await post("pin", { password: PASSWORD, pin: "1234" })).json()).toMatchObject({ code: 60053 });
    for (let tries = 0; tries < 5; tries += 1)
      expect((await post("pin", { password: `guess ${tries}`, pin: "9035" })).json()).toMatchObject({ code: 40001 });
    expect((await post("pin", { password: PASSWORD, pin: "9035" })).json()).toMatchObject({ code: 10702 });
    await post("lock");
    expect((await post("unlock", { pin: PIN })).statusCode).toBe(200);
  });
});
