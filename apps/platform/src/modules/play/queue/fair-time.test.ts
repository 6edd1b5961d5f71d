import type { SeatTurn } from "@longarm/contract/player-queue";
import { queueCalls } from "@longarm/contract/player-queue";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import type { TurnNow } from "./fair-time.ts";
import { AGAIN_MS, turnAfter } from "./fair-time.ts";

/* Fair time: how long a player may sit while others wait (record 0217). */

const MINUTE = 60_000;

describe("the time of a turn", () => {
  const LOOK = 5_000;
  /** A turn of an hour, after so many looks with somebody waiting, or none. */
  const after = (looks: readonly (readonly [count: number, waited: boolean])[]): TurnNow => {
    let turn: TurnNow = { leftMs: 60 * MINUTE, runs: false };
    for (const [count, waited] of looks) for (let at = 0; at < count; at += 1) turn = turnAfter(turn, LOOK, waited);
    return turn;
  };

  test("runs from the first who waits, and only while somebody does", () => {
    expect(after([[1_000, false]])).toEqual({ leftMs: 60 * MINUTE, runs: false });
    expect(after([[1, true]])).toEqual({ leftMs: 60 * MINUTE, runs: true });
    expect(after([[121, true]])).toEqual({ leftMs: 50 * MINUTE, runs: true });
    expect(
      after([
        [121, true],
        [500, false],
      ]),
    ).toEqual({ leftMs: 50 * MINUTE - LOOK, runs: false });
  });

  test("is over at nothing, and stays so", () => {
    expect(after([[721, true]])).toEqual({ leftMs: 0, runs: true });
    expect(after([[800, true]])).toEqual({ leftMs: 0, runs: true });
  });

  test("leaves five minutes at least when it runs again after it was stopped", () => {
    const nearlyOver = after([[719, true]]);
    expect(nearlyOver.leftMs).toBeLessThan(MINUTE);
    const stopped = turnAfter(nearlyOver, LOOK, false);
    expect(turnAfter(stopped, LOOK, true)).toEqual({ leftMs: AGAIN_MS, runs: true });
  });

  test("a platform that did not look for long takes nothing", () => {
    expect(turnAfter({ leftMs: 10 * MINUTE, runs: true }, 30 * MINUTE, true)).toEqual({
      leftMs: 10 * MINUTE,
      runs: true,
    });
  });
});

const venue = sharePlayVenue({ sooner: 8, env: { QUEUE_PLACES: "3", QUEUE_TURN_MIN: "30", SEAT_LEASE_MS: "6000" } });

type Who = { readonly id: string; readonly token: string };

async function call({ token }: Who, name: "joinQueue" | "leaveQueue" | "queue", body?: unknown) {
  const { method, path } = queueCalls[name];
  const response = await fetch(`${venue.url.replace("ws", "http")}/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as { places: { id: string; state: string }[] };
}

/** A player with credit at a machine. */
async function seated(machineId: string) {
  const { machine, agent } = await venue.machine(machineId);
  const player = await venue.player(`${machineId}.sits`, 100_000);
  const page = await venue.page(player.token, machineId);
  const answer = await page.init();
  await page.peer.request("cashIn", { id: `${machineId}-in`, amount: 50_000 });
  await venue.inState(machineId, "playing");
  const turn = () => page.ofMethod("turn").at(-1);
  return { machine, agent, player, page, answer, turn };
}

/** So much is left of the turn that runs at a machine. */
async function leave(machineId: string, ms: number): Promise<void> {
  await sql`update seat_turn set left_ms = ${ms}, ends_at = clock_timestamp() + ${ms} * interval '1 millisecond'
    where machine_id = ${machineId}`.execute(venue.db);
}

const endOf = async (machineId: string) =>
  (
    await sql<{
      reason: string | null;
    }>`select end_reason as reason from play_session where machine_id = ${machineId}`.execute(venue.db)
  ).rows[0]?.reason;

test("the player knows the limit from the start; it is counted down once somebody waits, and stops when no player does", async () => {
  const it = await seated("turn-01");
  expect(it.answer).toMatchObject({ is: "done", data: { turn: { limitMin: 30, leftMs: null } } });
  const waiter = await venue.player("turn-01.waits", 10_000);
  const { places } = await call(waiter, "joinQueue", { machine: "turn-01" });
  await eventually(() => expect(it.turn()).toMatchObject({ limitMin: 30, leftMs: expect.any(Number) }));
  const { leftMs } = it.turn() as { leftMs: number };
  expect(leftMs).toBeGreaterThan(29 * MINUTE);
  expect(leftMs).toBeLessThanOrEqual(30 * MINUTE);
  // The agent would hold paid games then, whether the platform lives or not.
  await eventually(() => expect(it.machine.rules).toMatchObject({ heldFor: "turn", paidForMs: expect.any(Number) }));
  await call(waiter, "leaveQueue", { id: places[0]?.id });
  await eventually(() => expect(it.turn()).toEqual({ limitMin: 30, leftMs: null }));
  await eventually(() => expect(it.machine.rules).not.toHaveProperty("paidForMs"));
});

test("who may not sit down, or has no page open, hurries no player", async () => {
  const it = await seated("turn-02");
  const broke = await venue.player("turn-02.limited", 10_000);
  const away = await venue.player("turn-02.away", 10_000);
  // A machine with a fault lets no time run: no look sees the two before they are what they shall be.
  const fault = (lockup: string | null) =>
    sql`update machine set lockup = ${lockup} where id = 'turn-02'`.execute(venue.db);
  await fault("door");
  for (const who of [broke, away]) await call(who, "joinQueue", { machine: "turn-02" });
  await sql`update queue_place set seen_at = clock_timestamp() - interval '2 minutes' where player_id = ${away.id}`.execute(
    venue.db,
  );
  await sql`insert into player_limit (player_id, kind, owner, value, effective_at, set_by)
    values (${broke.id}, 'exclusion', 'player', ${Date.now() + 3_600_000}, clock_timestamp(), 'test')`.execute(
    venue.db,
  );
  await fault(null);
  // Of another machine, where somebody waits: a look has been at both.
  const other = await seated("turn-08");
  await call(await venue.player("turn-08.waits", 10_000), "joinQueue", { machine: "turn-08" });
  await eventually(() => expect(other.turn()).toMatchObject({ leftMs: expect.any(Number) }));
  expect(it.turn()).toBeUndefined();
  await call(await venue.player("turn-02.third", 10_000), "joinQueue", { machine: "turn-02" });
  await eventually(() => expect(it.turn()).toMatchObject({ leftMs: expect.any(Number) }));
});

test("play ends after the game, never within it, with the reason; the credits go home, and the next is called", async () => {
  const it = await seated("turn-03");
  const waiter = await venue.player("turn-03.waits", 10_000);
  await call(waiter, "joinQueue", { machine: "turn-03" });
  await eventually(() => expect(it.turn()).toMatchObject({ leftMs: expect.any(Number) }));
  it.machine.startGame();
  await it.agent.pump();
  await venue.inState("turn-03", "inGame");
  await leave("turn-03", 0);
  // The game that runs is finished by its presses; the agent starts no other.
  await venue.inState("turn-03", "draining");
  await eventually(() => expect(it.machine.rules).toMatchObject({ paidForMs: 0, heldFor: "turn" }));
  expect(it.page.ofMethod("ended")).toEqual([]);
  it.machine.endGame(0);
  await it.agent.pump();
  await eventually(() => expect(it.page.ofMethod("ended")).toMatchObject([{ why: "turn" }]));
  await venue.inState("turn-03", "free");
  expect(await endOf("turn-03")).toBe("turn");
  expect(await venue.ledgerOf("machine:turn-03")).toBe(0);
  await eventually(async () => expect((await call(waiter, "queue")).places).toMatchObject([{ state: "called" }]));
});

const AWAITED = {
  "a bonus": (machine: Machine, runs: boolean) => {
    machine.bonus = runs;
  },
  "free games": (machine: Machine, runs: boolean) => {
    machine.freeSpins = runs ? 3 : 0;
  },
};
test.each(["a bonus", "free games"] as const)("it waits for the end of %s", async (what) => {
  const id = what === "a bonus" ? "turn-04" : "turn-05";
  const it = await seated(id);
  const waiter = await venue.player(`${id}.waits`, 10_000);
  await call(waiter, "joinQueue", { machine: id });
  await eventually(() => expect(it.turn()).toMatchObject({ leftMs: expect.any(Number) }));
  AWAITED[what](it.machine, true);
  it.machine.happen("bonusStarted");
  await it.agent.pump();
  await leave(id, 0);
  await eventually(() => expect(it.machine.rules).toMatchObject({ paidForMs: 0, heldFor: "turn" }));
  expect((await venue.seat(id)).ending).toBeNull();
  AWAITED[what](it.machine, false);
  it.machine.happen("bonusEnded");
  await it.agent.pump();
  await venue.inState(id, "free");
  expect(await endOf(id)).toBe("turn");
});

test("the time is stopped while the machine waits for a hand pay", async () => {
  const it = await seated("turn-07");
  await call(await venue.player("turn-07.waits", 10_000), "joinQueue", { machine: "turn-07" });
  await eventually(() => expect(it.turn()).toMatchObject({ leftMs: expect.any(Number) }));
  it.machine.cancelCredits("turn-07-hand-pay");
  await it.agent.pump();
  await venue.inState("turn-07", "handPay");
  await eventually(() => expect(it.turn()).toEqual({ limitMin: 30, leftMs: null }));
  expect((await venue.seat("turn-07")).ending).toBeNull();
});

test("what is left outlives a platform that is killed, and its absence is not counted", async () => {
  const it = await seated("turn-06");
  const waiter = await venue.player("turn-06.waits", 10_000);
  await call(waiter, "joinQueue", { machine: "turn-06" });
  await eventually(() => expect(it.turn()).toMatchObject({ leftMs: expect.any(Number) }));
  await leave("turn-06", 10 * MINUTE);
  await it.agent.kill();
  await venue.startAgain(async () => {
    await sql`update seat_turn set ends_at = clock_timestamp() - interval '1 hour', looked_at = clock_timestamp() - interval '1 hour'`.execute(
      venue.db,
    );
  });
  const again = await venue.agent([it.machine], "agent of turn-06");
  expect(await again.hello()).toMatchObject({ is: "done" });
  await sql`update queue_place set seen_at = clock_timestamp()`.execute(venue.db);
  const page = await venue.page(it.player.token, "turn-06");
  const answer = await page.init();
  const turn = () => (page.ofMethod("turn").at(-1) ?? (answer.is === "done" && answer.data.turn)) as SeatTurn;
  await eventually(() => expect(turn()).toMatchObject({ limitMin: 30, leftMs: expect.any(Number) }));
  const { leftMs } = turn();
  expect(leftMs).toBeGreaterThan(9 * MINUTE);
  expect(leftMs).toBeLessThanOrEqual(10 * MINUTE);
});

type Machine = Awaited<ReturnType<typeof venue.machine>>["machine"];
