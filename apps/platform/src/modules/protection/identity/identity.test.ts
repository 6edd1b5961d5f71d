import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { checkMayMove } from "../../staff/desk/index.ts";
import { gatesClosedAt } from "../gates/index.ts";
import { answerOffer } from "../limits/index.ts";
import type { MarketId } from "../markets/index.ts";
import { chooseMarket, MARKET_IDS, rulesOfMarket } from "../markets/index.ts";
import type { IdentityDecision } from "./identity.ts";
import { decideIdentity, eraseRecord, identityOf, identityProblem, keepRecord, makesOlder } from "./identity.ts";

/* Identity and age (LCCP 17.1.1, GlüStV § 6b, Spellagen 13:1, AGCO 3.1): what they open, and what is kept of them. */

/** The market that the tests play in also wants help organisations to be listed. */
const folder = mkdtempSync(join(tmpdir(), "longarm-identity-"));
const settingsFile = join(folder, "Settings.json");
writeFileSync(settingsFile, JSON.stringify({ helpList: [{ name: "ConnexOntario", phone: "1-866-531-2600" }] }));
afterAll(() => rmSync(folder, { recursive: true }));

const venue = sharePlayVenue({ env: { SETTINGS_FILE: settingsFile } });
let players = 0;

async function newPlayer(market?: MarketId) {
  players += 1;
  const player = await venue.player(`proved${players}`, 10_000);
  if (market !== undefined) {
    await chooseMarket(venue.db.withTables(), {
      scope: "player",
      subject: player.id,
      market,
      by: "eva",
      reason: "lives there",
    });
    await answerOffer(venue.db, player.id, "notNow");
  }
  return player;
}

const decide = (playerId: string, state: IdentityDecision, validUntil: string | null = null) =>
  decideIdentity(venue.db, { playerId, state, validUntil, by: "eva", reason: "seen at the desk" });

const mayMove = (kind: "deposit" | "withdraw", playerId: string) =>
  checkMayMove(venue.db.withTables() as never, { kind, playerId }).then(
    () => true,
    () => false,
  );

test.each([
  ["none", false, false],
  ["pending", false, false],
  ["verified", true, true],
  ["refused", false, true],
  ["expired", false, true],
] as const)("an identity that is %s opens deposits: %s, and withdrawals: %s", async (state, deposit, withdrawal) => {
  const { id } = await newPlayer("ca-on");
  if (state === "expired") await decide(id, "verified", "2020-01-01");
  else if (state !== "none") await decide(id, state);
  expect((await identityOf(venue.db, id)).state).toBe(state);
  expect([await mayMove("deposit", id), await mayMove("withdraw", id)]).toEqual([deposit, withdrawal]);
});

test("a withdrawal that waits for a proof says to the desk what to do", async () => {
  const { id } = await newPlayer("ca-on");
  await expect(checkMayMove(venue.db.withTables() as never, { kind: "withdraw", playerId: id })).rejects.toMatchObject({
    problem: { params: { sentence: expect.stringContaining("confirm it on the player's page under Identity") } },
  });
});

test("play opens with the decision, at the seat and for money, and closes again with the next one", async () => {
  const { id, token } = await newPlayer("ca-on");
  await venue.machine("proof-01");
  const sit = async () => {
    const page = await venue.page(token, "proof-01");
    const answer = await page.peer.request("init", { machineID: "proof-01" });
    return { page, answer: answer.is === "refused" ? answer.refusal.name : answer.is };
  };
  expect((await sit()).answer).toBe("identity.required");
  await decide(id, "pending");
  expect((await sit()).answer).toBe("identity.pending");
  await keepRecord(venue.db, id, { birthDate: "1990-05-31" });
  await decide(id, "verified");
  const { page, answer } = await sit();
  expect(answer).toBe("done");
  expect(await page.peer.request("cashIn", { id: "t-proof-1", amount: 1_000 })).toMatchObject({ is: "done" });
  await decide(id, "refused");
  expect(await page.peer.request("cashIn", { id: "t-proof-2", amount: 1_000 })).toMatchObject({
    is: "refused",
    refusal: { name: "identity.refused" },
  });
});

test("without a market nothing is demanded, but a player who is known to be too young does not play", async () => {
  const { id } = await newPlayer();
  expect(await mayMove("deposit", id)).toBe(true);
  await keepRecord(venue.db, id, { birthDate: "2015-01-01" });
  expect([await mayMove("deposit", id), await mayMove("withdraw", id)]).toEqual([false, true]);
});

describe.each(MARKET_IDS)("in %s", (id) => {
  const rules = rulesOfMarket(id);
  test("a verified player of the least age may play, and one a year younger may not", () => {
    const at = (age: number) => identityProblem({ state: "verified", age }, "play", rules);
    expect(at(rules.ageMin)).toBeNull();
    expect(at(rules.ageMin - 1)).toEqual({ name: "player.too_young", params: { age: rules.ageMin } });
  });
});

test("personal data are erased without touching the decisions, and the audit log has an age group alone", async () => {
  const { id } = await newPlayer();
  await keepRecord(venue.db, id, { birthDate: "1991-02-03", personalNumber: "199102031234", document: "passport" });
  await decide(id, "verified");
  expect(await identityOf(venue.db, id)).toMatchObject({ state: "verified", personalNumber: "199102031234" });
  expect(await eraseRecord(venue.db, id)).toBe(true);
  expect(await eraseRecord(venue.db, id)).toBe(false);
  expect(await identityOf(venue.db, id)).toMatchObject({ state: "verified", age: null, personalNumber: null });
  const { rows } = await sql<{ type: string; text: string }>`select type, e::text as text from audit.entries e
    where subject = ${`player:${id}`} and type like 'player.identity%' order by id`.execute(venue.db);
  expect(rows.map(({ type }) => type)).toEqual(["player.identityRecord", "player.identity", "player.identityErased"]);
  const all = rows.map(({ text }) => text).join("\n");
  expect(all).toContain("25 and more");
  expect(all).not.toMatch(/1991-|199102/);
});

test.each([
  ["is found too young", async (id: string) => await keepRecord(venue.db, id, { birthDate: "2015-01-01" })],
  ["is refused", async (id: string) => await decide(id, "refused")],
  ["has a document that is over", async (id: string) => await decide(id, "verified", "2020-01-01")],
  ["has a proof that a person declares over", async (id: string) => await decide(id, "expired")],
])("who sits and %s is sent home at once, with the credits", async (_why, happen) => {
  const { id, token } = await newPlayer("ca-on");
  await keepRecord(venue.db, id, { birthDate: "1990-05-31" });
  await decide(id, "verified");
  const machineId = `home-${players}`;
  await venue.machine(machineId);
  const page = await venue.page(token, machineId);
  await page.init();
  expect(await page.peer.request("cashIn", { id: `t-${machineId}`, amount: 1_000 })).toMatchObject({ is: "done" });
  await happen(id);
  await venue.inState(machineId, "free");
  expect(await venue.ledgerOf(`player:${id}`)).toBe(10_000);
  const { rows } = await sql<{ reason: string }>`
    select end_reason as reason from play_session where player_id = ${id}`.execute(venue.db);
  expect(rows).toEqual([{ reason: "identity" }]);
});

test("who sits in no market stays, and so does who has proved nothing when a market is chosen during play", async () => {
  const sentHome = async (id: string) =>
    (await gatesClosedAt(venue.db, [{ playerId: id, machineId: "m-1" }], true)).size > 0;
  const [free, bound] = [await newPlayer(), await newPlayer("ca-on")];
  await decide(free.id, "refused");
  expect([await sentHome(free.id), await sentHome(bound.id)]).toEqual([false, false]);
  await decide(bound.id, "pending");
  expect(await sentHome(bound.id)).toBe(false);
  await decide(bound.id, "refused");
  expect(await sentHome(bound.id)).toBe(true);
});

test("a birth date makes a player older against what is known, and always once data were erased", async () => {
  const { id } = await newPlayer();
  expect(await makesOlder(venue.db, id, "1950-01-01")).toBe(false);
  await keepRecord(venue.db, id, { birthDate: "1990-05-31" });
  expect(await makesOlder(venue.db, id, "1990-05-31")).toBe(false);
  expect(await makesOlder(venue.db, id, "1990-06-01")).toBe(false);
  expect(await makesOlder(venue.db, id, "1990-05-30")).toBe(true);
  await eraseRecord(venue.db, id);
  expect(await makesOlder(venue.db, id, "2000-01-01")).toBe(true);
});

test("a decision is never changed or removed", async () => {
  const { id } = await newPlayer();
  await decide(id, "refused");
  for (const change of [
    sql`update identity_decision set state = 'verified' where player_id = ${id}`,
    sql`delete from identity_decision where player_id = ${id}`,
    sql`truncate identity_decision`,
  ])
    await expect(change.execute(venue.db)).rejects.toThrow(/never changed/);
});
