import { sql } from "kysely";
import { expect, test } from "vitest";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { prove } from "../reconciliation/index.ts";

const venue = sharePlayVenue();

test("a hand pay that is told late is owed to the player who had the seat then, not to the one who has it now", async () => {
  const { machine, agent } = await venue.machine("sahil-01");
  const winner = await venue.player("wins.early", 5_000);
  const page = await venue.page(winner.token, "sahil-01");
  await page.init();
  // The agent's journal is behind: an attendant has paid and reset it at the machine before anything was told.
  machine.happen("handPayPending", { handPay: { id: "hp-1", amount: 70_000, kind: "win" } });
  machine.happen("handPayReset");
  expect(await page.peer.request("leave", {})).toMatchObject({ is: "done" });
  const next = await venue.player("sits.late", 5_000);
  expect(await (await venue.page(next.token, "sahil-01")).init()).toMatchObject({ is: "done" });
  await agent.pump();
  const rows = await venue.db.selectFrom("hand_pay").selectAll().where("machine_id", "=", "sahil-01").execute();
  expect(rows).toMatchObject([{ hand_pay_id: "hp-1", amount: 70_000, player_id: winner.id }]);
});

// player 11
test("a hand pay that is confirmed is said once, with its amount and machine, to the player whose wallet it is in", async () => {
  const { machine, agent } = await venue.machine("sahil-02");
  const winner = await venue.player("wins.now", 5_000);
  const page = await venue.page(winner.token, "sahil-02");
  await page.init();
  const heard: unknown[] = [];
  const stop = venue.bus.subscribe("player.paid", (paid) => heard.push(paid));
  machine.happen("handPayPending", { handPay: { id: "hp-2", amount: 2_180, kind: "win" } });
  await agent.pump();
  const before = await venue.balanceOf(winner.id);
  const command = { machineId: "sahil-02", handPayId: "hp-2", staff: "ayse" };
  expect(await venue.sessions.confirmHandPay(command)).toMatchObject({ is: "done", paid: "player" });
  expect(await venue.sessions.confirmHandPay(command)).toMatchObject({ is: "done", paid: "before" });
  expect((await venue.balanceOf(winner.id)).balance).toBe(before.balance + 2_180);
  await expect
    .poll(() => heard)
    .toEqual([{ playerId: winner.id, id: expect.any(String), kind: "handPay", amount: 2_180, machine: "SAHIL-02" }]);
  stop();
});

test("cancelled credits are paid from the machine's account, and machine and books still agree", async () => {
  const { machine, agent } = await venue.machine("sahil-03");
  const player = await venue.player("owns.credits", 5_000);
  const page = await venue.page(player.token, "sahil-03");
  await page.init();
  await page.peer.request("cashIn", { id: "sahil-03-cash-in", amount: 3_000 });
  const account = async (address: `machine:${string}` | "house") => (await venue.ledger.account(address)).balanceMinor;
  const house = await account("house");
  machine.cancelCredits("hp-3");
  await agent.pump();
  await venue.inState("sahil-03", "handPay");
  const command = { machineId: "sahil-03", handPayId: "hp-3", staff: "ayse" };
  expect(await venue.sessions.confirmHandPay(command)).toMatchObject({ is: "done", paid: "player", reset: true });
  expect(await account("machine:sahil-03")).toBe(0);
  expect(await account("house")).toBe(house);
  expect(await venue.balanceOf(player.id)).toMatchObject({ balance: 5_000 });
  await agent.pump();
  await venue.inState("sahil-03", "seated");
  expect(await page.peer.request("leave", {})).toMatchObject({ is: "done" });
  const { rows } = await sql<{ agrees: boolean; lines: { name: string; expected: number; found: number }[] }>`
    select agrees, lines from reconciliation where machine_id = 'sahil-03' order by id desc limit 1`.execute(venue.db);
  expect(rows[0]?.lines).toContainEqual({ name: "otherOut", expected: 3_000, found: 3_000 });
  expect(rows[0]?.lines).toContainEqual({ name: "cancelledOut", expected: 3_000, found: 3_000 });
  expect(rows[0]?.agrees).toBe(true);
  expect(await venue.db.selectFrom("discrepancy").selectAll().where("machine_id", "=", "sahil-03").execute()).toEqual(
    [],
  );
  const wrong = (await prove(venue.database.kysely, { is: "all" })).checks.flatMap(({ breaches }) => breaches);
  expect(wrong.filter(({ subject }) => subject.includes("sahil-03"))).toEqual([]);
});

test("hand pays that wait together are paid one by one, and the seat plays on after the last", async () => {
  const { machine, agent } = await venue.machine("sahil-04");
  const player = await venue.player("wins.twice", 5_000);
  const page = await venue.page(player.token, "sahil-04");
  await page.init();
  const [first, second] = [
    { id: "hp-4", amount: 70_000, kind: "win" as const },
    { id: "hp-5", amount: 70_000, kind: "win" as const },
  ];
  Object.assign(machine, { handPay: first, moreHandPays: [second], lockup: "handPay" });
  machine.happen("handPayPending", { handPay: first });
  machine.happen("handPayPending", { handPay: second });
  await agent.pump();
  agent.tellMeters(machine);
  await expect.poll(() => page.ofMethod("meters").at(-1)).toMatchObject({ handPay: first, handPays: [first, second] });
  const before = (await venue.balanceOf(player.id)).balance;
  for (const [{ id: handPayId, amount }, state, paid] of [
    [first, "handPay", 1],
    [second, "seated", 2],
  ] as const) {
    const command = { machineId: "sahil-04", handPayId, staff: "ayse" };
    expect(await venue.sessions.confirmHandPay(command)).toMatchObject({ is: "done", paid: "player", reset: true });
    await agent.pump();
    await venue.inState("sahil-04", state);
    expect((await venue.balanceOf(player.id)).balance).toBe(before + paid * amount);
  }
});
