import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import { fakeAgent } from "../../../testing/fake-agent.ts";
import { FakeMachine } from "../../../testing/fake-machine.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { staffMember } from "../../../testing/staff-client.ts";

/* Agents with their keys, and the life of machines, as the console calls them. */

const venue = sharePlayVenue(
  {
    env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000", NODE_LEASE_MS: "1500" },
  },
  prepare,
);
type Member = Awaited<ReturnType<typeof staffMember>>;
type Json = Record<string, unknown>;
let teo: Member;
let deniz: Member;
let tara: Member;
async function prepare(): Promise<void> {
  const staff = { platform: venue.platform, db: venue.database };
  teo = await staffMember(staff, "teo", ["technician"]);
  tara = await staffMember(staff, "tara", ["technician"]);
  deniz = await staffMember(staff, "deniz", ["attendant"]);
}
afterAll(async () => expect(await venue.ledger.verify()).toEqual([]));

const resultOf = (answer: { body: Json }): Json => answer.body["result"] as Json;
type Agent = {
  id: string;
  name: string;
  links: number;
  keys: { id: string; lastUsedAt: string | null; endsAt: string | null }[];
};

async function agentOf(name: string): Promise<Agent> {
  const { body } = await teo.get("agents");
  const found = (body["rows"] as Agent[]).find((agent) => agent.name === name);
  if (found === undefined) throw new Error(`no agent ${name}`);
  return found;
}

async function enrolled(name: string) {
  const answer = await teo.act("enrolAgent", {}, { name, reason: "a new hall" });
  expect(answer.body).toMatchObject({ is: "done" });
  return { id: String(resultOf(answer)["agent"]), key: String(resultOf(answer)["key"]) };
}

const linked = async (key: string, machine: FakeMachine) => {
  const agent = await fakeAgent({ url: venue.url, key, machines: [machine] });
  expect(await agent.hello()).toMatchObject({ is: "done" });
  return agent;
};

describe("keys of agents", () => {
  test("old and new key hold together until an act ends the old one; only links of the old one close", async () => {
    const { id, key } = await enrolled("hall-act");
    const machine = new FakeMachine("fl-01");
    const before = await linked(key, machine);
    const rotated = await teo.act("rotateAgent", { id }, { old: { is: "act" }, reason: "yearly" });
    const newKey = String(resultOf(rotated)["key"]);
    expect((await agentOf("hall-act")).keys).toMatchObject([
      { endsAt: null, lastUsedAt: null },
      { endsAt: null, lastUsedAt: expect.any(String) },
    ]);
    const third = await teo.act("rotateAgent", { id }, { old: { is: "hours", hours: 1 }, reason: "again" });
    expect(third.body).toMatchObject({
      problem: "act.refused",
      params: { sentence: expect.stringMatching(/two keys/) },
    });
    await before.kill();
    const after = await linked(newKey, machine);
    const other = await linked(key, new FakeMachine("fl-02"));
    const [newest, oldest] = (await agentOf("hall-act")).keys;
    expect(newest?.lastUsedAt).not.toBeNull();
    const ended = await teo.act("endAgentKey", { id, key: oldest?.id ?? "" }, { reason: "the new one is in use" });
    expect(ended.body).toMatchObject({ is: "done" });
    expect(await other.closed).toEqual({ code: 1013, reason: "key changed" });
    await expect(fakeAgent({ url: venue.url, key, machines: [machine] })).rejects.toThrow();
    expect((await agentOf("hall-act")).links).toBe(1);
    expect((await teo.act("endAgentKey", { id, key: newest?.id ?? "" }, { reason: "both" })).body).toMatchObject({
      problem: "act.refused",
      params: { sentence: expect.stringMatching(/only key/) },
    });
    await after.kill();
  });

  test("the old key ends by itself at its time, and its link with it", async () => {
    const { id, key } = await enrolled("hall-time");
    const agent = await linked(key, new FakeMachine("fl-03"));
    await teo.act("rotateAgent", { id }, { old: { is: "hours", hours: 24 }, reason: "yearly" });
    const [, old] = (await agentOf("hall-time")).keys;
    expect(Date.parse(old?.endsAt ?? "") - Date.now()).toBeGreaterThan(23 * 3_600_000);
    await sql`update agent_key set ends_at = clock_timestamp() + interval '200 ms' where id = ${old?.id}`.execute(
      venue.db,
    );
    expect(await agent.closed).toEqual({ code: 1013, reason: "key changed" });
    expect((await agentOf("hall-time")).keys).toHaveLength(1);
    const revive = sql`update agent_key set ends_at = null where id = ${old?.id}`.execute(venue.db);
    await expect(revive).rejects.toThrow(/stays so/);
  });

  test("a dry run makes nothing and shows no key, a repeat shows no key again, and the reason is kept without the key", async () => {
    const dry = await teo.act("enrolAgent", {}, { name: "hall-dry", reason: "to try", dryRun: true });
    expect(dry.body).toMatchObject({ is: "dryRun", result: { key: null } });
    const first = await teo.act("enrolAgent", {}, { name: "hall-dry", reason: "to have" }, "enrol-once-1");
    expect(first.body).toMatchObject({ is: "done" });
    const again = await teo.act("enrolAgent", {}, { name: "hall-dry", reason: "to have" }, "enrol-once-1");
    expect(again.body).toMatchObject({ problem: "act.refused" });
    expect((await teo.act("enrolAgent", {}, { name: "hall-dry", reason: "twice" })).body).toMatchObject({
      params: { sentence: expect.stringMatching(/already/) },
    });
    const id = String(resultOf(first)["agent"]);
    expect((await teo.act("revokeAgent", { id }, { reason: "stolen" })).body).toMatchObject({ is: "done" });
    expect((await teo.act("revokeAgent", { id }, { reason: "stolen" })).body).toMatchObject({ problem: "act.refused" });
    const { rows } = await sql<{ type: string; facts: Json }>`select type, facts from audit.entries
      where subject = ${`agent:${id}`} and type like 'agent.key%' order by id`.execute(venue.db);
    expect(rows).toMatchObject([
      { type: "agent.keyMade", facts: { reason: "to have" } },
      { type: "agent.keyEnds", facts: { reason: "stolen" } },
    ]);
    expect(JSON.stringify(rows)).not.toContain("lak_");
    expect((await agentOf("hall-dry")).keys).toEqual([]);
  });

  test("who may only see agents changes none", async () => {
    const { id } = await enrolled("hall-others");
    expect((await deniz.get("agents")).status).toBe(200);
    for (const name of ["rotateAgent", "revokeAgent"] as const) {
      const answer = await deniz.client.post(`agents/${id}/${name === "rotateAgent" ? "rotate" : "revoke"}`, {
        id: `deniz-${name}`,
        old: { is: "now" },
        reason: "why",
      });
      expect(answer.body).toMatchObject({ problem: "permission.missing", params: { permission: "agent.manage" } });
    }
    await eventually(async () => expect((await agentOf("hall-others")).keys).toHaveLength(1));
  });
});

type Life = {
  state: string;
  name: string;
  group: string | null;
  theoreticalReturn: number | null;
  agent: { name: string } | null;
};
const lifeOf = async (id: string) =>
  (await teo.get(`machines/${id}/life`)).body as { life: Life; ramClears: Json[]; lastReading: Json | null };

async function signed(answer: { body: Json }) {
  expect(answer.body).toMatchObject({ is: "waiting" });
  const id = String(answer.body["approval"]);
  const { hash } = (await tara.get(`approvals/${id}`)).body as { hash: string };
  return await tara.act("signApproval", { id }, { hash });
}

/** A player plays some games at a machine and goes home. */
async function played(machineId: string, username: string, games: number) {
  const { machine, agent } = await venue.machine(machineId);
  const player = await venue.player(username, 10_000);
  const page = await venue.page(player.token, machineId);
  await page.init();
  await page.peer.request("cashIn", { id: `in-${username}`, amount: 2_000 });
  for (let game = 0; game < games; game += 1) machine.play(0);
  await agent.pump();
  await page.peer.request("cashOut", { id: `out-${username}` });
  await page.peer.request("leave", {}).catch(() => undefined);
  return { machine, agent, player, page };
}

describe("the life of a machine", () => {
  test("one is enrolled before it comes: bound to its agent, in its group, under the venue's name", async () => {
    const { id, key } = await enrolled("hall-new");
    const other = await enrolled("hall-rival");
    const about = { machine: "ml-01", agent: id, name: "Corner 1", group: "Hall 9", theoreticalReturn: 9_650 };
    expect((await teo.act("enrolMachine", {}, { ...about, reason: "new", dryRun: true })).body).toMatchObject({
      is: "dryRun",
    });
    expect((await teo.get("machines/ml-01/life")).status).toBe(404);
    expect((await teo.act("enrolMachine", {}, { ...about, reason: "new" })).body).toMatchObject({ is: "done" });
    expect((await lifeOf("ml-01")).life).toMatchObject({
      state: "expected",
      group: "Hall 9",
      theoreticalReturn: 9_650,
    });
    expect((await teo.act("enrolMachine", {}, { ...about, reason: "again" })).body).toMatchObject({
      problem: "act.refused",
    });
    const machine = new FakeMachine("ml-01");
    const beside = new FakeMachine("ml-02");
    const rival = await fakeAgent({ url: venue.url, key: other.key, machines: [machine, beside] });
    // The rival's own machine is taken, and the one that is not its own is left out.
    expect(await rival.hello()).toMatchObject({ is: "done", data: { taken: { "ml-02": 0 } } });
    expect((await lifeOf("ml-01")).life.state).toBe("expected");
    const agent = await linked(key, machine);
    expect((await lifeOf("ml-01")).life).toMatchObject({ state: "inService", name: "Corner 1", group: "Hall 9" });
    expect((await teo.get("machines/ml-01")).body).toMatchObject({
      machine: { name: "Corner 1", group: "Hall 9" },
      facts: { theoreticalReturn: 9_650 },
    });
    await Promise.all([agent.kill(), rival.kill()]);
  });

  test("to another agent it goes at rest, leaves the old link at once, and its new agent takes it without an alarm", async () => {
    const { machine, agent: before } = await venue.machine("ml-03");
    const { id, key } = await enrolled("hall-next");
    const player = await venue.player("moves.not", 1_000);
    const page = await venue.page(player.token, "ml-03");
    await page.init();
    expect((await teo.act("moveMachine", { id: "ml-03" }, { agent: id, reason: "to hall 2" })).body).toMatchObject({
      params: { sentence: expect.stringMatching(/drain it first/) },
    });
    await teo.act(
      "endSession",
      { id: "ml-03" },
      { session: (await venue.seat("ml-03")).play_session_id, reason: "move" },
    );
    await venue.inState("ml-03", "free");
    expect((await teo.act("moveMachine", { id: "ml-03" }, { agent: id, reason: "to hall 2" })).body).toMatchObject({
      is: "done",
    });
    await eventually(async () =>
      expect((await teo.get("machines/ml-03")).body).toMatchObject({ machine: { answers: false } }),
    );
    expect(await before.hello()).toMatchObject({ is: "refused" });
    const after = await linked(key, machine);
    expect((await lifeOf("ml-03")).life.agent).toEqual({ id, name: "hall-next" });
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from audit.entries
      where type = 'alarm.raised' and facts ->> 'machineId' = 'ml-03'`.execute(venue.db);
    expect(rows[0]?.count).toBe(0);
    await Promise.all([before.kill(), after.kill()]);
  });

  test("a retired one is in no lobby and on no floor, keeps its history, and comes back with it", async () => {
    const { machine, agent, player } = await played("ml-04", "retires", 3);
    await venue.inState("ml-04", "free");
    const retired = await teo.act("retireMachine", { id: "ml-04" }, { reason: "sold" });
    expect(retired.body).toMatchObject({ is: "done" });
    const floor = (await teo.get("floor")).body["rows"] as { id: string }[];
    expect(floor.map(({ id }) => id)).not.toContain("ml-04");
    const views = await venue.platform.play.sessions.machinesFor(player.id);
    expect(views.map(({ id }) => id)).not.toContain("ml-04");
    expect(((await teo.get("machines/ml-04/games")).body["rows"] as Json[]).length).toBe(3);
    await agent.kill();
    const shut = await venue.agent([machine], "agent of ml-04");
    expect(await shut.hello()).toMatchObject({ is: "done", data: { taken: {} } });
    await shut.kill();
    expect((await teo.act("retireMachine", { id: "ml-04" }, { reason: "twice" })).body).toMatchObject({
      problem: "act.refused",
    });
    expect((await teo.act("returnMachine", { id: "ml-04" }, { reason: "bought back" })).body).toMatchObject({
      is: "done",
    });
    const back = await venue.agent([machine], "agent of ml-04");
    expect(await back.hello()).toMatchObject({ is: "done", data: { taken: { "ml-04": expect.any(Number) } } });
    await back.kill();
  });

  test("one that cannot be read needs a second person to retire, and what changed meanwhile is not signed", async () => {
    const { agent } = await venue.machine("ml-05");
    await agent.kill();
    const waiting = await teo.act("retireMachine", { id: "ml-05" }, { reason: "dead board" });
    expect(waiting.body).toMatchObject({ is: "waiting" });
    expect((await lifeOf("ml-05")).life.state).toBe("inService");
    expect((await signed(waiting)).body).toMatchObject({ is: "done" });
    expect((await lifeOf("ml-05")).life.state).toBe("retired");
  });
});

describe("a RAM clear", () => {
  test("keeps the meters of before, closes the machine until it is back, and the comparison continues from the new ones", async () => {
    const { machine, agent } = await played("rc-01", "clears", 5);
    await venue.inState("rc-01", "free");
    const waiting = await teo.act("orderRamClear", { id: "rc-01" }, { reason: "new board" });
    expect((await signed(waiting)).body).toMatchObject({ is: "done" });
    expect((await lifeOf("rc-01")).ramClears).toMatchObject([
      { state: "waiting", before: { gamesPlayed: 5 }, after: null, people: [{ name: "teo" }, { name: "tara" }] },
    ]);
    const late = await venue.player("clears.late", 1_000);
    expect(await (await venue.page(late.token, "rc-01")).init().catch(() => "refused")).not.toMatchObject({
      is: "done",
    });
    await agent.kill();
    // A link with the old meters is no RAM clear.
    const same = await venue.agent([machine], "agent of rc-01");
    expect(await same.hello()).toMatchObject({ is: "done" });
    expect((await lifeOf("rc-01")).ramClears[0]).toMatchObject({ state: "waiting" });
    machine.clearRam();
    same.tellMeters(machine);
    await same.kill();
    const back = await venue.agent([machine], "agent of rc-01");
    expect(await back.hello()).toMatchObject({ is: "done" });
    expect((await lifeOf("rc-01")).ramClears).toMatchObject([
      {
        state: "done",
        before: { gamesPlayed: 5, totals: { wagered: 500 } },
        after: { gamesPlayed: 0, totals: { wagered: 0 } },
        gapFrom: expect.any(String),
        gapTo: expect.any(String),
      },
    ]);
    const player = await venue.player("clears.after", 10_000);
    const page = await venue.page(player.token, "rc-01");
    await page.init();
    await page.peer.request("cashIn", { id: "in-clears-after", amount: 1_000 });
    machine.play(300);
    machine.play(0);
    await back.pump();
    const games = (await teo.get("machines/rc-01/games")).body["rows"] as { number: number }[];
    expect(games.map(({ number }) => number)).toEqual([7, 6, 5, 4, 3, 2, 1]);
    await teo.act(
      "endSession",
      { id: "rc-01" },
      { session: (await venue.seat("rc-01")).play_session_id, reason: "end" },
    );
    await venue.inState("rc-01", "free");
    const { rows } = await sql<{ why: string; agrees: boolean }>`select r.why, c.agrees from meter_reading r
      left join reconciliation c on c.machine_id = r.machine_id and c.reading = r.number
      where r.machine_id = 'rc-01' order by r.number`.execute(venue.db);
    expect(rows.map(({ why }) => why)).toContain("ramClear");
    expect(rows.every(({ agrees }) => agrees !== false)).toBe(true);
    const open = await sql<{
      count: number;
    }>`select count(*)::int as count from discrepancy where machine_id = 'rc-01'`.execute(venue.db);
    expect(open.rows[0]?.count).toBe(0);
    await back.kill();
  });

  test("without an order lower meters are refused, and a cancelled order leaves the machine as it was", async () => {
    const { machine, agent } = await played("rc-02", "clears.none", 2);
    await venue.inState("rc-02", "free");
    const waiting = await teo.act("orderRamClear", { id: "rc-02" }, { reason: "perhaps" });
    await signed(waiting);
    expect((await teo.act("orderRamClear", { id: "rc-02" }, { reason: "twice" })).body).toMatchObject({
      problem: "act.refused",
    });
    expect((await teo.act("cancelRamClear", { id: "rc-02" }, { reason: "not needed" })).body).toMatchObject({
      is: "done",
    });
    await agent.kill();
    machine.clearRam();
    const cleared = await venue.agent([machine], "agent of rc-02");
    expect(await cleared.hello()).toMatchObject({
      is: "refused",
      refusal: { reason: expect.stringMatching(/orders a RAM clear first/) },
    });
    await cleared.kill();
  });
});
