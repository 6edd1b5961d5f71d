import { createHash } from "node:crypto";
import { testDatabase } from "@longarm/database/testing";
import { openLedger } from "@longarm/ledger/ledger";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";
import { systemRandom } from "../../../random.ts";
import type { Players, PlayersTables } from "./index.ts";
import { createPlayers, isWeakPin, openKeys } from "./index.ts";
import { sealText } from "./passwords.ts";

let database: Awaited<ReturnType<typeof testDatabase<unknown>>>;
let players: Players;
const open = () => {
  const db = { ...database, close: async () => {} };
  return createPlayers({ db, ledger: openLedger(database.kysely), random: systemRandom });
};
beforeAll(async () => {
  database = await testDatabase<unknown>({ migrations: platformMigrations });
  players = await open();
});
afterAll(() => database.drop());

test("a player is added once, with the money, whatever the spelling", async () => {
  const added = await players.add({ username: "Ilgaz  Dağ", password: "secret one", depositMinor: 50_000 });
  if (added.is !== "added") throw new Error("not added");
  expect(await players.add({ username: " ilgaz dağ", password: "another", depositMinor: 50_000 })).toEqual({
    is: "known",
    id: added.id,
  });
  const ledger = openLedger(database.kysely);
  expect(await ledger.account(`player:${added.id}`)).toMatchObject({ balanceMinor: 50_000 });
  expect(await ledger.account("cage")).toMatchObject({ balanceMinor: -50_000 });
  expect(await ledger.verify()).toEqual([]);
});

test("two that add the same name at once make one player", async () => {
  const both = await Promise.all(
    [1, 2, 3, 4].map(() => players.add({ username: "jale", password: "secret", depositMinor: 100 })),
  );
  expect(both.map(({ is }) => is).sort()).toEqual(["added", "known", "known", "known"]);
});

test.each([
  [{ username: "abc", password: "long enough" }, "username"],
  [{ username: "a\u0000bcd", password: "long enough" }, "username"],
  [{ username: "x".repeat(65), password: "long enough" }, "username"],
  [{ username: "kerem", password: "abc" }, "password"],
  [{ username: "kerem", password: "long enough", pin: "12ab" }, "pin"],
  [{ username: "kerem", password: "long enough", email: "nowhere" }, "email"],
  [{ username: "kerem", password: "long enough", depositMinor: 0.5 }, "depositMinor"],
  [{ username: "kerem", password: "long enough", depositMinor: -5 }, "depositMinor"],
])("%j is refused with a sentence that names it", async (asked, named) => {
  const answer = await players.add(asked);
  expect(answer).toEqual({ is: "refused", sentence: expect.stringContaining(named) });
});

test("neither password nor PIN can be read in the database", async () => {
  const added = await players.add({ username: "leyla", password: "the only password", pin: "4711" });
  const { rows } = await sql<{ row: string }>`select player::text as row from player where username = 'leyla'`.execute(
    database.kysely,
  );
  expect(rows[0]?.row).toContain("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(rows[0]?.row).not.toContain("the only password");
  const again = await open();
  const player = await again.findByName("LEYLA");
  expect(player?.id).toBe(added.is === "added" ? added.id : "");
  expect(await again.checkPin(player!, "4711")).toBe(true);
  expect(await again.checkPin(player!, "4712")).toBe(false);
  expect(player?.pin?.includes("4711")).toBe(false);
});

test("a PIN is given to a player who has none, and to nobody else", async () => {
  const added = await players.add({ username: "oya.pinless", password: "secret" });
  const isPin = async (typed: string) => await players.checkPin((await players.findByName("oya.pinless"))!, typed);
  expect(await isPin("4711")).toBe(false);
  const id = added.is === "added" ? added.id : "";
  expect(await players.givePin(id, "4711")).toBe(true);
  expect(await players.givePin(id, "0000")).toBe(false);
  expect([await isPin("4711"), await isPin("0000")]).toEqual([true, false]);
  expect(await players.givePin("p_nobody", "4711")).toBe(false);
  await expect(players.givePin(id, "47 11")).rejects.toThrow("4 to 12 digits");
});

test("a PIN moved to another player's row cannot be read", async () => {
  await players.add({ username: "mert", password: "secret", pin: "1234" });
  await players.add({ username: "nihan", password: "secret", pin: "5678" });
  const [mert, nihan] = [await players.findByName("mert"), await players.findByName("nihan")];
  await expect(players.checkPin({ ...nihan!, pin: mert!.pin }, "1234")).rejects.toThrow();
});

test("attack 5: a PIN kept as the hash that earlier versions sent to pages still opens, and is kept in another form from then on", async () => {
  const db = database.kysely.withTables<PlayersTables>();
  const added = await players.add({ username: "from.before", password: "secret" });
  const id = added.is === "added" ? added.id : "";
  const sent = createHash("sha256").update("4711").digest("hex");
  const pin = await sealText(await openKeys(db, systemRandom, "pin"), systemRandom, id, sent);
  await db.updateTable("player").set({ pin }).where("id", "=", id).execute();
  const find = async () => (await players.find(id))!;
  expect([await players.checkPin(await find(), sent), await players.checkPin(await find(), "4712")]).toEqual([
    false,
    false,
  ]);
  expect((await find()).pin?.equals(pin)).toBe(true);
  expect(await players.checkPin(await find(), "4711")).toBe(true);
  expect((await find()).pin?.equals(pin)).toBe(false);
  expect([await players.checkPin(await find(), "4711"), await players.checkPin(await find(), sent)]).toEqual([
    true,
    false,
  ]);
});

test.each(["0000", "7777", "1234", "4321", "9876", "8901", "123456", "1212", "123123", "1987", "2024", "2580"])(
  "attack 9: the PIN %s is weak",
  (pin) => expect(isWeakPin(pin)).toBe(true),
);
test.each(["4711", "9035", "482916", "100200", "314159265358"])("the PIN %s is not weak", (pin) =>
  expect(isWeakPin(pin)).toBe(false),
);

test("processes that start together agree on one key of each purpose", async () => {
  const opened = await Promise.all(
    Array.from({ length: 6 }, () => openKeys(database.kysely.withTables<PlayersTables>(), systemRandom, "token")),
  );
  const current = await Promise.all(opened.map((keys) => keys.current()));
  expect(new Set(current.map(({ kid }) => kid)).size).toBe(1);
});

test("a retired key still reads, and is not used for anything new; a removed one is not there, whoever opened the keys before", async () => {
  const db = database.kysely.withTables<PlayersTables>();
  const before = await openKeys(db, systemRandom, "token");
  const retired = await before.current();
  await sql`update platform_key set retired_at = now() where purpose = 'token'`.execute(db);
  const after = await openKeys(db, systemRandom, "token");
  const current = await after.current();
  expect(current.kid).not.toBe(retired.kid);
  expect(await before.current()).toEqual(current);
  expect(await after.find(retired.kid)).toEqual(retired);
  await sql`delete from platform_key where purpose = 'token'`.execute(db);
  for (const keys of [before, after])
    expect([await keys.find(retired.kid), await keys.find(current.kid)]).toEqual([undefined, undefined]);
  const made = await Promise.all([before.current(), after.current()]);
  expect(made[0]).toEqual(made[1]);
  expect(await after.find("k_none")).toBeUndefined();
});
