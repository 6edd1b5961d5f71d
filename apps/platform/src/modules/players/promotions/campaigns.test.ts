import { runTransaction } from "@longarm/database/run-transaction";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemRandom } from "../../../random.ts";
import type { RepeatedLook } from "../../../repeat-look.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";
import type { LimitsTables } from "../../protection/limits/index.ts";
import { setLimit } from "../../protection/limits/index.ts";
import { nextPlayers } from "./audience.ts";
import type { Campaign, CampaignPlan, PromotionsTables } from "./index.ts";
import {
  addCampaign,
  campaignSums,
  changeCampaign,
  createCampaignKeeper,
  findCampaign,
  listGrants,
  markOf,
  planProblem,
  reachOf,
  startCampaign,
  stepCampaign,
} from "./index.ts";

/* Campaigns on a real database: whom they reach, what they never do, and two nodes at once. The venue does not listen, so that only the keepers of the tests look. */

let venue: TestVenue;
beforeAll(async () => {
  venue = await testVenue();
  await sql`insert into agent (id, name) values ('ag_c', 'hall')`.execute(venue.db.kysely);
  await sql`insert into machine (id, agent_id, facts, meters, meters_at) values ('nar-01', 'ag_c', '{"brand": "Nar"}', '{}', now())`.execute(
    venue.db.kysely,
  );
});
afterAll(async () => {
  expect(await venue.ledger.verify()).toEqual([]);
  await venue.close();
});
const db = () => venue.db.kysely.withTables<PromotionsTables>();
const keeper = (): RepeatedLook =>
  createCampaignKeeper({ db: db(), clock: venue.clock, random: systemRandom, log: { info() {}, warn() {} } as never });

let names = 0;
let ids: string[] = [];
/** So many players of a test. */
async function players(count: number): Promise<string[]> {
  const added: string[] = [];
  for (let at = 0; at < count; at += 1) {
    names += 1;
    added.push(await venue.addPlayer(`campaign.${names}`));
  }
  return added;
}
beforeEach(async () => {
  await sql`update campaign set state = 'ended', ended_at = now(), end_reason = 'staff' where state <> 'ended'`.execute(
    venue.db.kysely,
  );
  ids = await players(3);
});

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(venue.clock.now() + days * DAY_MS).toISOString();
const plan = (more: Partial<CampaignPlan> = {}): CampaignPlan => ({
  name: "Friday",
  amount: 1_000,
  claimDays: 7,
  audience: { is: "list", players: ids },
  budget: 100_000,
  startsAt: inDays(-1),
  endsAt: inDays(1),
  ...more,
});
const draft = (more?: Partial<CampaignPlan>) =>
  addCampaign(db(), systemRandom, plan(more), { by: "okan", reason: "slow week" });
async function running(more?: Partial<CampaignPlan>): Promise<Campaign> {
  const campaign = await draft(more);
  await startCampaign(db(), campaign.id, { by: "okan", signedBy: null, reason: "as agreed" });
  return campaign;
}
const grantsOf = (campaignId: string) => listGrants(db(), { campaignId, limit: 500 });
const receivers = async (campaignId: string) => (await grantsOf(campaignId)).map((row) => row.player_id).toSorted();
const reach = async (id: string) => await reachOf(db(), (await findCampaign(db(), id))!);

async function exclude(playerId: string, owner: "player" | "house" = "player"): Promise<void> {
  const value = venue.clock.now() + DAY_MS;
  const limit = { playerId, kind: "exclusion", owner, value, by: "okan" } as const;
  await setLimit(venue.db.kysely.withTables<LimitsTables>(), limit);
}
/** An ended play session with one game, which began `daysAgo`. */
async function played(playerId: string, daysAgo: number, stake = 100): Promise<void> {
  names += 1;
  const session = `ps_c${names}`;
  await sql`insert into play_session (id, machine_id, player_id, net, games, started_at, ended_at, end_reason)
    values (${session}, 'nar-01', ${playerId}, ${-stake}, 1, now() - ${daysAgo} * interval '1 day', now(), 'left')`.execute(
    venue.db.kysely,
  );
  await sql`insert into game (machine_id, game_number, play_session_id, stake, win, credit_before, credit_after, hand_paid, started_at, ended_at, taken_at)
    values ('nar-01', ${100_000 + names}, ${session}, ${stake}, 0, ${stake}, 0, 0, now(), now(), now())`.execute(
    venue.db.kysely,
  );
}

describe("a running campaign", () => {
  test("grants each player its bonus once, which the player claims as any other", async () => {
    const { id } = await running();
    await keeper().look();
    await keeper().look();
    expect(await receivers(id)).toEqual(ids.toSorted());
    const [grant] = await grantsOf(id);
    expect(grant).toMatchObject({ amount: 1_000, reason: "Friday", granted_by: "okan", state: "open" });
    expect(Math.round((grant!.expires_at!.getTime() - grant!.granted_at.getTime()) / DAY_MS)).toBe(7);
    expect(await campaignSums(db(), id)).toMatchObject({
      players: 3,
      granted: 3_000,
      claims: 0,
      claimed: 0,
      open: 3_000,
    });
    const token = await venue.signIn(`campaign.${names}`);
    expect((await venue.get("/v1/player/bonus", token)).json()).toMatchObject({ Params: { amount: 1_000 } });
    expect((await venue.get("/v1/player/bonus", token)).json()).toMatchObject({ code: 60020 });
    expect(await campaignSums(db(), id)).toMatchObject({ claims: 1, claimed: 1_000, open: 2_000 });
    const { rows } = await sql<{ type: string; actor: string }>`select type, actor from audit.entries
      where facts ->> 'campaign' = ${id} order by id`.execute(venue.db.kysely);
    expect(rows).toEqual(ids.map(() => ({ type: "campaign.granted", actor: "platform" })));
  });

  test("never passes its budget, and ends when what is left is less than one player gets", async () => {
    const { id } = await running({ budget: 2_999 });
    expect(await reach(id)).toMatchObject({ matching: 3, players: 2, amount: 2_000, beyondBudget: 1 });
    await keeper().look();
    await keeper().look();
    expect(await campaignSums(db(), id)).toMatchObject({
      players: 2,
      granted: 2_000,
      state: "ended",
      end_reason: "budget",
    });
    expect(await receivers(id)).toHaveLength(2);
  });

  test("of eight nodes that look at the same moment one grants: none twice, and never more than the budget", async () => {
    const many = await players(130);
    const { id } = await running({ audience: { is: "list", players: many }, budget: 120_500 });
    for (let round = 0; round < 3; round += 1) await Promise.all([...Array(8)].map(() => keeper().look()));
    const got = await receivers(id);
    expect(got).toHaveLength(120);
    expect(new Set(got).size).toBe(120);
    expect(await campaignSums(db(), id)).toMatchObject({ players: 120, granted: 120_000, state: "ended" });
  });

  test("leaves out who is excluded by anybody, banned or at a limit, and grants when that is over", async () => {
    const [mine, theirs, banned, loses, free] = (await players(5)) as [string, string, string, string, string];
    const limited = venue.db.kysely.withTables<LimitsTables>();
    await exclude(mine);
    await exclude(theirs, "house");
    await sql`update player set banned_at = now() where id = ${banned}`.execute(venue.db.kysely);
    await setLimit(limited, { playerId: loses, kind: "loss", owner: "player", value: 100, by: "p" });
    await setLimit(limited, { playerId: free, kind: "loss", owner: "player", value: 101, by: "p" });
    await played(loses, 0);
    await played(free, 0);
    const { id } = await running({ audience: { is: "list", players: [mine, theirs, banned, loses, free] } });
    expect(await reach(id)).toMatchObject({ matching: 5, keptOut: 4, given: 0, players: 1, amount: 1_000 });
    await keeper().look();
    expect(await receivers(id)).toEqual([free]);
    await sql`update player set banned_at = null where id = ${banned}`.execute(venue.db.kysely);
    await keeper().look();
    expect(await receivers(id)).toEqual([banned, free].toSorted());
    expect(await reach(id)).toMatchObject({ keptOut: 3, given: 2, players: 0 });
  });

  test("GLI-19 A.3.8: leaves out who is on a break, also where no limit was ever set", async () => {
    const [breaks, rests, free] = (await players(3)) as [string, string, string];
    for (const [playerId, kind, until] of [
      [breaks, "exclusion", "1 year"],
      [rests, "timeOut", "1 day"],
    ] as const)
      await sql`insert into player_break (player_id, kind, until, set_by)
        values (${playerId}, ${kind}, clock_timestamp() + ${until}::interval, 'test')`.execute(venue.db.kysely);
    const { id } = await running({ audience: { is: "list", players: [breaks, rests, free] } });
    expect(await reach(id)).toMatchObject({ matching: 3, keptOut: 2, players: 1 });
    await keeper().look();
    expect(await receivers(id)).toEqual([free]);
  });

  test.each(["cashIn", "loss"] as const)(
    "leaves out who has a limit of nothing (%s) and did not play",
    async (kind) => {
      const limit = { playerId: ids[0]!, kind, owner: "player", value: 0, by: "p" } as const;
      await setLimit(venue.db.kysely.withTables<LimitsTables>(), limit);
      const { id } = await running();
      expect(await reach(id)).toMatchObject({ keptOut: 1, players: 2 });
      await keeper().look();
      expect(await receivers(id)).toEqual([ids[1], ids[2]].toSorted());
    },
  );

  test("an excluded player claims nothing of it; a bonus by hand stays that person's decision", async () => {
    const id = await venue.addPlayer("campaign.excluded");
    const token = await venue.signIn("campaign.excluded");
    await running({ audience: { is: "list", players: [id] } });
    await keeper().look();
    await exclude(id);
    expect((await venue.get("/v1/player/bonus", token)).json()).toMatchObject({ code: 60020 });
    await sql`insert into bonus_grant (id, player_id, amount, reason, granted_by) values ('bg_hand', ${id}, 70, 'sorry', 'okan')`.execute(
      venue.db.kysely,
    );
    expect((await venue.get("/v1/player/bonus", token)).json()).toMatchObject({ Params: { amount: 70 } });
    expect((await venue.get("/v1/player/bonus", token)).json()).toMatchObject({ code: 60020 });
  });

  test("grants nothing before it begins, while it is paused, after its time and once it was ended", async () => {
    const early = await running({ startsAt: inDays(0.5) });
    const paused = await running();
    const ended = await running();
    const late = await running();
    await stepCampaign(db(), paused.id, "pause", "as agreed");
    await stepCampaign(db(), ended.id, "end", "as agreed");
    // What was started does not change: time passes for the row of this test without the trigger.
    await sql`alter table campaign disable trigger campaign_steps`.execute(venue.db.kysely);
    await sql`update campaign set starts_at = starts_at - interval '2 days', ends_at = ends_at - interval '2 days' where id = ${late.id}`.execute(
      venue.db.kysely,
    );
    await sql`alter table campaign enable trigger campaign_steps`.execute(venue.db.kysely);
    await keeper().look();
    for (const { id } of [early, paused, ended, late]) expect(await receivers(id)).toEqual([]);
    expect(await findCampaign(db(), late.id)).toMatchObject({ state: "ended", end_reason: "time" });
    expect(await findCampaign(db(), early.id)).toMatchObject({ state: "running" });
    expect(await stepCampaign(db(), paused.id, "resume", "as agreed")).toBe(true);
    await keeper().look();
    expect(await receivers(paused.id)).toEqual(ids.toSorted());
    expect(await stepCampaign(db(), ended.id, "resume", "as agreed")).toBe(false);
  });

  test("a pause waits for the grants that are being made, and none comes after it", async () => {
    const { id } = await running();
    let paused: Promise<boolean> | undefined;
    let isPaused = false;
    await runTransaction(db(), async (trx) => {
      await trx.selectFrom("campaign").select("id").where("id", "=", id).forUpdate().execute();
      paused = stepCampaign(db(), id, "pause", "as agreed").then((done) => {
        isPaused = true;
        return done;
      });
      // Another node holds the row: this one passes it over.
      expect(await keeper().look()).toBe(0);
      expect(isPaused).toBe(false);
    });
    expect(await paused).toBe(true);
    await keeper().look();
    expect(await receivers(id)).toEqual([]);
  });

  test("continues where a node stopped that died between two transactions", async () => {
    const many = await players(60);
    const { id } = await running({ audience: { is: "list", players: many } });
    const first = keeper();
    const looking = first.look();
    await first.close();
    await looking;
    expect((await receivers(id)).length).toBeLessThan(60);
    await keeper().look();
    expect(await receivers(id)).toEqual(many.toSorted());
  });
});

describe("many players", () => {
  const OTHERS = 1_500;
  beforeAll(async () => {
    await sql`insert into player (id, username, username_key, password, created_at)
      select 'p_' || lpad(n::text, 20, '0'), 'many ' || n, 'many ' || n, 'x', now() - interval '90 days' from generate_series(1, ${OTHERS}) n`.execute(
      venue.db.kysely,
    );
  });

  test("who do not belong are passed in parts, so that no lock is held for long, and those behind them are reached", async () => {
    const noPlayer = { is: "registered", from: inDays(-400), until: inDays(-399) } as const;
    const page = await nextPlayers(db(), { id: "ca_none", audience: noPlayer }, { after: "", limit: 50, scan: 1_000 });
    expect(page).toEqual({ players: [], next: expect.stringMatching(/^p_/) });
    const { id } = await running({
      audience: { is: "registered", from: inDays(-4), until: inDays(1) },
      budget: 400_000,
    });
    await keeper().look();
    expect(await receivers(id)).toEqual(expect.arrayContaining(ids));
  });

  test("who belong, but are left out of a page by its limit, are in the next one", async () => {
    const campaign = { id: "ca_none", audience: { is: "list", players: ids } } as const;
    const [first, second, third] = ids.toSorted();
    const page = await nextPlayers(db(), campaign, { after: "", limit: 2, scan: 1_000 });
    expect(page).toEqual({ players: [first, second], next: second });
    expect(await nextPlayers(db(), campaign, { after: second!, limit: 2, scan: 1_000 })).toEqual({
      players: [third],
      next: null,
    });
  });
});

test("a campaign that cannot be looked at holds up no other one", async () => {
  const broken = JSON.stringify({ is: "registered", from: "no instant", until: "none" });
  await sql`insert into campaign (id, name, amount, claim_days, audience, budget, starts_at, ends_at, added_by, reason, state, started_at, started_by)
    values ('ca_0', 'broken', 1, 1, ${broken}, 100, now() - interval '1 day', now() + interval '1 day', 'okan', 'x', 'running', now(), 'okan')`.execute(
    venue.db.kysely,
  );
  const { id } = await running();
  await keeper().look();
  expect(await receivers(id)).toEqual(ids.toSorted());
});

describe("an audience", () => {
  test("of those who registered in a time reaches no other player, and who registers later is granted later", async () => {
    const from = new Date(venue.clock.now()).toISOString();
    await sql`update player set created_at = now() - interval '3 days' where id = ${ids[0]}`.execute(venue.db.kysely);
    const { id } = await running({ audience: { is: "registered", from: inDays(-4), until: inDays(-2) } });
    const open = await running({ audience: { is: "registered", from, until: inDays(1) } });
    await keeper().look();
    expect(await receivers(id)).toEqual([ids[0]]);
    const [later] = await players(1);
    await keeper().look();
    expect(await receivers(open.id)).toContain(later);
    expect(await receivers(open.id)).not.toContain(ids[0]);
  });

  test("of those who played in a time counts finished games, on machines of a brand where one is named", async () => {
    await played(ids[0]!, 2);
    await played(ids[1]!, 9);
    await sql`insert into play_session (id, machine_id, player_id, started_at, ended_at, end_reason)
      values ('ps_nogame', 'nar-01', ${ids[2]}, now() - interval '2 days', now(), 'left')`.execute(venue.db.kysely);
    const span = { from: inDays(-3), until: inDays(-1) };
    const audience = (brand?: string) => ({ is: "played", ...span, ...(brand !== undefined && { brand }) }) as const;
    const all = await draft({ audience: audience() });
    const ofBrand = await draft({ audience: audience("Nar") });
    const other = await draft({ audience: audience("'; drop table player; --") });
    expect(await reach(all.id)).toMatchObject({ matching: 1 });
    expect(await reach(ofBrand.id)).toMatchObject({ matching: 1 });
    expect(await reach(other.id)).toMatchObject({ matching: 0, players: 0 });
    await startCampaign(db(), ofBrand.id, { by: "okan", signedBy: "eva", reason: "as agreed" });
    await keeper().look();
    expect(await receivers(ofBrand.id)).toEqual([ids[0]]);
  });
});

describe("a draft", () => {
  test("grants nothing, may be changed with another mark, and stays as it was started", async () => {
    const before = await draft();
    await keeper().look();
    expect(await receivers(before.id)).toEqual([]);
    const after = await changeCampaign(db(), before.id, plan({ budget: 50_000 }), "less");
    expect(after).toMatchObject({ budget: 50_000 });
    expect(markOf(after!)).not.toBe(markOf(before));
    expect(markOf((await changeCampaign(db(), before.id, plan(), "less"))!)).toHaveLength(64);
    await startCampaign(db(), before.id, { by: "okan", signedBy: null, reason: "as agreed" });
    expect(await changeCampaign(db(), before.id, plan({ budget: 60_000 }), "less")).toBeUndefined();
    await expect(
      sql`update campaign set budget = 60000 where id = ${before.id}`.execute(venue.db.kysely),
    ).rejects.toThrow("stays as it was started");
    await expect(sql`delete from campaign where id = ${before.id}`.execute(venue.db.kysely)).rejects.toThrow(
      "part of the record",
    );
  });

  test.each<[string, Partial<CampaignPlan>]>([
    ["budget", { budget: 999 }],
    ["endsAt", { endsAt: "2020-01-01T00:00:00Z", startsAt: "2019-01-01T00:00:00Z" }],
    ["endsAt", { startsAt: "2030-01-02T00:00:00Z", endsAt: "2030-01-01T00:00:00Z" }],
    ["audience.until", { audience: { is: "registered", from: "2026-01-02T00:00:00Z", until: "2026-01-01T00:00:00Z" } }],
  ])("says that its %s is wrong: %j", (field, more) => {
    expect(planProblem(plan(more), new Date(venue.clock.now()))).toBe(field);
  });
});
