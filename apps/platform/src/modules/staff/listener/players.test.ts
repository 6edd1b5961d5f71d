import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { signApproval, staffMember } from "../../../testing/staff-client.ts";

/* What staff does for players, as the console calls it. */

const venue = sharePlayVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } }, prepare);
type Member = Awaited<ReturnType<typeof staffMember>>;
type Json = Record<string, unknown>;
let selin: Member;
let okan: Member;
let deniz: Member;
let veli: Member;
async function prepare(): Promise<void> {
  const staff = { platform: venue.platform, db: venue.database };
  selin = await staffMember(staff, "selin", ["cashier"]);
  okan = await staffMember(staff, "okan", ["supervisor"]);
  deniz = await staffMember(staff, "deniz", ["attendant"]);
  veli = await staffMember(staff, "veli", ["auditor"]);
}
afterAll(async () => expect(await venue.ledger.verify()).toEqual([]));

const rowsOf = (answer: { body: Json }): Json[] => (answer.body["rows"] as Json[] | undefined) ?? [];
const resultOf = (answer: { body: Json }): Json => answer.body["result"] as Json;

describe("players", () => {
  test("are enrolled, found and shown by what the caller may see; each look at a contact is kept", async () => {
    const added = await selin.act("addPlayer", {}, { username: "new.guest", name: "New", email: "new@example.org" });
    const { player, password } = resultOf(added) as { player: { id: string }; password: string };
    expect(await venue.signIn("new.guest", password)).toEqual(expect.any(String));
    expect((await selin.act("addPlayer", {}, { username: "NEW.guest" })).body).toMatchObject({
      problem: "act.refused",
    });
    expect(rowsOf(await deniz.get("players?search=new.g"))).toMatchObject([{ wallet: null, state: "active" }]);
    expect(rowsOf(await selin.get("players?search=new.g"))).toMatchObject([{ wallet: { available: 0 } }]);
    expect((await selin.get(`players/${player.id}`)).body).toMatchObject({ email: "n…@example.org" });
    expect((await deniz.get(`players/${player.id}`)).status).toBe(403);
    const unseen = { reason: "look", dryRun: true };
    expect((await selin.act("revealContact", { id: player.id }, unseen)).body).toEqual(
      expect.objectContaining({ problem: "request.invalid", params: { where: "dryRun" } }),
    );
    const shown = await selin.act("revealContact", { id: player.id }, { reason: "lost card" });
    expect(shown.body).toMatchObject({ result: { email: "new@example.org" } });
    expect(rowsOf(await veli.get("audit?type=staff.act&limit=1"))[0]).toMatchObject({
      actor: "staff:selin",
      facts: { call: "revealContact", reason: "lost card", about: { id: player.id } },
    });
    await selin.act("notePlayer", { id: player.id }, { text: "prefers machine 3" });
    expect((await okan.get(`players/${player.id}`)).body).toMatchObject({
      notes: [{ person: { name: "selin" }, text: "prefers machine 3" }],
    });
  });

  test("are excluded by one person, and let in again by two, a day later", async () => {
    const { id } = await venue.player("kept.out", 1_000);
    const until = new Date(venue.clock.now() + 86_400_000 * 30).toISOString();
    expect((await deniz.act("stricterLimits", { id }, { excludeUntil: until, reason: "asked" })).body).toMatchObject({
      is: "done",
    });
    expect(rowsOf(await okan.get("players?view=keptOut")).map((row) => (row["player"] as Json)["id"])).toContain(id);
    expect(
      (await deniz.act("stricterLimits", { id }, { excludeUntil: "2020-01-01T00:00:00Z", reason: "x" })).status,
    ).toBe(409);
    const waiting = await okan.act(
      "looserLimits",
      { id },
      { liftExclusion: true, reason: "the player asks in writing" },
    );
    expect(waiting.body).toMatchObject({ is: "waiting" });
    const staff = { platform: venue.platform, db: venue.database };
    const second = await staffMember(staff, "second", ["supervisor"]);
    expect((await signApproval(second, waiting)).body).toMatchObject({ is: "done" });
    // It holds for a day more.
    expect((await okan.get(`players/${id}`)).body).toMatchObject({ state: "excluded" });
    expect((await okan.act("banPlayer", { id }, { reason: "fraud" })).body).toMatchObject({ is: "done" });
    expect((await okan.get(`players/${id}`)).body).toMatchObject({ state: "banned" });
    expect((await okan.act("unbanPlayer", { id }, { reason: "mistake" })).body).toMatchObject({ is: "done" });
  });

  test("passkeys and recovery codes of a player are removed with a reason, and nothing where there are none", async () => {
    const { id } = await venue.player("lost.phone", 1_000);
    const remove = () => okan.act("removePlayerKeys", { id }, { reason: "a lost phone" });
    expect((await remove()).status).toBe(409);
    await sql`insert into player_recovery_code (player_id, code_sha256) values (${id}, ${"0".repeat(64)})`.execute(
      venue.database.kysely,
    );
    expect((await okan.get(`players/${id}`)).body).toMatchObject({ passkeys: 0, recoveryCodes: 1 });
    expect((await remove()).body).toMatchObject({ is: "done" });
    expect((await okan.get(`players/${id}`)).body).toMatchObject({ passkeys: 0, recoveryCodes: 0, signIns: [] });
  });

  test("a bonus above the limit waits for a second person", async () => {
    const { id } = await venue.player("gets.bonus");
    const expiresAt = new Date(venue.clock.now() + 86_400_000 * 7).toISOString();
    const small = await deniz.act("grantBonus", { id }, { amount: 50_000, expiresAt, reason: "birthday" });
    expect(small.body).toMatchObject({ is: "done" });
    const large = await deniz.act("grantBonus", { id }, { amount: 50_001, expiresAt, reason: "birthday" });
    expect((await signApproval(okan, large)).body).toMatchObject({ is: "done" });
    const past = { amount: 1, expiresAt: "2020-01-01T00:00:00Z", reason: "late" };
    expect((await deniz.act("grantBonus", { id }, past)).status).toBe(400);
  });
});
