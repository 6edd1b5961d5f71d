import { afterAll, beforeAll, expect, test } from "vitest";
import { inProcessBus } from "../../bus/index.ts";
import { systemClock } from "../../clock.ts";
import { FakeMachine } from "../../testing/fake-machine.ts";
import type { PlayHouse } from "../../testing/play-house.ts";
import { eventually, playHouse } from "../../testing/play-house.ts";

/** Two nodes on one database and one bus: the agent's link is on the first, the player's page on the second. */
let one: PlayHouse;
let two: PlayHouse;
beforeAll(async () => {
  const sharedBus = inProcessBus({ clock: systemClock, onError: () => {} });
  one = await playHouse({ sharedBus, env: { NODE_ID: "one", NODE_LEASE_MS: "1000" } });
  two = await playHouse({ sharedBus, env: { NODE_ID: "two", NODE_LEASE_MS: "1000" }, database: one.database });
});
afterAll(async () => {
  await two.end(true);
  await one.end();
});

test("a page on one node plays a machine whose agent is on another", async () => {
  const { machine, agent } = await one.machine("kuzey-01");
  const player = await one.player("nora.nodes", 5_000);
  const page = await two.page(player.token, "kuzey-01");
  expect(await page.init({ offer: "v=0" })).toMatchObject({ is: "done", data: { answer: "answer to v=0" } });
  expect(await page.peer.request("cashIn", { id: "nodes-cash-in", amount: 2_000 })).toMatchObject({
    data: { amount: 2_000 },
  });
  machine.play(60);
  await agent.pump();
  agent.tellMeters(machine);
  await eventually(() => expect(page.ofMethod("meters").at(-1)).toMatchObject({ credit: 1_960 }));
  expect(await page.peer.request("press", { epoch: 1, seq: 1, button: "spin", at: 1 })).toMatchObject({
    data: { outcome: "started" },
  });
  expect(await page.peer.request("leave", {})).toEqual({ is: "done", data: { outcome: "done", amount: 1_960 } });
  expect(await page.closed).toEqual({ code: 4000, reason: "ended" });
});

test("a page on the other node takes the seat over from this one", async () => {
  await one.machine("kuzey-02");
  const player = await one.player("olaf.nodes");
  const here = await one.page(player.token, "kuzey-02");
  await here.init();
  const there = await two.page(player.token, "kuzey-02");
  expect(await there.init()).toMatchObject({ data: { epoch: 2 } });
  expect(await here.closed).toEqual({ code: 4000, reason: "taken over" });
});

test("a machine that an agent of another node holds is refused here", async () => {
  await one.machine("kuzey-03");
  const rival = await two.agent([new FakeMachine("kuzey-03")], "rival");
  expect(await rival.hello()).toMatchObject({
    refusal: { reason: expect.stringContaining("held by another live link") },
  });
});

test("what a node that is gone has left is released when its leases are over", async () => {
  const { machine } = await one.machine("kuzey-04");
  const player = await one.player("paul.nodes", 5_000);
  const page = await two.page(player.token, "kuzey-04");
  await page.init();
  await page.peer.request("cashIn", { id: "gone-cash-in", amount: 1_000 });
  // Rows as a killed node leaves them: its name, a lease that nobody renews, a transfer in flight.
  await two.db
    .updateTable("seat")
    .set({ holder_socket: "gs_gone", holder_node: "gone" })
    .where("machine_id", "=", "kuzey-04")
    .execute();
  await eventually(async () =>
    expect(await two.seat("kuzey-04")).toMatchObject({ state: "waiting", holder_socket: null }),
  );
  expect(machine.credit).toBe(1_000);
});

test("a lease that ran out only because its node stood still: the seat is where it was, the link never ended", async () => {
  const { agent } = await one.machine("kuzey-05");
  const player = await one.player("quinn.nodes", 5_000);
  const page = await one.page(player.token, "kuzey-05");
  await page.init();
  await page.peer.request("cashIn", { id: "still-cash-in", amount: 1_000 });
  await eventually(async () => {
    await one.db
      .updateTable("agent_link")
      .set({ lease_until: new Date(0) })
      .where("machine_id", "=", "kuzey-05")
      .execute();
    // Whatever happens to the seat just then looks for its agent.
    await page.peer.request("continue", {});
    expect((await one.seat("kuzey-05")).state).toBe("agentAway");
  });
  await one.inState("kuzey-05", "playing");
  expect(agent.peer.closed).toBe(false);
});
