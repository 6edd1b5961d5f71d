import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { FakeMachine } from "../../../testing/fake-machine.ts";
import { eventually, playVenue } from "../../../testing/play-venue.ts";
import type { MoneyStep } from "./index.ts";
import { MONEY_STEPS } from "./index.ts";

/** A platform that stops at one step, as if it was killed there, and what is needed to go on after it. */
async function killedAt(step: MoneyStep) {
  let reached = false;
  const venue = await playVenue({
    steps: (name) => {
      if (name !== step || reached) return;
      reached = true;
      throw new Error(`killed at ${step}`);
    },
  });
  const { machine } = await venue.machine("nar-01", new FakeMachine("nar-01"));
  const player = await venue.player("ann.kill", 10_000);
  const page = await venue.page(player.token, "nar-01");
  await page.init();
  const early = await page.peer.request("cashIn", { id: "the-cash-in", amount: 4_000 });
  if (step.startsWith("cashOut")) {
    expect(early).toMatchObject({ data: { outcome: "done" } });
    await page.peer.request("cashOut", { id: "the-cash-out", amount: 1_500 });
  }
  expect(reached).toBe(true);
  await venue.end(true);
  return { machine, player, database: venue.database };
}

/** Wallet and machine after the restart. Only a command that was never written down is as if it was never given. */
function expected(step: MoneyStep): { balance: number; onMachine: number } {
  if (step === "cashIn.received" || step === "cashIn.intentStored") return { balance: 10_000, onMachine: 0 };
  if (step.startsWith("cashIn")) return { balance: 6_000, onMachine: 4_000 };
  if (step === "cashOut.received" || step === "cashOut.intentStored") return { balance: 6_000, onMachine: 4_000 };
  return { balance: 7_500, onMachine: 2_500 };
}

test.each(MONEY_STEPS.filter((step) => WHOLE_RUN || step.endsWith(".answered")))(
  "killed at %s: after the restart nothing is lost or doubled",
  async (step) => {
    const { machine, player, database } = await killedAt(step);
    const venue = await playVenue({ database });
    const before = await venue.balanceOf(player.id);
    expect(before.balance + (before.onMachine ?? 0) + (before.pending ?? 0)).toBe(10_000);
    const agent = await venue.agent([machine], "agent of nar-01");
    await agent.hello();
    await agent.pump();
    await eventually(async () => expect(await venue.balanceOf(player.id)).toEqual(expected(step)));
    expect(machine.credit).toBe(expected(step).onMachine);
    // The page comes back and repeats what it does not know the outcome of, under the same id.
    const page = await venue.page(player.token, "nar-01");
    expect(await page.init()).toMatchObject({ is: "done", data: { epoch: 2 } });
    await page.peer.request("cashIn", { id: "the-cash-in", amount: 4_000 });
    expect(await page.peer.request("leave", {})).toMatchObject({ is: "done", data: { outcome: "done" } });
    expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_000 });
    expect(machine.credit).toBe(0);
    await venue.end();
  },
);

test("a platform that was killed keeps seats; who has no socket is waited for, and times go on by the database's clock", async () => {
  const first = await playVenue();
  const { machine } = await first.machine("nar-02");
  const player = await first.player("bea.kill", 10_000);
  const page = await first.page(player.token, "nar-02");
  await page.init();
  await page.peer.request("cashIn", { id: "kept-cash-in", amount: 4_000 });
  machine.play(0);
  // What a killed process leaves: rows that say it still serves the holder and the agent.
  const left = await first.seat("nar-02");
  await first.end(true);
  await sql`update seat set state = 'playing', holder_socket = ${left.holder_socket}, holder_node = 'main',
    holder_until = clock_timestamp() + interval '1 hour' where machine_id = 'nar-02'`.execute(first.db);
  await sql`insert into agent_link select id, agent_id, 'main', 'ln_killed', clock_timestamp() + interval '1 hour'
    from machine`.execute(first.db);

  const second = await playVenue({ database: first.database, env: { WAITING_MS: "1000" } });
  expect(await second.seat("nar-02")).toMatchObject({ player_id: player.id, state: "agentAway", holder_socket: null });
  expect(await second.platform.play.sessions.openSessionOf(player.id)).toMatchObject({
    status: true,
    machine_status: "offline",
  });
  const agent = await second.agent([machine], "agent of nar-02");
  await agent.hello();
  await agent.pump();
  await second.inState("nar-02", "free");
  expect(await second.balanceOf(player.id)).toEqual({ balance: 9_900 });
  const session = await second.db
    .selectFrom("play_session")
    .selectAll()
    .where("player_id", "=", player.id)
    .executeTakeFirstOrThrow();
  expect(session).toMatchObject({ end_reason: "lostLink", net: -100, games: 1 });
  await second.end();
});
