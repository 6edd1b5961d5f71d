import { expect, test } from "vitest";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";

/* A player who leaves while money is on its way: the machine is empty just then, and that proves nothing. */

const venue = sharePlayVenue();

async function atMachine(id: string, username: string) {
  const { machine, agent } = await venue.machine(id);
  const player = await venue.player(username, 10_000);
  const page = await venue.page(player.token, id);
  await page.init();
  return { machine, agent, player, page };
}

/** The end of the play session has been tried more than once. */
async function endWasTried(id: string): Promise<void> {
  const dues = new Set<string>();
  await eventually(async () => {
    const { state, due_at } = await venue.seat(id);
    if (state !== "seated" && state !== "playing") dues.add(`${state} ${due_at?.getTime()}`);
    expect(state === "free" || dues.size >= 3).toBe(true);
  });
}

const isOver = async (id: string, playerId: string) => {
  await venue.inState(id, "free");
  expect(await venue.balanceOf(playerId)).toEqual({ balance: 10_000 });
  expect(await venue.ledgerOf(`machine:${id}`)).toBe(0);
  expect(venue.lines.filter((line) => line.includes("discrepancy") && line.includes(id))).toEqual([]);
};

test("leaving before the machine has taken the cash-in: the credits still go home", async () => {
  const { machine, agent, player, page } = await atMachine("gol-01", "leaves.early");
  const gate = Promise.withResolvers<void>();
  machine.waits = { before: gate.promise };
  const cashIn = page.peer.request("cashIn", { id: "early-cash-in", amount: 4_000 });
  await eventually(() => expect(agent.asked).toContain("egm.cashIn"));
  const leave = page.peer.request("leave", {});
  await endWasTried("gol-01");
  machine.waits = {};
  gate.resolve();
  expect(await leave).toEqual({ is: "done", data: { outcome: "done", amount: 4_000 } });
  expect(await cashIn).toMatchObject({ is: "done" });
  await isOver("gol-01", player.id);
  expect(machine.credit).toBe(0);
});

test("leaving before the answer of a cash-out is here: nothing goes to suspense", async () => {
  const { machine, agent, player, page } = await atMachine("gol-02", "leaves.late");
  await page.peer.request("cashIn", { id: "late-cash-in", amount: 4_000 });
  const gate = Promise.withResolvers<void>();
  machine.waits = { after: gate.promise };
  const cashOut = page.peer.request("cashOut", { id: "late-cash-out" });
  await eventually(() => expect(agent.asked).toContain("egm.cashOut"));
  const leave = page.peer.request("leave", {});
  await endWasTried("gol-02");
  machine.waits = {};
  gate.resolve();
  expect(await cashOut).toMatchObject({ data: { outcome: "done", amount: 4_000 } });
  expect(await leave).toMatchObject({ is: "done" });
  await isOver("gol-02", player.id);
});
