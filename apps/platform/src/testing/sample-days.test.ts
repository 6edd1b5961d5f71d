import { systemClock } from "@longarm/database/clock";
import { testDatabase } from "@longarm/database/testing";
import { openLedger } from "@longarm/ledger/ledger";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { platformMigrations } from "../migration-sets.ts";
import { prove } from "../modules/play/reconciliation/index.ts";
import { businessDayNow, proveReports, readHours, readReport } from "../modules/records/reports/index.ts";
import { systemRandom } from "../random.ts";
import { FakeMachine } from "./fake-machine.ts";
import { playVenue } from "./play-venue.ts";
import type { SampleMachine } from "./sample-days.ts";
import { sampleSessions, writeSampleDays } from "./sample-days.ts";

/* Sample days beside every proof that a real history passes. */

const NOW = Date.parse("2026-11-28T13:00:00Z");

describe("the sessions", () => {
  test("are the same for the same seed, and others for another", () => {
    expect(sampleSessions(12, NOW, 1)).toEqual(sampleSessions(12, NOW, 1));
    expect(sampleSessions(12, NOW, 1)).not.toEqual(sampleSessions(12, NOW, 2));
  });

  test.each([1, 3, 4, 12, 32])(
    "of %d machines never have a player at two of them, or two players at one",
    (machines) => {
      const sessions = sampleSessions(machines, NOW, 17);
      expect(sessions.length).toBeGreaterThan(20);
      for (const key of ["machine", "player"] as const)
        for (const own of Map.groupBy(sessions, (session) => session[key]).values())
          for (const [at, { startedAt, endedAt }] of own.entries()) {
            expect(endedAt).toBeGreaterThan(startedAt);
            expect(startedAt).toBeGreaterThan(own[at - 1]?.endedAt ?? 0);
            expect(endedAt).toBeLessThan(NOW);
          }
    },
  );

  test("keep about what such machines keep, and no credit falls below zero", () => {
    const sessions = sampleSessions(12, NOW, 17);
    const games = sessions.flatMap((session) => session.games);
    const staked = games.reduce((sum, { stake }) => sum + stake, 0);
    const won = games.reduce((sum, { win }) => sum + win, 0);
    expect(won / staked).toBeGreaterThan(0.75);
    expect(won / staked).toBeLessThan(1.1);
    for (const { cashIn, games: own } of sessions) {
      let credit = cashIn;
      for (const { stake, win } of own) {
        expect(credit).toBeGreaterThanOrEqual(stake);
        credit += win - stake;
      }
    }
  });
});

const FLOOR: readonly SampleMachine[] = ["nar-01", "nar-02", "kuzey-01", "kuzey-02", "pera-01"].map((id) => ({
  ...{ id, name: id.toUpperCase(), brand: "nar" },
}));

describe("a database that begins", () => {
  let database: Awaited<ReturnType<typeof testDatabase<unknown>>>;
  let written = 0;
  beforeAll(async () => {
    database = await testDatabase<unknown>({ migrations: platformMigrations });
    await sql`insert into agent (id, name) values ('ag_floor', 'floor')`.execute(database.kysely);
    written = await write();
  });
  afterAll(() => database.drop());
  const write = () =>
    writeSampleDays({
      ...{ db: database, ledger: openLedger(database.kysely), random: systemRandom, agentId: "ag_floor" },
      ...{ machines: FLOOR, now: systemClock.now(), seed: 17 },
    });

  test("has a history that passes every proof of ledger, games, play sessions and reports", async () => {
    expect(written).toBeGreaterThan(50);
    expect(await openLedger(database.kysely).verify()).toEqual([]);
    expect(await proveReports(database.kysely)).toEqual([]);
    const { checks } = await prove(database.kysely, { is: "all" });
    expect(checks.filter(({ count }) => count > 0)).toEqual([]);
  });

  test("has days, hours and money to look at, and says until when they are samples", async () => {
    const today = await businessDayNow(database.kysely);
    const from = new Date(Date.parse(today) - 15 * 86_400_000).toISOString().slice(0, 10);
    const report = await readReport(database.kysely, { from, to: today, by: "day" });
    expect(report.rows.filter(({ figures }) => figures.games > 0).length).toBeGreaterThanOrEqual(14);
    expect(report.total).toMatchObject({ sessions: written, discrepancies: { found: 0 } });
    expect(report.total.ledgerKept).toBe(report.total.wagered - report.total.machinePaid);
    expect(report.sampleUntil).not.toBeNull();
    // The ledger writes its own time: all of its money moved today.
    const moved = report.rows.filter(({ figures }) => figures.cashIn > 0);
    expect(moved.map(({ key }) => key)).toEqual([today]);
    const { cells } = await readHours(database.kysely, { from, to: today });
    expect(new Set(cells.filter(({ seatedMs }) => seatedMs > 0).map(({ hour }) => hour)).size).toBeGreaterThan(12);
  });

  test("gets them once", async () => {
    expect(await write()).toBe(0);
  });
});

describe("a venue with sample days", () => {
  test("plays on: games are numbered behind them, and meters and books agree", async () => {
    const venue = await playVenue();
    try {
      // Its key was taken away: no alarm when another agent brings the machine.
      const agentId = "ag_before";
      await sql`insert into agent (id, name, revoked_at) values (${agentId}, 'before', now())`.execute(venue.db);
      const written = await writeSampleDays({
        ...{ db: venue.database, ledger: venue.ledger, random: systemRandom, agentId },
        ...{ machines: [{ id: "sd-01", name: "SD 01", brand: "nar" }], now: systemClock.now(), seed: 3 },
      });
      expect(written).toBeGreaterThan(20);
      const { machine, agent: floor } = await venue.machine("sd-01", new FakeMachine("sd-01"));
      const player = await venue.player("sample.real", 10_000);
      const page = await venue.page(player.token, "sd-01");
      expect(await page.init()).toMatchObject({ is: "done" });
      await page.peer.request("cashIn", { id: "sample-real-in", amount: 2_000 });
      machine.play(40);
      machine.play(0);
      await floor.pump();
      await page.peer.request("leave", {});
      await venue.inState("sd-01", "free");
      const { checks } = await prove(venue.database.kysely, { is: "all" });
      expect(checks.filter(({ count }) => count > 0)).toEqual([]);
      expect(await proveReports(venue.database.kysely)).toEqual([]);
    } finally {
      await venue.end();
    }
  });

  test("that has been played gets none", async () => {
    const venue = await playVenue();
    try {
      await venue.machine("sd-02");
      const machines = [{ id: "sd-03", name: "SD 03", brand: "nar" }];
      const { id: agentId } = await venue.db.selectFrom("agent").select("id").executeTakeFirstOrThrow();
      const sample = { ledger: venue.ledger, random: systemRandom, agentId, machines, now: systemClock.now(), seed: 3 };
      expect(await writeSampleDays({ db: venue.database, ...sample })).toBe(0);
      const today = await businessDayNow(venue.database.kysely);
      const report = await readReport(venue.database.kysely, { from: today, to: today, by: "machine" });
      expect(report.sampleUntil).toBeNull();
    } finally {
      await venue.end();
    }
  });
});
