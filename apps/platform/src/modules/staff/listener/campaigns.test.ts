import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { systemRandom } from "../../../random.ts";
import { longarmOf } from "../../../testing/longarm.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { signApproval, staffMember } from "../../../testing/staff-client.ts";
import type { PromotionsTables } from "../../players/promotions/index.ts";
import { createCampaignKeeper } from "../../players/promotions/index.ts";

/* Campaigns as staff runs them: by the console's calls and by the command line. */

const venue = sharePlayVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } }, prepare);
type Member = Awaited<ReturnType<typeof staffMember>>;
type Json = Record<string, unknown>;
let okan: Member;
let chief: Member;
let veli: Member;
let ids: string[];
async function prepare(): Promise<void> {
  const staff = { platform: venue.platform, db: venue.database };
  okan = await staffMember(staff, "okan", ["supervisor"]);
  chief = await staffMember(staff, "chief", ["supervisor"]);
  veli = await staffMember(staff, "veli", ["auditor"]);
  ids = [];
  for (const name of ["ece.one", "ece.two", "ece.three"]) ids.push(await venue.addPlayer(name));
}

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(venue.clock.now() + days * DAY_MS).toISOString();
const fields = (more: object = {}) => ({
  name: "Friday night",
  amount: 5_000,
  claimDays: 7,
  audience: { is: "list", players: ["ece.one", "  ECE.two", ids[2]] },
  budget: 15_000,
  startsAt: inDays(-1),
  endsAt: inDays(1),
  reason: "slow week",
  ...more,
});
const rowsOf = (answer: { body: Json }): Json[] => (answer.body["rows"] as Json[] | undefined) ?? [];
const campaignOf = async (id: string) => (await okan.get(`campaigns/${id}`)).body;
async function draft(more: object = {}, by = okan): Promise<string> {
  const written = await by.act("addCampaign", {}, fields(more));
  expect(written.body).toMatchObject({ is: "done" });
  return String((written.body["result"] as Json)["id"]);
}
const start = async (id: string, by = okan, more: object = {}) =>
  await by.act("startCampaign", { id }, { mark: (await campaignOf(id))["mark"], reason: "as agreed", ...more });
const look = () =>
  createCampaignKeeper({
    db: venue.database.kysely.withTables<PromotionsTables>(),
    clock: venue.clock,
    random: systemRandom,
    log: { info() {}, warn() {} } as never,
  }).look();

describe("a campaign", () => {
  test("is written, tried, started within the own limit, paused, resumed and ended, with who received it", async () => {
    const dry = await okan.act("addCampaign", {}, fields({ dryRun: true }));
    expect(dry.body).toMatchObject({
      is: "dryRun",
      needsApproval: false,
      result: { reach: { matching: 3, keptOut: 0, players: 3, amount: 15_000, beyondBudget: 0 } },
    });
    expect(rowsOf(await okan.get("campaigns"))).toEqual([]);
    const id = await draft();
    expect(await campaignOf(id)).toMatchObject({
      state: "draft",
      audience: { is: "list", players: [{ username: "ece.one" }, { username: "ece.three" }, { username: "ece.two" }] },
      reach: { players: 3 },
      addedBy: "okan",
    });
    const tried = await start(id, okan, { dryRun: true });
    expect(tried.body).toMatchObject({ is: "dryRun", needsApproval: false, result: { reach: { players: 3 } } });
    expect(await campaignOf(id)).toMatchObject({ state: "draft" });

    expect((await start(id)).body).toMatchObject({ is: "done", result: { reach: { amount: 15_000 } } });
    // Once everything is granted, what is left is less than one player gets.
    await eventually(async () => {
      await look();
      expect(await campaignOf(id)).toMatchObject({ state: "ended", players: 3, granted: 15_000, startedBy: "okan" });
    });
    expect(await campaignOf(id)).toMatchObject({ state: "ended", endReason: "budget", signedBy: null, reach: null });
    expect(rowsOf(await veli.get(`campaigns/${id}/grants?limit=2`))).toMatchObject([
      { amount: 5_000, state: "open", claimedAt: null },
      { amount: 5_000 },
    ]);
    expect((await okan.act("pauseCampaign", { id }, { reason: "x" })).body).toMatchObject({ problem: "act.refused" });

    const other = await draft({ budget: 20_000, startsAt: inDays(0.5) });
    await start(other);
    const step = (name: "pauseCampaign" | "resumeCampaign" | "endCampaign", reason: string) =>
      okan.act(name, { id: other }, { reason });
    expect((await step("resumeCampaign", "early")).body).toMatchObject({ problem: "act.refused" });
    expect((await step("pauseCampaign", "wait")).body).toMatchObject({ is: "done" });
    expect(await campaignOf(other)).toMatchObject({ state: "paused" });
    expect((await step("resumeCampaign", "continue")).body).toMatchObject({ is: "done" });
    expect((await step("endCampaign", "enough")).body).toMatchObject({ is: "done" });
    expect((await step("resumeCampaign", "again")).body).toMatchObject({ problem: "act.refused" });
    expect(rowsOf(await okan.get("campaigns?state=ended")).map((row) => row["id"])).toEqual([other, id]);
    const { rows } = await sql<{
      actor: string;
      state: string;
      reason: string;
    }>`select actor, after ->> 'state' as state,
      facts ->> 'reason' as reason from audit.entries where type = 'campaign.changed' and subject = ${`campaign:${other}`} order by id`.execute(
      venue.db,
    );
    expect(rows).toEqual([
      { actor: "staff:okan", state: "draft", reason: "slow week" },
      { actor: "staff:okan", state: "running", reason: "as agreed" },
      { actor: "staff:okan", state: "paused", reason: "wait" },
      { actor: "staff:okan", state: "running", reason: "continue" },
      { actor: "staff:okan", state: "ended", reason: "enough" },
    ]);
  });

  test("beyond the limit of its starter waits for a second person, who signs what both see", async () => {
    const id = await draft({ budget: 2_000_000 });
    expect((await start(id, okan, { dryRun: true })).body).toMatchObject({
      is: "dryRun",
      needsApproval: true,
      result: { reach: { players: 3, amount: 15_000 } },
    });
    const waiting = await start(id);
    expect((await chief.get(`approvals/${String(waiting.body["approval"])}`)).body).toMatchObject({
      kind: "campaign.start",
      amount: 2_000_000,
      maySign: true,
      content: {
        name: "Friday night",
        amount: 5_000,
        budget: 2_000_000,
        audience: { is: "list", players: 3 },
        by: "okan",
      },
      evidence: [{ value: "Friday night" }, { label: "players now", value: "3" }, { value: "0" }, { amount: 15_000 }],
    });
    await look();
    expect(await campaignOf(id)).toMatchObject({ state: "draft", players: 0 });
    expect((await signApproval(okan, waiting)).body).toMatchObject({ problem: "approval.own" });
    expect((await signApproval(veli, waiting)).status).toBe(403);
    expect((await signApproval(chief, waiting)).body).toMatchObject({ is: "done" });
    expect(await campaignOf(id)).toMatchObject({ state: "running", startedBy: "okan", signedBy: "chief" });
    await okan.act("endCampaign", { id }, { reason: "enough" });
  });

  test("that changed since it was seen or requested is not started", async () => {
    const id = await draft({ budget: 2_000_000 });
    const seen = (await campaignOf(id))["mark"];
    const waiting = await start(id);
    const more = { budget: 9_000_000 };
    expect((await chief.act("changeCampaign", { id }, fields(more))).body).toMatchObject({ is: "done" });
    expect((await signApproval(chief, waiting)).body).toMatchObject({ problem: "approval.changed" });
    expect((await okan.act("startCampaign", { id }, { mark: seen, reason: "x" })).body).toMatchObject({
      problem: "approval.changed",
    });
    // One more player is another campaign too.
    const again = await start(id);
    await okan.act("changeCampaign", { id }, fields({ ...more, audience: { is: "list", players: ["ece.one"] } }));
    expect((await signApproval(chief, again)).body).toMatchObject({ problem: "approval.changed" });
    expect(await campaignOf(id)).toMatchObject({ state: "draft", players: 0 });
    await okan.act("endCampaign", { id }, { reason: "not this one" });
    expect((await start(id)).body).toMatchObject({ problem: "approval.changed" });
  });

  test("counts with its whole budget towards its starter's day, together with bonuses by hand", async () => {
    const staff = { platform: venue.platform, db: venue.database };
    const splits = await staffMember(staff, "splits", ["supervisor"]);
    const list = async (budget: number) => {
      const id = await draft({ budget, startsAt: inDays(0.5) }, splits);
      return await start(id, splits);
    };
    expect((await list(600_000)).body).toMatchObject({ is: "done" });
    expect((await list(400_001)).body).toMatchObject({ is: "waiting" });
    const bonus = (amount: number) =>
      splits.act("grantBonus", { id: ids[0] ?? "" }, { amount, expiresAt: inDays(7), reason: "birthday" });
    expect((await bonus(400_001)).body).toMatchObject({ is: "waiting" });
    expect((await bonus(300_000)).body).toMatchObject({ is: "done" });
    expect((await list(100_001)).body).toMatchObject({ is: "waiting" });
    expect((await list(100_000)).body).toMatchObject({ is: "done" });
    expect((await list(5_000)).body).toMatchObject({ is: "waiting" });
  });

  test("names a player by the id, also where somebody else chose it as a name", async () => {
    await venue.addPlayer(ids[2] ?? "");
    const id = await draft({ audience: { is: "list", players: [ids[2]] } });
    expect(await campaignOf(id)).toMatchObject({ audience: { players: [{ id: ids[2], username: "ece.three" }] } });
  });

  test("keeps instants of any place of the world", async () => {
    const from = "2026-01-01T00:00:00+23:00";
    const id = await draft({ startsAt: from, audience: { is: "registered", from, until: inDays(1) } });
    const kept = "2025-12-31T01:00:00.000Z";
    expect(await campaignOf(id)).toMatchObject({ startsAt: kept, audience: { from: kept } });
  });

  test("refuses players whom it does not know, and what makes no sense", async () => {
    const refused = async (more: object) => (await okan.act("addCampaign", {}, fields(more))).body;
    const audience = { is: "list", players: ["ece.one", "no.such.one", "nor.this", "\u0000"] };
    expect(await refused({ audience: { ...audience, players: audience.players.slice(0, 3) } })).toMatchObject({
      problem: "player.unknown",
      params: { names: "no.such.one, nor.this" },
    });
    for (const more of [
      { audience },
      { audience: { is: "list", players: [] } },
      { audience: { is: "list", players: Array(201).fill("ece.one") } },
      { audience: { is: "everybody" } },
      { audience: { is: "registered", from: inDays(1), until: inDays(0) } },
      { budget: 4_999 },
      { amount: 0 },
      { claimDays: 0 },
      { endsAt: inDays(-0.5) },
      { endsAt: "tomorrow" },
      { startsAt: "0000-01-01T00:00:00Z" },
      { endsAt: "9999-12-31T23:59:59-23:00" },
      { audience: { is: "registered", from: "0000-12-31T00:00:00Z", until: inDays(1) } },
      { audience: { is: "played", from: inDays(-1), until: "9999-12-31T23:59:59-01:00" } },
      { name: " spaced" },
      { name: "two\nlines" },
      { state: "running" },
    ])
      expect(await refused(more), JSON.stringify(more)).toMatchObject({ problem: "request.invalid" });
    for (const path of ["campaigns/ca_none", "campaigns/'%20or%201=1"]) expect((await okan.get(path)).status).toBe(404);
    expect((await okan.get("campaigns?after=%27")).status).toBe(400);
  });
});

describe("longarm campaigns", () => {
  const type = (...args: string[]) => longarmOf(venue)("campaigns", ...args);
  const how = ["--reason", "slow week"];
  const plan = ["--name", "By hand", "--amount", "50.00", "--budget", "100.00", "--until", "7d"];

  test("writes, shows, starts, pauses, resumes and ends one", async () => {
    const add = ["add", ...plan, "--players", "ece.one, ece.two,ece.three", ...how];
    const dry = await type(...add, "--dry-run");
    expect(dry).toMatchObject({ code: 0, complained: "" });
    expect(dry.said).toBe(
      'Would write the campaign "By hand", which would reach 2 players with 100.00 (1 beyond the budget). Nothing was changed.',
    );
    const added = await type(...add);
    const id = /ca_[\w-]+/.exec(added.said)?.[0] ?? "";
    expect(added.said).toBe(`Written: ${id}. It would reach 2 players with 100.00 (1 beyond the budget).`);
    const smaller = plan.with(plan.indexOf("100.00"), "60.00");
    expect(await type("change", id, ...smaller, "--players", "ece.one,ece.two", ...how)).toMatchObject({ code: 0 });
    expect(await type("start", id, ...how)).toMatchObject({
      code: 0,
      said: '"By hand" runs. It reaches 1 player with 50.00 (1 beyond the budget) now.',
    });
    expect(await type("pause", id, ...how)).toMatchObject({ code: 0, said: expect.stringContaining("is paused") });
    expect(await type("pause", id, ...how)).toMatchObject({ code: 3, complained: "It does not run." });
    expect(await type("resume", id, ...how)).toMatchObject({ code: 0 });
    await look();
    await eventually(async () => expect((await type("show", id)).said).toContain("50.00 of 60.00 granted to 1 player"));
    const shown = await type("show", id);
    expect(shown.said).toContain("For 2 named players.");
    expect(shown.said).toContain("Started by root:ayse.");
    expect(shown.said).toMatch(/ece\.(one|two) +open/);
    expect((await type("list")).said).toContain("By hand");
    const end = await type("end", id, ...how, "--yes");
    // The keeper may have found that the budget is used up.
    expect([end.said, end.complained]).toContain(end.code === 0 ? '"By hand" has ended.' : "It has ended already.");
    expect(await type("resume", id, ...how)).toMatchObject({ code: 3 });
  });

  test.each([
    ["no audience", [...plan]],
    [
      "two audiences",
      [...plan, "--players", "ece.one", "--registered-from", "2026-01-01", "--registered-until", "2026-02-01"],
    ],
    ["half a time", [...plan, "--played-from", "2026-01-01"]],
    ["a brand of named players", [...plan, "--players", "ece.one", "--brand", "Nar"]],
    ["a name that is none", [...plan.with(1, " "), "--players", "ece.one"]],
    ["a bare amount", [...plan.with(3, "50"), "--players", "ece.one"]],
  ])("refuses %s with 2", async (_, args) => {
    expect(await type("add", ...args, ...how)).toMatchObject({ code: 2, said: "" });
  });

  test("refuses an unknown player and an unknown campaign with 3", async () => {
    expect(await type("add", ...plan, "--players", "ece.one,no.such.name", ...how)).toMatchObject({
      code: 3,
      complained: "There is no player called no.such.name.",
    });
    expect(await type("start", "ca_none", ...how)).toMatchObject({
      code: 3,
      complained: "There is no campaign ca_none.",
    });
  });
});
