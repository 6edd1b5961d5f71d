import { systemClock } from "@longarm/database/clock";
import { openDatabase } from "@longarm/database/connection";
import type { EmbeddedPostgres } from "@longarm/database/embedded-server";
import { startEmbeddedPostgres } from "@longarm/database/embedded-server";
import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { temporaryDataFolder } from "@longarm/database/testing/data-folder";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";
import type { FakeAgent } from "../../../testing/fake-agent.ts";
import type { FakeMachine } from "../../../testing/fake-machine.ts";
import type { Page } from "../../../testing/fake-page.ts";
import type { PlayVenue } from "../../../testing/play-venue.ts";
import { playVenue } from "../../../testing/play-venue.ts";
import { prove } from "../reconciliation/index.ts";
import type { PlayState } from "../tables.ts";

/*
 * GLI-19 4.3.5, row 1 of the field notes' section 7: every way out of a play session returns all credits. The database is a server of its
 * own, so that it can be killed. Real processes are killed at every step of a money path by e2e/kill-matrix.test.ts.
 */

/** A database that was killed, and a platform that begins again, may take long on a busy computer. */
const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 90_000, interval: 50 });

const DEPOSIT = 10_000;
const NET = 150;

let data: Awaited<ReturnType<typeof temporaryDataFolder>>;
let server: EmbeddedPostgres;
let venue: PlayVenue;

async function openVenue(env: Record<string, string> = {}): Promise<PlayVenue> {
  const { kysely, pool, close } = openDatabase<unknown>({ url: server.url, maxConnections: 8, log: silentLog });
  const database = { url: server.url, kysely, pool, drop: close };
  return await playVenue({ database, env: { WAITING_MS: "1000", ORPHAN_SWEEP_MS: "1000", ...env } });
}

beforeAll(async () => {
  data = await temporaryDataFolder();
  server = await startEmbeddedPostgres({ folder: data.folder, log: silentLog, clock: systemClock });
  const { pool, close } = openDatabase<unknown>({ url: server.url, maxConnections: 2, log: silentLog });
  await migrate({ pool, sets: platformMigrations, log: silentLog });
  await close();
  venue = await openVenue();
}, 240_000);
afterAll(async () => {
  const proof = await prove(venue.database.kysely, { is: "all" });
  expect(proof.checks.flatMap(({ breaches }) => breaches)).toEqual([]);
  await venue.end();
  await server.stop();
  await data.remove();
}, 240_000);

type Sitting = {
  readonly id: string;
  readonly machine: FakeMachine;
  readonly agent: FakeAgent;
  readonly player: { readonly id: string; readonly token: string };
  readonly page: Page;
};

/** POST /v1/player/cancel, as often as it takes: whoever asks may be told that it is being checked. */
async function cancel({ id, player }: Sitting): Promise<void> {
  await eventually(async () => {
    const reply = await venue.app.inject({
      method: "POST",
      url: "/v1/player/cancel",
      headers: { authorization: `Bearer ${player.token}` },
      payload: { machineId: id },
    });
    expect([20_000, 50_100]).toContain(reply.json().code);
  });
}

/** The next agent of the machine, as a supervisor would start it. */
async function agentBack({ id, machine }: Sitting): Promise<void> {
  machine.mood = "well";
  const back = await venue.agent([machine], `agent of ${id}`);
  await eventually(async () => expect((await back.hello()).is).toBe("done"));
  await back.pump();
}

const ways: Readonly<Record<string, readonly [reason: string, (sitting: Sitting) => Promise<unknown>]>> = {
  leave: ["left", ({ page }) => page.peer.request("leave", {})],
  cancel: ["cancelled", cancel],
  "lost link": ["lostLink", async ({ page }) => page.drop()],
  kick: [
    "lostLink",
    ({ id, player }) =>
      venue.app.inject({
        method: "POST",
        url: "/v1/player/kick",
        headers: { authorization: `Bearer ${player.token}` },
        payload: { machineId: id },
      }),
  ],
  ban: ["banned", ({ player }) => venue.platform.auth.end({ playerId: player.id }, "banned")],
  "staff's end": ["house", ({ player }) => venue.sessions.endSessionsOf(player.id, "house")],
  "staff's end in a game": [
    "house",
    async ({ id, machine, agent, player }) => {
      machine.startGame();
      await agent.pump();
      await venue.inState(id, "inGame");
      const ended = venue.sessions.endSessionsOf(player.id, "house");
      await venue.inState(id, "draining");
      machine.endGame(machine.bet);
      await agent.pump();
      await ended;
    },
  ],
  "crash of the agent in the cash-out": [
    "left",
    async (sitting) => {
      const { id, machine, agent, page } = sitting;
      machine.mood = "silentAfter";
      const leaving = page.peer.request("leave", {});
      await eventually(() => expect(machine.asked.some((one) => one.startsWith("cashOut"))).toBe(true));
      await agent.kill();
      await venue.inState(id, "agentAway");
      await agentBack(sitting);
      await leaving;
    },
  ],
  "crash of the database in the cash-out": [
    "left",
    async ({ machine, page }) => {
      const gate = Promise.withResolvers<void>();
      machine.waits = { after: gate.promise };
      const leaving = page.peer.request("leave", {}).catch(() => {});
      await eventually(() => expect(machine.credit).toBe(0));
      process.kill(server.pid(), "SIGKILL");
      machine.waits = {};
      gate.resolve();
      await leaving;
    },
  ],
  "end and restart of the platform in the cash-out": [
    "left",
    async (sitting) => {
      const { machine, page } = sitting;
      machine.mood = "pending";
      const leaving = page.peer.request("leave", {}).catch(() => {});
      await eventually(() => expect(machine.asked.some((one) => one.startsWith("cashOut"))).toBe(true));
      await venue.end(true);
      await leaving;
      machine.finishPending("done");
      venue = await openVenue();
      await agentBack(sitting);
    },
  ],
};

let number = 0;
async function sit(): Promise<Sitting> {
  number += 1;
  const id = `way-${String(number).padStart(2, "0")}`;
  const { machine, agent } = await venue.machine(id);
  const player = await venue.player(`way.out${number}`, DEPOSIT);
  const page = await venue.page(player.token, id);
  expect(await page.init()).toMatchObject({ is: "done" });
  await page.peer.request("cashIn", { id: `${id}-cash-in`, amount: 4_000 });
  machine.play(NET + machine.bet);
  await agent.pump();
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 6_000, onMachine: 4_000 + NET });
  return { id, machine, agent, player, page };
}

async function allIsHome({ id, machine, player }: Sitting, reason: string): Promise<void> {
  await eventually(async () => expect((await venue.seat(id)).state).toBe("free"));
  expect(await venue.balanceOf(player.id)).toEqual({ balance: DEPOSIT + NET });
  expect(machine.credit).toBe(0);
  expect(await venue.ledgerOf(`machine:${id}`)).toBe(0);
  expect(await venue.ledger.holdsOf(`player:${player.id}`)).toEqual([]);
  const session = await venue.db
    .selectFrom("play_session")
    .select(["end_reason", "net", "cashed_in", "cashed_out"])
    .where("machine_id", "=", id)
    .executeTakeFirstOrThrow();
  expect(session).toEqual({ end_reason: reason, net: NET, cashed_in: 4_000, cashed_out: 4_000 + NET });
  expect(await venue.db.selectFrom("discrepancy").selectAll().where("machine_id", "=", id).execute()).toEqual([]);
}

test.each(Object.keys(ways))(
  "%s: wallet = before + net, nothing on the machine, the seat is free, nothing is held",
  async (way) => {
    const [reason, go] = ways[way] ?? ["", async () => {}];
    const sitting = await sit();
    await go(sitting);
    await allIsHome(sitting, reason);
  },
  240_000,
);

test("countdown: who does nothing is counted out, with everything", async () => {
  await venue.end(true);
  venue = await openVenue();
  const sitting = await sit();
  // Each time is over when it has begun: on a busy computer it could run out while the player is still at play.
  for (const state of ["playing", "idling"]) {
    await eventually(async () => {
      const { numUpdatedRows } = await venue.db
        .updateTable("seat")
        .set({ due_at: sql<Date>`clock_timestamp()` })
        .where("machine_id", "=", sitting.id)
        .where("state", "=", state as PlayState)
        .executeTakeFirstOrThrow();
      expect(numUpdatedRows).toBe(1n);
    });
  }
  expect(await sitting.page.closed).toMatchObject({ code: 4000 });
  await allIsHome(sitting, "idle");
}, 240_000);
