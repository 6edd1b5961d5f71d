import { sql } from "kysely";
import { expect, test } from "vitest";
import type { ControlTables } from "../../modules/play/control/index.ts";
import { endReservation } from "../../modules/play/control/index.ts";
import type { Page } from "../../testing/fake-page.ts";
import { longarmOf } from "../../testing/longarm.ts";
import { eventually, sharePlayVenue } from "../../testing/play-venue.ts";

/* What staff does to machines, from its words on the command line to the agent, the seat, the wallet and what others see. */

const venue = sharePlayVenue();

const longarm = longarmOf(venue);

/** A player who sits at a machine with credits on it. */
async function seated(machineId: string, username: string, credits = 2_000) {
  const { machine, agent } = await venue.machine(machineId);
  const player = await venue.player(username, 5_000);
  const page = await venue.page(player.token, machineId);
  expect(await page.init()).toMatchObject({ is: "done" });
  expect(await page.peer.request("cashIn", { id: `${username}-in`, amount: credits })).toMatchObject({ is: "done" });
  await venue.inState(machineId, "playing");
  return { machine, agent, player, page };
}

async function statusFor(token: string, machineId: string): Promise<{ status: number; reservation?: unknown }> {
  const machines = (await venue.get("/v1/machine/all", token)).json() as { id: string; status: number }[];
  return machines.find(({ id }) => id === machineId) ?? { status: -1 };
}

const refusalOf = async (page: Page) => await page.init();

test("a disabled machine accepts no new player and no money, its player cashes out, and enable opens it again", async () => {
  const { agent, player, page, machine } = await seated("cm-01", "disabled.one");
  const disabled = await longarm("machines", "disable", "cm-01", "--reason", "bill jam");
  expect(disabled).toMatchObject({ code: 0, complained: "" });
  expect(disabled.said).toContain("cm-01 is disabled");
  expect(agent.asked).toContain("egm.disable");
  await venue.inState("cm-01", "fault");
  expect(await page.peer.request("cashIn", { id: "disabled-more", amount: 100 })).toMatchObject({
    refusal: { code: 60042 },
  });
  expect(await page.peer.request("cashOut", { id: "disabled-out" })).toMatchObject({ is: "done" });
  expect(machine.credit).toBe(0);
  expect(await venue.ledgerOf(`player:${player.id}`)).toBe(5_000);
  await page.peer.request("leave", {});
  await venue.inState("cm-01", "free");
  expect(await statusFor(player.token, "cm-01")).toMatchObject({ status: 0 });
  expect(await refusalOf(await venue.page(player.token, "cm-01"))).toMatchObject({ refusal: { code: 60010 } });
  const list = await longarm("machines", "list", "--json");
  expect(JSON.parse(list.said).machines).toContainEqual(expect.objectContaining({ id: "cm-01", mode: "disabled" }));
  expect(await longarm("machines", "disable", "cm-01")).toMatchObject({ code: 3 });
  expect(await longarm("machines", "resume", "cm-01")).toMatchObject({ code: 3 });
  expect(await longarm("machines", "enable", "cm-01")).toMatchObject({ code: 0 });
  expect(agent.asked).toContain("egm.enable");
  await eventually(async () => expect(await statusFor(player.token, "cm-01")).toMatchObject({ status: 1 }));
});

test("a game that runs while its machine is disabled is finished, and its win counts", async () => {
  const { machine, agent, page } = await seated("cm-02", "disabled.two");
  machine.startGame();
  await agent.pump();
  await venue.inState("cm-02", "inGame");
  expect(await longarm("machines", "disable", "cm-02")).toMatchObject({ code: 0 });
  expect((await venue.seat("cm-02")).state).toBe("inGame");
  machine.endGame(700);
  await agent.pump();
  await venue.inState("cm-02", "fault");
  expect(await page.peer.request("cashOut", { id: "two-out-all" })).toMatchObject({
    is: "done",
    data: { amount: 2_600 },
  });
  await longarm("machines", "enable", "cm-02");
});

test("drain finishes the game, brings the credits home and lets no new player sit; the machine itself is not switched off", async () => {
  const { machine, agent, player } = await seated("cm-03", "drained.one");
  machine.startGame();
  await agent.pump();
  await venue.inState("cm-03", "inGame");
  const draining = longarm("machines", "drain", "cm-03", "--json");
  await venue.inState("cm-03", "draining");
  machine.endGame(0);
  await agent.pump();
  const { code, said } = await draining;
  expect({ code, said: JSON.parse(said) }).toEqual({
    code: 0,
    said: { machines: [{ machine: "cm-03", was: "open", mode: "draining", carriedOut: true }] },
  });
  await venue.inState("cm-03", "free");
  expect(await venue.ledgerOf(`player:${player.id}`)).toBe(4_900);
  expect(agent.asked).not.toContain("egm.disable");
  expect(await refusalOf(await venue.page(player.token, "cm-03"))).toMatchObject({ refusal: { code: 60010 } });
  expect(await longarm("machines", "enable", "cm-03")).toMatchObject({ code: 0 });
  expect(await refusalOf(await venue.page(player.token, "cm-03"))).toMatchObject({ is: "done" });
});

test("a reserved machine is status 4 and lets only its player sit, until its time is over or staff releases it", async () => {
  const { agent } = await venue.machine("cm-04");
  const [named, other] = [await venue.player("kept.for"), await venue.player("not.kept")];
  const kept = await longarm("machines", "reserve", "cm-04", "--player", "kept.for", "--until", "2h");
  expect(kept).toMatchObject({ code: 0, complained: "" });
  expect(kept.said).toMatch(/^cm-04 is kept for kept\.for until .* UTC\.$/);
  const mine = await statusFor(named.token, "cm-04");
  expect(mine).toMatchObject({ status: 4, reservation: { mine: true, until: expect.stringMatching(/Z$/) } });
  expect(await statusFor(other.token, "cm-04")).toMatchObject({ status: 4, reservation: { mine: false } });
  expect(await refusalOf(await venue.page(other.token, "cm-04"))).toMatchObject({ refusal: { code: 60012 } });
  const page = await venue.page(named.token, "cm-04");
  expect(await page.init()).toMatchObject({ is: "done" });
  await page.peer.request("leave", {});
  await venue.inState("cm-04", "free");
  expect(await longarm("machines", "release", "cm-04")).toMatchObject({ code: 0 });
  expect(await longarm("machines", "release", "cm-04")).toMatchObject({ code: 3 });
  expect(agent.asked.filter((one) => /enable|disable/.test(one))).toEqual([]);
  expect(await statusFor(other.token, "cm-04")).toMatchObject({ status: 1 });
  await longarm("machines", "reserve", "cm-04", "--player", "kept.for", "--until", "1m");
  await sql`update machine_control set reserved_until = clock_timestamp() where machine_id = 'cm-04'`.execute(venue.db);
  await eventually(async () => {
    const { rows } = await sql<{ reserved_for: string | null }>`
      select reserved_for from machine_control where machine_id = 'cm-04'`.execute(venue.db);
    expect(rows).toEqual([{ reserved_for: null }]);
  });
  expect(await statusFor(other.token, "cm-04")).toMatchObject({ status: 1 });
});

test("a reservation leaves the machine's mode and its reason alone, and a new one is not taken away with the old one", async () => {
  await venue.machine("cm-10");
  await venue.player("kept.again");
  await longarm("machines", "disable", "cm-10", "--reason", "bill jam");
  const reserve = () => longarm("machines", "reserve", "cm-10", "--player", "kept.again", "--until", "2h");
  expect(await reserve()).toMatchObject({ code: 0 });
  const row = async () =>
    (
      await sql`select mode, reason, reserved_for is not null as kept from machine_control
      where machine_id = 'cm-10'`.execute(venue.db)
    ).rows[0];
  expect(await row()).toEqual({ mode: "disabled", reason: "bill jam", kept: true });
  // As a node finds it that has seen the old one's end a moment before the new one was made.
  await venue.db.transaction().execute(async (trx) => {
    expect(await endReservation(trx.withTables<ControlTables>(), "cm-10")).toBe(false);
  });
  await sql`update machine_control set reserved_until = clock_timestamp() where machine_id = 'cm-10'`.execute(venue.db);
  await eventually(async () => expect(await row()).toEqual({ mode: "disabled", reason: "bill jam", kept: false }));
  const { rows } = await sql<{ actor: string }>`select actor from audit.entries
    where type = 'machine.control' and subject = 'machine:cm-10' order by id desc limit 1`.execute(venue.db);
  expect(rows).toEqual([{ actor: "platform" }]);
});

test("the emergency stop takes the grant away before anything else, brings the credits home and holds until resume", async () => {
  const { agent, player, page } = await seated("cm-05", "stopped.one");
  const { agent: quiet } = await venue.machine("cm-06");
  const stopped = await longarm("machines", "emergency-stop", "--all", "--reason", "smoke");
  expect(stopped).toMatchObject({ code: 0, complained: "" });
  expect(stopped.said).toContain("The play session at cm-05 has ended: 20.00 went back to the wallet.");
  const order = agent.asked.filter((one) => /revoke|disable|cashOut/.test(one));
  expect(order.slice(0, 2)).toEqual(["seat.revoke", "egm.disable"]);
  expect(order).toContain("egm.cashOut");
  expect(quiet.asked).toContain("egm.disable");
  await eventually(() => expect(page.ofMethod("ended")).toEqual([{ code: "CODE_18801" }]));
  expect(await venue.ledgerOf(`player:${player.id}`)).toBe(5_000);
  expect(await refusalOf(await venue.page(player.token, "cm-06"))).toMatchObject({ refusal: { code: 60010 } });
  expect(await longarm("machines", "enable", "cm-05")).toMatchObject({
    code: 3,
    complained: "cm-05 has an emergency stop, which only longarm machines resume ends.",
  });
  expect(await longarm("machines", "resume", "--all")).toMatchObject({ code: 0 });
  await eventually(async () => expect(await statusFor(player.token, "cm-05")).toMatchObject({ status: 1 }));
});

test("a mode set while the agent is away reaches the machine as soon as it is back, by any node", async () => {
  const { machine, agent } = await venue.machine("cm-07");
  await agent.kill();
  const disabled = await longarm("machines", "disable", "cm-07");
  expect(disabled).toMatchObject({ code: 0 });
  expect(disabled.said).toContain("The machine does not answer now");
  const back = await venue.agent([machine], "agent of cm-07");
  await back.hello();
  await eventually(() => expect(back.asked).toContain("egm.disable"));
  expect(machine.lockup).toBe("disabled");
  // A machine that forgot it gets it again.
  machine.lockup = undefined;
  back.peer.notify("machine", { id: "cm-07", state: "idle" });
  await eventually(() => expect(back.asked.filter((one) => one === "egm.disable").length).toBeGreaterThan(1));
  await longarm("machines", "enable", "cm-07");
});

test("without a platform the change is saved, the command says so, and the next platform that starts applies it", async () => {
  const { machine, player } = await seated("cm-08", "later.one");
  const answer = await venue.startAgain(() =>
    longarmOf(venue, { beginWithinMs: 100 })("machines", "emergency-stop", "cm-08"),
  );
  expect(answer).toMatchObject({ code: 0 });
  expect(answer.said).toContain("No platform runs on this database now");
  const back = await venue.agent([machine], "agent of cm-08");
  await back.hello();
  await venue.inState("cm-08", "free");
  expect(machine).toMatchObject({ credit: 0, lockup: "disabled" });
  expect(await venue.ledgerOf(`player:${player.id}`)).toBe(5_000);
});

test("a person at a terminal confirms an emergency stop of all, a dry run and --yes do not ask, and the audit log has each change", async () => {
  await venue.machine("cm-09");
  const answeringNo = longarmOf(venue, { answer: "no" });
  const no = await answeringNo("machines", "emergency-stop", "cm-09");
  expect(no).toMatchObject({ code: 3, asked: [expect.stringContaining("cm-09")] });
  const dry = await answeringNo("machines", "emergency-stop", "cm-09", "--dry-run");
  expect(dry).toMatchObject({ code: 0, asked: [], said: expect.stringContaining("Nothing was changed.") });
  expect(await longarm("machines", "list", "--json")).toMatchObject({ said: expect.stringContaining('"mode":"open"') });
  const yes = ["machines", "emergency-stop", "cm-09", "--yes", "--reason", "drill"];
  expect(await answeringNo(...yes)).toMatchObject({ code: 0, asked: [] });
  const { rows } =
    await sql<object>`select actor, before ->> 'mode' as before, after ->> 'mode' as after, facts ->> 'reason' as reason
    from audit.entries where type = 'machine.control' and subject = 'machine:cm-09' order by id`.execute(venue.db);
  expect(rows).toEqual([{ actor: "root:ayse", before: "open", after: "stopped", reason: "drill" }]);
});
