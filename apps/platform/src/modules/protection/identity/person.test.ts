import { DocumentNumber } from "@longarm/contract/player-identity";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { systemRandom } from "../../../random.ts";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { breakOf, breaksOf, playersOnBreak } from "../breaks/index.ts";
import { playProblem } from "../gates/index.ts";
import { limitsOf } from "../limits/index.ts";
import { registerProblem } from "../registers/index.ts";
import { decideIdentity, decisionsOf, eraseRecord, identityOf, keepRecord } from "./identity.ts";
import type { SeenNumbers } from "./person.ts";
import { heldPlayers, isHalf, keepMarks, marksOf, nameForm } from "./person.ts";

/* A second account of one person (GLI-19 2.5.5): what is known of one holds for every one, and no second account is verified unseen. */

const venue = sharePlayVenue();
let players = 0;
const PASSPORT = { country: "TR", documentKind: "passport", documentNumber: "U 123-456" } as const;

async function newPlayer() {
  players += 1;
  return await venue.player(`person${players}`, 10_000);
}
const newNumber = (): SeenNumbers => ({ country: "SE", personalNumber: `1990010${10_000 + players}`.slice(0, 12) });

const see = (playerId: string, seen: SeenNumbers, others?: "same" | "different") =>
  venue.db.transaction().execute(async (trx) => {
    await keepRecord(trx, playerId, { birthDate: "1990-05-31" });
    await keepMarks(trx, playerId, await marksOf(trx, systemRandom, seen));
    const decision = { state: "verified", validUntil: null, by: "eva", reason: "seen", others } as const;
    return await decideIdentity(trx, { playerId, ...decision });
  });
/** Two accounts that show the same number, the second one after the first. */
async function twoAccounts() {
  const [first, second] = [await newPlayer(), await newPlayer()];
  const seen = newNumber();
  await see(first.id, seen);
  return { first, second, seen };
}
const begin = (token: string, payload: object) =>
  venue.app.inject({
    method: "POST",
    url: "/v1/player/breaks",
    headers: { authorization: `Bearer ${token}` },
    payload,
  });
const marksLeft = async (id: string) =>
  (await sql`select from identity_mark where player_id = ${id}`.execute(venue.db)).rows.length;
/** The time passes: the breaks of a player began and end so many months earlier. */
async function pass(playerId: string, months: number): Promise<void> {
  await venue.db.transaction().execute(async (trx) => {
    await sql`alter table player_break disable trigger user`.execute(trx);
    const earlier = sql`make_interval(months => ${months})`;
    await sql`update player_break set from_at = from_at - ${earlier}, until = until - ${earlier} where player_id = ${playerId}`.execute(
      trx,
    );
    await sql`alter table player_break enable trigger user`.execute(trx);
  });
}

describe("a number has one form", () => {
  const same = async (one: SeenNumbers, other: SeenNumbers) => {
    const [a, b] = [await marksOf(venue.db, systemRandom, one), await marksOf(venue.db, systemRandom, other)];
    return JSON.stringify(a) === JSON.stringify(b);
  };
  test.each(["u123456", "U123456", "  U\u00a0123\u2009456 ", "Ｕ１２３４５６", "U–123—456", "U.123/456", "U<123456<<"])(
    "%j is the passport U 123-456",
    async (documentNumber) => expect(await same(PASSPORT, { ...PASSPORT, documentNumber })).toBe(true),
  );
  test.each([
    { ...PASSPORT, country: "DE" },
    { ...PASSPORT, documentKind: "identityCard" as const },
    { ...PASSPORT, documentNumber: "U 123-457" },
  ])("%j is another", async (other) => expect(await same(PASSPORT, other)).toBe(false));
  test("a Swedish number is the same with and without the century, one of another country is not", async () => {
    const [long, short] = ["199001011234", "9001011234"];
    expect(await same({ country: "SE", personalNumber: long }, { country: "SE", personalNumber: short })).toBe(true);
    expect(await same({ country: "NO", personalNumber: long }, { country: "NO", personalNumber: short })).toBe(false);
  });
  // A Cyrillic or Greek letter that looks alike, invisible characters, what is no number at all.
  test.each([
    ...["А123456", "Β123456", "U12\u200b3456", "U12\u202e3456", "U12\u00003456", "٠١٢٣٤٥٦", "ABCDEF", "", "   ", "U12"],
    ...["U1".repeat(31), "U123456'; drop table player; --", "U12🂡3456"],
  ])("%j is refused", (text) => expect(DocumentNumber.safeParse(text).success).toBe(false));
  test.each([
    { personalNumber: "199001011234" },
    { country: "SE" },
    { country: "SE", documentNumber: "U123456" },
    { country: "SE", documentKind: "passport" as const },
    { documentKind: "passport" as const, documentNumber: "U123456" },
  ])("%j is half a number", (seen) => expect(isHalf(seen)).toBe(true));
  test.each([
    ["Deniz Aydın", "AYDIN, Deniz"],
    ["İpek  Şahin", "sahin ipek"],
    ["Jean-Luc Müller", "Muller Luc Jean"],
    ["Strauß", "STRAUSS"],
  ])("the names %s and %s are alike", (one, other) => expect(nameForm(one)).toBe(nameForm(other)));
});

test("no number can be read from what is kept of it, and the key is the venue's own", async () => {
  const { id } = await newPlayer();
  await see(id, { ...PASSPORT, documentNumber: "SECRET99" });
  const { rows } = await sql<{
    text: string;
  }>`select m::text as text from identity_mark m where player_id = ${id} union all
    select e::text from audit.entries e`.execute(venue.db);
  expect(rows.map(({ text }) => text).join("\n")).not.toContain("SECRET99");
  const keys = await sql`select from platform_key where purpose = 'person'`.execute(venue.db);
  expect(keys.rows).toHaveLength(1);
});

describe("a second account", () => {
  test("is not verified before a person says what it is; then it is, and stays one person's", async () => {
    const { first, second, seen } = await twoAccounts();
    expect(await see(second.id, seen)).toBe("pending");
    expect(await identityOf(venue.db, second.id)).toMatchObject({ state: "pending", validUntil: null });
    expect(await decisionsOf(venue.db, second.id, 1)).toMatchObject([{ state: "pending", held: true, reason: "seen" }]);
    expect((await heldPlayers(venue.db, 10)).map(({ playerId }) => playerId)).toContain(second.id);
    expect(await see(second.id, seen, "same")).toBe("verified");
    expect((await heldPlayers(venue.db, 10)).map(({ playerId }) => playerId)).not.toContain(second.id);
    await begin(first.token, { kind: "timeOut", hours: 24 });
    expect(await breakOf(venue.db, second.id)).toMatchObject({ playerId: second.id, kind: "timeOut" });
  });

  test("that somebody else has by mistake is parted, and no break of the other holds for it", async () => {
    const { first, second, seen } = await twoAccounts();
    await begin(first.token, { kind: "exclusion", months: 6 });
    expect(await see(second.id, seen)).toBe("pending");
    expect(await breakOf(venue.db, second.id)).toMatchObject({ kind: "exclusion" });
    const corrected = { ...newNumber(), personalNumber: "198811115555" };
    await keepMarks(venue.db, second.id, await marksOf(venue.db, systemRandom, corrected));
    const decision = { state: "verified", validUntil: null, by: "eva", reason: "a digit was wrong" } as const;
    expect(await decideIdentity(venue.db, { playerId: second.id, others: "different", ...decision })).toBe("verified");
    expect(await breakOf(venue.db, second.id)).toBeUndefined();
    expect(await breakOf(venue.db, first.id)).toMatchObject({ kind: "exclusion" });
    expect([await marksLeft(first.id), await marksLeft(second.id)]).toEqual([1, 1]);
  });

  test.each(["exclusion", "timeOut", "panic"] as const)(
    "of who is on a break of the kind %s does not play",
    async (kind) => {
      const { first, second, seen } = await twoAccounts();
      await see(second.id, seen, "same");
      const wanted = { exclusion: { months: 6 }, timeOut: { hours: 24 }, panic: {} }[kind];
      expect((await begin(first.token, { kind, ...wanted })).statusCode).toBeLessThan(300);
      const problem = await playProblem(venue.db, {
        ...{ playerId: second.id, machineId: "m-1", helpListed: true, gate: "seat" as never },
      });
      expect(problem?.name).toBe(kind === "exclusion" ? "player.excluded" : "player.on_break");
      expect(await playersOnBreak(venue.db, 1_000)).toEqual(expect.arrayContaining([first.id, second.id]));
      expect([...(await breaksOf(venue.db, [first.id, second.id])).keys()].toSorted()).toEqual(
        [first.id, second.id].toSorted(),
      );
    },
  );

  test("is kept from play by the operator's exclusion and by a register's answer about the first", async () => {
    const { first, second, seen } = await twoAccounts();
    await see(second.id, seen, "same");
    const until = Date.now() + 86_400_000;
    await sql`insert into player_limit (player_id, kind, period, owner, value, effective_at, set_by)
      values (${first.id}, 'exclusion', 'day', 'house', ${until}, clock_timestamp(), 'eva')`.execute(venue.db);
    expect((await limitsOf(venue.db.withTables(), { playerId: second.id })).exclusion).toBe(until);
    await sql`insert into register_answer (player_id, register, answer, request_id)
      values (${first.id}, 'spelpaus', 'excluded', 'rq_1')`.execute(venue.db);
    expect(await registerProblem(venue.db, second.id, { registers: [] })).toEqual({ name: "register.excluded" });
    expect((await limitsOf(venue.db.withTables(), { playerId: first.id })).counted).toEqual({});
  });

  test("of a chain of documents is the same person over all of them", async () => {
    const [a, b, c] = [await newPlayer(), await newPlayer(), await newPlayer()];
    const [number, card] = [
      newNumber(),
      { country: "SE", documentKind: "identityCard", documentNumber: "ID77001" } as const,
    ];
    await see(a.id, number);
    await see(b.id, { ...number, ...card }, "same");
    await see(c.id, card, "same");
    await begin(a.token, { kind: "exclusion", months: 6 });
    expect(await breakOf(venue.db, c.id)).toMatchObject({ kind: "exclusion" });
  });

  test("that shows the number at the same moment as the first: one of them waits", async () => {
    const [one, other] = [await newPlayer(), await newPlayer()];
    const seen = newNumber();
    const became = await Promise.all([see(one.id, seen), see(other.id, seen)]);
    expect(became.toSorted()).toEqual(["pending", "verified"]);
  });
});

test("an erasure forgets the marks, but for those of who is excluded; they go once play was opened again", async () => {
  const [free, bound] = [await newPlayer(), await newPlayer()];
  const seen = newNumber();
  await see(free.id, { ...PASSPORT, documentNumber: "FREE0001" });
  await see(bound.id, seen);
  await begin(bound.token, { kind: "exclusion", months: 6 });
  await eraseRecord(venue.db, free.id);
  await eraseRecord(venue.db, bound.id);
  expect([await marksLeft(free.id), await marksLeft(bound.id)]).toEqual([0, 1]);
  const again = await newPlayer();
  expect(await see(again.id, seen), "whose data were erased is found again").toBe("pending");
  await pass(bound.id, 7);
  expect(await breakOf(venue.db, again.id), "the exclusion is over, play was not opened again").toMatchObject({
    isOver: true,
  });
  await sql`delete from identity_mark where player_id = ${again.id}`.execute(venue.db);
  await sql`insert into player_reopening (break_id, opens_at) select id, clock_timestamp() + interval '24 hours' from player_break
    where player_id = ${bound.id}`.execute(venue.db);
  await sql`alter table player_reopening disable trigger user`.execute(venue.db);
  await sql`update player_reopening set requested_at = requested_at - interval '25 hours', opens_at = opens_at - interval '25 hours'`.execute(
    venue.db,
  );
  await sql`alter table player_reopening enable trigger user`.execute(venue.db);
  await see((await newPlayer()).id, newNumber());
  expect(await marksLeft(bound.id)).toBe(0);
});
