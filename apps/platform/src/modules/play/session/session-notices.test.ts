import { sql } from "kysely";
import { expect, test } from "vitest";
import { openSocket } from "../../../testing/open-socket.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";

/* What the owner's other pages are told of an open play session: the source of the web's reconnect dialog. */

const venue = sharePlayVenue({ env: { WAITING_MS: "600000", AGENT_AWAY_MS: "600000" } });

let number = 0;
/** A player at a machine with 40 on it, and another page of the same player that listens. */
async function atMachine() {
  number += 1;
  const id = `told-${String(number).padStart(2, "0")}`;
  const { machine, agent } = await venue.machine(id);
  const player = await venue.player(`told.${number}`, 10_000);
  const page = await venue.page(player.token, id);
  await page.init();
  await page.peer.request("cashIn", { id: `${id}-cash-in`, amount: 4_000 });
  const other = openSocket(`${venue.url}/notifications?token=${player.token}`);
  await other.opened;
  other.send({ request: true, id: 1, method: "init", data: { id: player.id } });
  const last = () =>
    (other.frames as { method?: string; data?: object }[]).filter(({ method }) => method === "session").at(-1)?.data;
  const told = (session: object) => eventually(() => expect(last()).toMatchObject(session));
  const call = async (path: "kick" | "cancel") =>
    (
      await venue.app.inject({
        method: "POST",
        url: `/v1/player/${path}`,
        headers: { authorization: `Bearer ${player.token}` },
        payload: { machineId: id },
      })
    ).json();
  return { id, machine, agent, player, page, told, last, call, end: () => other.socket.terminate() };
}

test("playing on another device, then waiting with the time it is kept until; a kick makes it wait too", async () => {
  const { id, machine, agent, page, player, told, last, call, end } = await atMachine();
  await told({ status: true, id, name: id.toUpperCase(), machine_status: "playing", spin_count: 0 });
  expect(last()).toMatchObject({ started_at: expect.stringMatching(/Z$/) });
  expect(last()).not.toHaveProperty("until");
  machine.play(0);
  await agent.pump();
  page.drop();
  await told({ machine_status: "waiting", spin_count: 1, until: expect.stringMatching(/Z$/) });
  const again = await venue.page(player.token, id);
  await again.init();
  await told({ machine_status: "playing" });
  expect(await call("kick")).toEqual({ code: 20000 });
  await told({ machine_status: "waiting" });
  end();
});

test("a bonus is told as one, whoever holds the seat, and cannot be cancelled", async () => {
  const { machine, agent, page, told, last, call, end } = await atMachine();
  machine.startGame();
  machine.bonus = true;
  machine.happen("bonusStarted");
  await agent.pump();
  await told({ machine_status: "in-bonus" });
  page.drop();
  await told({ machine_status: "in-bonus" });
  expect(await call("cancel")).toMatchObject({ code: 60015 });
  machine.bonus = false;
  machine.happen("bonusEnded");
  machine.endGame(0);
  await agent.pump();
  await eventually(() => expect(last()).not.toMatchObject({ machine_status: "in-bonus" }));
  end();
});

// player 1
test("a cancel is told as cashing out, then as over; its answer names what moved, the seat stays free until the player sits down anew", async () => {
  const { id, machine, page, player, told, call, end } = await atMachine();
  page.drop();
  await told({ machine_status: "waiting" });
  const moved = Promise.withResolvers<void>();
  machine.waits = { before: moved.promise };
  const cancelled = call("cancel");
  await told({ status: true, machine_status: "trying-cashout" });
  moved.resolve();
  expect(await cancelled).toEqual({ code: 20000, Params: { amount: 4_000 } });
  await told({ status: false });
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_000 });
  const anew = await venue.page(player.token, id);
  expect(await anew.init()).toMatchObject({
    is: "done",
    data: { meters: { credit: 0 }, playSession: { netMinor: 0 } },
  });
  await told({ status: true, machine_status: "playing", spin_count: 0 });
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_000, onMachine: 0 });
  end();
});

test("a fault is told as one and its credits can be had; an agent that is away is told as offline", async () => {
  const { machine, agent, player, page, told, call, end } = await atMachine();
  machine.lockup = "door";
  machine.happen("doorOpened");
  await agent.pump();
  await told({ machine_status: "error" });
  page.drop();
  expect(await call("cancel")).toMatchObject({ code: 20000, Params: { amount: expect.any(Number) } });
  await told({ status: false });
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_000 });
  end();

  const away = await atMachine();
  await away.agent.kill();
  await away.told({ machine_status: "offline", id: away.id });
  await away.agent.closed;
  away.end();
});

test("a machine that does not answer its agent is told as offline, and as it was once it answers", async () => {
  const { id, agent, told, end } = await atMachine();
  await told({ machine_status: "playing" });
  agent.peer.notify("machine", { id, state: "offline" });
  await told({ machine_status: "offline", id });
  agent.peer.notify("machine", { id, state: "idle" });
  await told({ machine_status: "playing" });
  end();
});

test("a state that only a newer version has a name for is told as unknown, and the machine as not available", async () => {
  const { id, player, told, end } = await atMachine();
  const become = async (state: string) => {
    await sql`update seat set state = ${state} where machine_id = ${id}`.execute(venue.db);
    venue.bus.publish("session.changed", { playerId: player.id });
  };
  await become("serviceVisit");
  await told({ status: true, id, machine_status: "unknown", spin_count: 0 });
  const [row] = (await venue.platform.play.sessions.machinesFor(player.id)).filter((machine) => machine.id === id);
  expect(row).toMatchObject({ status: 0, mine: true, until: null });
  await become("playing");
  await told({ machine_status: "playing" });
  end();
});
