import { sql } from "kysely";
import { expect, test } from "vitest";
import { fakeAgent } from "../../testing/fake-agent.ts";
import { FakeMachine } from "../../testing/fake-machine.ts";
import { longarmOf } from "../../testing/longarm.ts";
import { eventually, sharePlayVenue } from "../../testing/play-venue.ts";

const venue = sharePlayVenue();

const longarm = longarmOf(venue);
const keyOf = (said: string) => (JSON.parse(said) as { key: string }).key;

test("an agent is enrolled with a key that is shown once, another key ends its links, and a revoked one is out", async () => {
  const enrolled = await longarm("agents", "enrol", "hall-2", "--json");
  const machine = new FakeMachine("ca-01");
  const agent = await fakeAgent({ url: venue.url, key: keyOf(enrolled.said), machines: [machine] });
  expect(await agent.hello()).toMatchObject({ is: "done" });
  expect((await longarm("agents", "list")).said).toMatch(/^hall-2 +ag_\S+ +enrolled .* +1 of 1 machine linked$/m);
  expect(await longarm("agents", "enrol", "hall-2")).toMatchObject({ code: 3 });
  const rotated = await longarm("agents", "rotate", "hall-2", "--json");
  expect(JSON.parse(rotated.said)).toMatchObject({ carriedOut: true });
  expect(await agent.closed).toEqual({ code: 1013, reason: "key changed" });
  await expect(fakeAgent({ url: venue.url, key: keyOf(enrolled.said), machines: [machine] })).rejects.toThrow();
  const again = await fakeAgent({ url: venue.url, key: keyOf(rotated.said), machines: [machine] });
  expect(await again.hello()).toMatchObject({ is: "done" });
  expect(await longarm("agents", "revoke", "hall-2")).toMatchObject({ code: 0, complained: "" });
  await again.closed;
  await expect(fakeAgent({ url: venue.url, key: keyOf(rotated.said), machines: [machine] })).rejects.toThrow();
  expect((await longarm("agents", "list")).said).toContain("revoked");
  expect(await longarm("agents", "revoke", "hall-2")).toMatchObject({ code: 3 });
  const { rows } = await sql<{ keys: number }>`select count(*)::int as keys from audit.entries
    where before::text || after::text || facts::text like '%lak\\_%'`.execute(venue.db);
  expect(rows).toEqual([{ keys: 0 }]);
});

test("staff ends a play session by player, machine or its id: the game is finished and every credit comes home", async () => {
  for (const [at, by] of ["--player", "--machine", "--session"].entries()) {
    const machineId = `cs-0${at}`;
    const { machine, agent } = await venue.machine(machineId);
    const player = await venue.player(`ended.by${at}`, 4_000);
    const page = await venue.page(player.token, machineId);
    await page.init();
    await page.peer.request("cashIn", { id: `ended-by-${at}`, amount: 1_000 });
    machine.play(300);
    await agent.pump();
    const [session] = (
      JSON.parse((await longarm("sessions", "list", "--machine", machineId, "--json")).said) as {
        sessions: { id: string }[];
      }
    ).sessions;
    const name = { "--player": `ended.by${at}`, "--machine": machineId, "--session": session?.id ?? "" }[by] ?? "";
    expect(await longarm("sessions", "end", by, name, "--dry-run")).toMatchObject({ code: 0 });
    expect((await venue.seat(machineId)).player_id).toBe(player.id);
    const ended = await longarm("sessions", "end", by, name);
    expect(ended).toMatchObject({
      code: 0,
      complained: "",
      said: expect.stringContaining("12.00 went back to the wallet"),
    });
    await venue.inState(machineId, "free");
    expect(machine.credit).toBe(0);
    expect(await venue.ledgerOf(`player:${player.id}`)).toBe(4_200);
    await eventually(() => expect(page.ofMethod("ended")).toEqual([{ code: "CODE_18801" }]));
    expect(await longarm("sessions", "end", by, name)).toMatchObject({ code: 3 });
  }
  const past = (await longarm("sessions", "list", "--past")).said;
  expect(past).toMatch(/cs-00 +ended\.by0 .* ended .* \(house\) +in 10\.00 +out 12\.00 +net 2\.00 +1 game/);
  expect((await longarm("sessions", "list")).said).toBe("0 play sessions.");
});

test("without a platform a play session is not ended, and that is said", async () => {
  const { token } = await venue.player("nobody.ends", 1_000);
  await venue.machine("cs-09");
  await (await venue.page(token, "cs-09")).init();
  const answer = await venue.startAgain(() =>
    longarmOf(venue, { beginWithinMs: 100 })("sessions", "end", "--machine", "cs-09"),
  );
  expect(answer).toMatchObject({ code: 3, complained: expect.stringContaining("Nothing was done") });
});
