import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PlayVenue } from "../../../testing/play-venue.ts";
import { eventually, playVenue } from "../../../testing/play-venue.ts";

/* Rows as damage, a restore or a fault of ours would leave them: no event comes, and the sweep must see them by itself. */

let venue: PlayVenue;
beforeAll(async () => {
  const alarms = { TRANSFER_ALARM_MS: "1000", SEAT_STUCK_ALARM_MS: "1000" };
  // Leases are not renewed meanwhile: a renewal would give a seat its holder back before the sweep has seen that it had none.
  venue = await playVenue({ env: { ORPHAN_SWEEP_MS: "200", NODE_LEASE_MS: "600000", ...alarms } });
});
afterAll(async () => await venue.end());

let number = 0;
async function atMachine(cashIn = 2_000) {
  number += 1;
  const id = `orphan-${String(number).padStart(2, "0")}`;
  const { machine, agent } = await venue.machine(id);
  const player = await venue.player(`orphan.${number}`, 10_000);
  const page = await venue.page(player.token, id);
  await page.init();
  if (cashIn > 0) await page.peer.request("cashIn", { id: `${id}-cash-in`, amount: cashIn });
  return { id, machine, agent, player, page };
}

const alarmsOf = (alarm: string, word: string) =>
  venue.lines.filter((line) => line.includes(`"alarm":"${alarm}"`) && line.includes(word));

async function isHome(id: string, playerId: string, balance = 10_000): Promise<void> {
  await venue.inState(id, "free");
  expect(await venue.balanceOf(playerId)).toEqual({ balance });
  expect(await venue.ledgerOf(`machine:${id}`)).toBe(0);
}

describe("seats", () => {
  test("a seat whose row contradicts the facts goes where they say, and one without its time is given one", async () => {
    const { id, page, player } = await atMachine();
    for (const state of ["inGame", "handPay", "fault", "transferUnknown", "draining", "waiting"]) {
      await sql`update seat set state = ${state}, due_at = null where machine_id = ${id}`.execute(venue.db);
      await venue.inState(id, "playing");
    }
    await sql`update seat set due_at = null where machine_id = ${id}`.execute(venue.db);
    await eventually(async () => expect((await venue.seat(id)).due_at).not.toBeNull());
    // A game socket that is gone and told nobody.
    await sql`update seat set holder_socket = null, holder_node = null, holder_until = null where machine_id = ${id}`.execute(
      venue.db,
    );
    await venue.inState(id, "waiting");
    expect((await venue.seat(id)).due_at).not.toBeNull();
    page.drop();
    const back = await venue.page(player.token, id);
    expect(await back.init()).toMatchObject({ is: "done" });
    expect(await back.peer.request("leave", {})).toMatchObject({ data: { outcome: "done", amount: 2_000 } });
    await isHome(id, player.id);
  });

  test("a seat that is kept for too long by what only staff can end calls for staff", async () => {
    const { id, machine, agent } = await atMachine();
    machine.lockup = "door";
    machine.happen("doorOpened");
    await agent.pump();
    await venue.inState(id, "fault");
    await eventually(() => expect(alarmsOf("seat", id).length).toBeGreaterThan(0));
  });
});

describe("play sessions", () => {
  test("one that no seat belongs to is closed, and what it did not get back is for a person to explain", async () => {
    const { id, machine, player, page } = await atMachine(0);
    await page.peer.request("leave", {});
    await sql`insert into play_session (id, machine_id, player_id, cashed_in) values ('ps_lost', ${id}, ${player.id}, 700)`.execute(
      venue.db,
    );
    await eventually(async () => {
      const { rows } = await sql<{
        end_reason: string;
      }>`select end_reason from play_session where id = 'ps_lost'`.execute(venue.db);
      expect(rows).toEqual([{ end_reason: "house" }]);
    });
    const found = await venue.db
      .selectFrom("discrepancy")
      .selectAll()
      .where("play_session_id", "=", "ps_lost")
      .execute();
    expect(found).toMatchObject([{ kind: "meters", ledger_amount: 700, explained_at: null }]);
    await eventually(() => expect(alarmsOf("orphan", "ps_lost")).not.toEqual([]));
    expect(machine.credit).toBe(0);
  });
});

describe("money", () => {
  test("a hold that nobody's transfer stands behind is freed, and staff is told", async () => {
    const player = await venue.player("held.back", 5_000);
    await venue.ledger.hold({
      id: "orphan-hold",
      kind: "cashIn",
      from: `player:${player.id}`,
      to: "machine:nowhere",
      amountMinor: 900,
    });
    await sql`alter table ledger.holds disable trigger holds_guard`.execute(venue.db);
    await sql`update ledger.holds set created_at = now() - interval '2 minutes' where id = 'orphan-hold'`.execute(
      venue.db,
    );
    await sql`alter table ledger.holds enable trigger holds_guard`.execute(venue.db);
    await eventually(async () => expect((await venue.ledger.findHold("orphan-hold"))?.status).toBe("void"));
    expect(await venue.balanceOf(player.id)).toEqual({ balance: 5_000 });
    await eventually(() => expect(alarmsOf("orphan", "orphan-hold")).not.toEqual([]));
  });

  test("an unknown transfer has an owner and calls for staff when it is old, also while its agent is away", async () => {
    const { id, machine, agent, player, page } = await atMachine(0);
    machine.mood = "silentAfter";
    const asking = page.peer.request("cashIn", { id: `${id}-unknown`, amount: 3_000 });
    await eventually(() => expect(machine.asked).toHaveLength(1));
    await agent.kill();
    expect(await asking).toMatchObject({ data: { outcome: "unknown" } });
    await venue.inState(id, "agentAway");
    await eventually(() => expect(alarmsOf("transfer", id).length).toBeGreaterThan(0));
    // Staff may have been called while it was still being asked for.
    await eventually(async () => {
      const { rows } = await sql<{ owner_node: string }>`select r.owner_node from transfer_recovery r
        join machine_transfer t on t.id = r.transfer_id where t.machine_id = ${id} and t.state = 'unknown'`.execute(
        venue.db,
      );
      expect(rows).toEqual([{ owner_node: "main" }]);
    });
    // Time has asked and decided nothing.
    expect(await venue.balanceOf(player.id)).toEqual({ balance: 7_000, onMachine: 0, pending: 3_000 });
    machine.mood = "well";
    await (await venue.agent([machine], `agent of ${id}`)).hello();
    await eventually(async () =>
      expect(await venue.balanceOf(player.id)).toEqual({ balance: 7_000, onMachine: 3_000 }),
    );
    await page.peer.request("leave", {});
    await isHome(id, player.id);
  });

  test("an unknown transfer whose seat is free is asked for all the same", async () => {
    const { id, player, page } = await atMachine();
    await page.peer.request("leave", {});
    await isHome(id, player.id);
    const { rows } = await sql<{ id: string }>`select id from play_session where machine_id = ${id}`.execute(venue.db);
    await sql`insert into machine_transfer (id, machine_id, play_session_id, player_id, epoch, direction, asked, node_id, state)
      values (${`tr_${id}`}, ${id}, ${rows[0]?.id}, ${player.id}, 1, 'cashOut', null, 'gone', 'unknown')`.execute(
      venue.db,
    );
    await eventually(async () => {
      const left = await sql`select from machine_transfer where machine_id = ${id} and state = 'unknown'`.execute(
        venue.db,
      );
      expect(left.rows).toEqual([]);
    });
    await isHome(id, player.id);
  });

  test("what a game that was told late leaves on a free machine goes to suspense, with a row for a person", async () => {
    const { id, machine, agent, player, page } = await atMachine(1_000);
    await page.peer.request("leave", {});
    await isHome(id, player.id);
    machine.happen("powerUp");
    machine.credit = 100;
    machine.play(250);
    machine.credit = 0;
    const late = machine.journal.at(-1);
    if (late) late.data.meters = machine.meters();
    await agent.pump();
    await eventually(async () => expect(await venue.ledgerOf(`machine:${id}`)).toBe(0));
    const found = await venue.db.selectFrom("discrepancy").selectAll().where("machine_id", "=", id).execute();
    expect(found).toMatchObject([{ kind: "late", ledger_amount: 150, explained_at: null }]);
  });

  test("credits that are put onto a machine in play are found while it is played, and only what is known comes home", async () => {
    const { id, machine, agent, player, page } = await atMachine();
    machine.credit += 900;
    if (machine.totals) Object.assign(machine.totals, { otherIn: 900, other: { billsIn: 900, cancelledOut: 0 } });
    agent.tellMeters(machine);
    await eventually(async () => {
      const found = await venue.db.selectFrom("discrepancy").selectAll().where("machine_id", "=", id).execute();
      expect(found).toMatchObject([
        {
          kind: "meters",
          about: {
            lines: expect.arrayContaining(["otherIn", "billsIn"].map((name) => ({ name, expected: 0, found: 900 }))),
          },
        },
      ]);
    });
    expect((await venue.seat(id)).state).toBe("playing");
    await eventually(() => expect(alarmsOf("discrepancy", id)).toHaveLength(1));
    expect(await page.peer.request("cashIn", { id: `${id}-more`, amount: 500 })).toMatchObject({ is: "refused" });
    await page.peer.request("leave", {});
    await isHome(id, player.id);
  });

  test("credits that come to a machine nobody has call for staff, and nobody can sit down there", async () => {
    const { machine, agent } = await venue.machine("orphan-credit");
    machine.credit = 500;
    agent.tellMeters(machine);
    await eventually(() => expect(alarmsOf("credits", "orphan-credit").length).toBeGreaterThan(0));
    const player = await venue.player("sits.there", 1_000);
    const page = await venue.page(player.token, "orphan-credit");
    expect(await page.init()).toMatchObject({ is: "refused" });
    machine.credit = 0;
    agent.tellMeters(machine);
    // The comparison at the agent's hello may have found them too: then a person explains them first.
    await eventually(async () => {
      await sql`update discrepancy set explained_at = now(), explained_by = 'eva', explanation = 'a guest'
        where machine_id = 'orphan-credit' and explained_at is null`.execute(venue.db);
      expect((await (await venue.page(player.token, "orphan-credit")).init()).is).toBe("done");
    });
  });
});

test("of many nodes one has the turn, which a table tells with what was found", async () => {
  const other = await playVenue({ database: venue.database, env: { NODE_ID: "second", ORPHAN_SWEEP_MS: "200" } });
  try {
    await eventually(async () => {
      const { rows } = await sql<{
        node_id: string;
        found: Record<string, number>;
      }>`select node_id, found from worker_turn`.execute(venue.db);
      expect(rows).toMatchObject([{ node_id: "main", found: { holds: expect.any(Number), seats: 0 } }]);
    });
  } finally {
    await other.end(true);
  }
});
