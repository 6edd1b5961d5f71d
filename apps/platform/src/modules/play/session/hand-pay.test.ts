import { expect, test } from "vitest";
import { sharePlayVenue } from "../../../testing/play-venue.ts";

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
