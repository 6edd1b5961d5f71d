import { expect, test } from "vitest";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";

/* A play session that has to end: nothing is pressed any more, and what is known of its machine is the newest. */

const venue = sharePlayVenue({ env: { SEAT_LEASE_MS: "1000" } });

async function atMachine(id: string, username: string) {
  const { machine, agent } = await venue.machine(id);
  const player = await venue.player(username, 10_000);
  const page = await venue.page(player.token, id);
  await page.init();
  await page.peer.request("cashIn", { id: `${id}-cash-in`, amount: 3_000 });
  return { machine, agent, player, page };
}

test("the agent gives up the grant before the credits are asked for", async () => {
  const { agent, page } = await atMachine("dere-01", "ends.order");
  expect(await page.peer.request("leave", {})).toMatchObject({ data: { outcome: "done", amount: 3_000 } });
  const [revoked, cashedOut] = ["seat.revoke", "egm.cashOut"].map((name) => agent.asked.indexOf(name));
  expect(revoked).toBeGreaterThan(0);
  expect(cashedOut).toBeGreaterThan(revoked ?? Number.POSITIVE_INFINITY);
});

test("a banned player's game is the last one: no grant is renewed or given again while it runs", async () => {
  const { machine, agent, player } = await atMachine("dere-02", "ends.banned");
  machine.startGame();
  await agent.pump();
  await eventually(() => expect(agent.asked).toContain("seat.renew 1"));
  await venue.platform.auth.end({ playerId: player.id }, "banned");
  await eventually(() => expect(agent.asked).toContain("seat.revoke"));
  await venue.inState("dere-02", "draining");
  // Another machine is renewed meanwhile, so this one had its turn; before its first renewal, one that was under way at the ban may still come.
  const other = await atMachine("dere-03", "ends.witness");
  const renewals = (): number => other.agent.asked.filter((request) => request === "seat.renew 1").length;
  await eventually(() => expect(renewals()).toBeGreaterThan(0));
  const since = agent.asked.length;
  const before = renewals();
  await eventually(() => expect(renewals()).toBeGreaterThan(before));
  // Its agent reconnects, and still no grant.
  await agent.kill();
  await venue.inState("dere-02", "agentAway");
  const back = await venue.agent([machine], "agent of dere-02");
  await back.hello();
  await venue.inState("dere-02", "draining");
  expect([...agent.asked.slice(since), ...back.asked].filter((asked) => /grant|renew/.test(asked))).toEqual([]);
  machine.endGame(500);
  await back.pump();
  await venue.inState("dere-02", "free");
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_400 });
});

test("a break in a bonus holds new games and lets the presses pass that finish the bonus", async () => {
  const { machine, agent, player, page } = await atMachine("dere-10", "ends.bonus");
  machine.startGame();
  machine.bonus = true;
  machine.happen("bonusStarted");
  await agent.pump();
  await venue.inState("dere-10", "inBonus");
  const headers = { authorization: `Bearer ${player.token}` };
  await venue.app.inject({ method: "POST", url: "/v1/player/breaks", headers, payload: { kind: "panic" } });
  await venue.inState("dere-10", "draining");
  await eventually(() => expect(machine.rules).toMatchObject({ paidForMs: 0, heldFor: "break" }));
  // Its agent connects again: the same rules are granted again.
  await agent.kill();
  await venue.inState("dere-10", "agentAway");
  machine.rules = undefined;
  const back = await venue.agent([machine], "agent of dere-10");
  await back.hello();
  await venue.inState("dere-10", "draining");
  await eventually(() => expect(machine.rules).toMatchObject({ paidForMs: 0, heldFor: "break" }));
  expect([...agent.asked, ...back.asked]).not.toContain("seat.revoke");
  machine.bonus = false;
  machine.endGame(500);
  await back.pump();
  await venue.inState("dere-10", "free");
  expect(back.asked).toContain("seat.revoke");
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_400 });
  await page.closed;
});

test("a seat that is ending cannot be sat on again, also by its player", async () => {
  const { machine, agent, player, page } = await atMachine("dere-04", "ends.again");
  machine.startGame();
  await agent.pump();
  await venue.sessions.endSessionsOf(player.id, "house").catch(() => {});
  await venue.inState("dere-04", "draining");
  const again = await venue.page(player.token, "dere-04");
  expect(await again.init()).toMatchObject({ is: "refused", refusal: { code: 60041 } });
  machine.endGame(0);
  await agent.pump();
  expect(await page.closed).toEqual({ code: 4000, reason: "ended" });
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 9_900 });
});

test("meters that were read before a game's end was told do not bring the game back", async () => {
  const { machine, agent, player, page } = await atMachine("dere-05", "ends.stale");
  machine.startGame();
  const gate = Promise.withResolvers<void>();
  machine.waits = { meters: gate.promise };
  const leave = page.peer.request("leave", {});
  await eventually(() => expect(agent.asked).toContain("seat.revoke"));
  await venue.inState("dere-05", "ending");
  machine.waits = {};
  machine.endGame(200);
  await agent.pump();
  gate.resolve();
  expect(await leave).toMatchObject({ data: { outcome: "done", amount: 3_100 } });
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_100 });
});
