import type { DelayReport } from "@longarm/contract/game-socket";
import { DELAY_EVERY_MS } from "@longarm/contract/game-socket";
import type { ReportFigures } from "@longarm/contract/staff-reports";
import { silentLog } from "@longarm/database/log";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import type { Page } from "../../../testing/fake-page.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { readReport } from "../../records/reports/index.ts";
import { deskFloor } from "../desk/index.ts";
import { pictureReports, Viewing } from "./viewing.ts";

/* Delays that pages report, and how many watch: on the floor, and in the sums of reports. */

const venue = sharePlayVenue({ env: { SPECTATORS_MAX: "5", IDLE_MS: "86400000", NO_DEPOSIT_MS: "86400000" } }, prepare);

/** Linked before the clock of the venue is moved: an agent's clock may not differ from it. */
let unplayed: string[] = [];
async function prepare(): Promise<void> {
  unplayed = [];
  for (let number = 1; number <= 12; number += 1) {
    const id = `view-${String(number).padStart(2, "0")}`;
    await venue.machine(id);
    unplayed.push(id);
  }
}

let people = 0;
/** A machine with a player at it. */
async function played() {
  const id = unplayed.shift() ?? "none";
  const player = await venue.player(`view.player.${++people}`, 10_000);
  const page = await venue.page(player.token, id);
  expect(await page.init()).toMatchObject({ is: "done" });
  return { id, player, page };
}

async function watch(id: string): Promise<Page> {
  const eyes = await venue.page((await venue.player(`view.eyes.${++people}`)).token, id);
  expect(await eyes.init({ role: "spectator" })).toMatchObject({ is: "done" });
  return eyes;
}

const leave = async ({ id, page }: { readonly id: string; readonly page: Page }): Promise<void> => {
  await page.peer.request("leave", {});
  await venue.inState(id, "free");
};

const MINUTE_MS = 60_000;
/** Counts beside the platform, on its database. */
const ownViewing = () => new Viewing({ db: venue.db, clock: venue.clock, log: silentLog });

async function seatOf(machineId: string) {
  const { rows } = await sql<{
    id: string;
  }>`select id from play_session where machine_id = ${machineId} order by started_at desc limit 1`.execute(venue.db);
  return { machineId, epoch: (await venue.seat(machineId)).epoch, playSessionId: rows[0]?.id ?? "" };
}

/** Sends what no page of ours sends. */
const notify = ({ peer }: Page, data: unknown): void => peer.notify("delay", data as never);

/** What reports say of the machine, over all days. */
async function figuresOf(machine: string): Promise<Pick<ReportFigures, "watchedMs" | "watchersMost" | "delay">> {
  const period = { from: "2020-01-01", to: "2029-12-31" };
  const { rows } = await readReport(venue.database.kysely, { ...period, machine, by: "machine" });
  const [row] = rows;
  if (row === undefined) throw new Error(`${machine} has no row`);
  return row.figures;
}

const shownDelay = async (id: string): Promise<number | null | undefined> =>
  (await deskFloor(venue.database.kysely, id))[0]?.delayMs;

describe("the delay that a page reports", () => {
  test("is shown on the floor while the page is there, and counted in the reports when it is gone", async () => {
    const { id, player, page } = await played();
    expect(await shownDelay(id)).toBeNull();
    for (const ms of [30, 90, 90]) {
      notify(page, { ms });
      // Answered in the order in which they came: the report has been read.
      await page.peer.request("continue", {});
      venue.clock.shift(DELAY_EVERY_MS);
    }
    await eventually(async () => expect(await shownDelay(id)).toBe(90));
    page.drop();
    await eventually(async () => expect(await shownDelay(id)).toBeNull());
    await eventually(async () =>
      expect((await figuresOf(id)).delay).toEqual({ reports: 3, medianMs: 100, p95Ms: 100 }),
    );
    // The next page of the same seat has measured nothing yet.
    const again = await venue.page(player.token, id);
    expect(await again.init()).toMatchObject({ is: "done" });
    expect(await shownDelay(id)).toBeNull();
    notify(again, { ms: 2_345 });
    await eventually(async () => expect(await shownDelay(id)).toBe(2_345));
    await leave({ id, page: again });
    await eventually(async () =>
      expect((await figuresOf(id)).delay).toEqual({ reports: 4, medianMs: 100, p95Ms: 5_000 }),
    );
  });

  test("of a flood counts once, also over several sockets of the seat", async () => {
    const { id, player, page } = await played();
    const from = venue.clock.now();
    for (let sent = 0; sent < 50; sent += 1) notify(page, { ms: 10 });
    await page.peer.request("continue", {});
    const again = await venue.page(player.token, id);
    expect(await again.init()).toMatchObject({ is: "done" });
    for (let sent = 0; sent < 20; sent += 1) notify(again, { ms: 9_999 });
    await leave({ id, page: again });
    await eventually(async () => expect((await figuresOf(id)).delay).toMatchObject({ medianMs: 20 }));
    const { reports = 0 } = (await figuresOf(id)).delay ?? {};
    // One; a computer that is slow enough to need longer for it may count one more each time.
    expect(reports).toBeLessThanOrEqual(1 + Math.floor((2 * (venue.clock.now() - from)) / DELAY_EVERY_MS));
  });

  test("is nothing when it is no delay, and the page plays on", async () => {
    const { id, page } = await played();
    const hostile = [-1, 1.5, 10_001, 1e15, Number.MAX_VALUE, "40", null, true, [40], { ms: 40 }, undefined];
    for (const ms of hostile) notify(page, { ms });
    for (const data of [null, "40", 40, [], {}, { delay: 40 }]) notify(page, data);
    expect(await page.peer.request("continue", {})).toMatchObject({ is: "done" });
    await leave({ id, page });
    expect((await figuresOf(id)).delay).toBeNull();
  });

  test("counts for the seat of its socket alone: not from a spectator, not before the seat, not for a machine that it names", async () => {
    const { id, page } = await played();
    const other = await played();
    const early = await venue.page((await venue.player(`view.early.${++people}`)).token, id);
    notify(early, { ms: 40 });
    const eyes = await watch(id);
    notify(eyes, { ms: 40 });
    await eyes.peer.request("continue", {});
    await early.peer.request("continue", {});
    notify(other.page, { ms: 40, machineId: id, machineID: id, epoch: 1_000 });
    await other.page.peer.request("continue", {});
    await leave({ id, page });
    await leave(other);
    await eventually(async () =>
      expect((await figuresOf(other.id)).delay).toEqual({ reports: 1, medianMs: 40, p95Ms: 40 }),
    );
    expect((await figuresOf(id)).delay).toBeNull();
  });

  test("of an older page does not replace that of the seat's newest page", async () => {
    const { id } = await played();
    const seat = await seatOf(id);
    const [own, old] = [ownViewing(), ownViewing()];
    own.reported(seat, { ms: 80 });
    old.reported({ ...seat, epoch: seat.epoch - 1 }, { ms: 7_000 });
    await own.writeNewest();
    await old.writeNewest();
    expect(await shownDelay(id)).toBe(80);
  });

  test("is not shown once it is old", async () => {
    const { id } = await played();
    const own = ownViewing();
    own.reported(await seatOf(id), { ms: 80 });
    await own.writeNewest();
    expect(await shownDelay(id)).toBe(80);
    await sql`update seat_delay set at = at - interval '2 minutes' where machine_id = ${id}`.execute(venue.db);
    expect(await shownDelay(id)).toBeNull();
  });
});

describe("the picture that a page reports", () => {
  const all = { from: new Date(0), to: new Date(8.64e15) };
  const keptOf = async ({ playSessionId }: { playSessionId: string }) =>
    await pictureReports(venue.db, playSessionId, all);

  test("is kept once a minute, and whenever it had trouble", async () => {
    const { id } = await played();
    const seat = await seatOf(id);
    const own = ownViewing();
    const report = (given: DelayReport): void => {
      venue.clock.shift(10_000);
      own.reported(seat, given);
    };
    report({ ms: 40 });
    report({ ms: 41 });
    report({ ms: 700 });
    report({ freezes: [{ agoMs: 2_000, ms: 1_500 }] });
    const at = venue.clock.now();
    // Too early: whatever a page sends, a row comes every five seconds at most.
    own.reported(seat, { ms: 900 });
    for (let n = 0; n < 6; n += 1) report({ ms: 42 });
    await own.writeNewest();
    const kept = await keptOf(seat);
    expect(kept.map(({ delayMs }) => delayMs)).toEqual([40, 700, null, 42]);
    const [shown] = kept[2]?.freezes ?? [];
    expect([(shown?.fromMs ?? 0) - at, (shown?.toMs ?? 0) - at].map(Math.round)).toEqual([-3_500, -2_000]);
    await own.writeNewest();
    expect(await keptOf(seat)).toHaveLength(4);
  });

  test("comes from the seat's own page, and goes with the recordings", async () => {
    const { id, page } = await played();
    const seat = await seatOf(id);
    notify(page, { ms: 400, freezes: [{ agoMs: 0, ms: 250 }] });
    await eventually(async () => expect(await keptOf(seat)).toMatchObject([{ delayMs: 400 }]));
    await sql`update picture_report set at = at - interval '91 days' where play_session_id = ${seat.playSessionId}`.execute(
      venue.db,
    );
    await ownViewing().writeSums();
    expect(await keptOf(seat)).toEqual([]);
  });
});

describe("watchers", () => {
  test("are counted by how long they watched and by how many watched at once", async () => {
    const { id, page } = await played();
    const [one, two] = [await watch(id), await watch(id)];
    await eventually(() => expect(page.ofMethod("spectators").at(-1)).toEqual({ count: 2 }));
    venue.clock.shift(10 * MINUTE_MS);
    one.drop();
    await eventually(() => expect(page.ofMethod("spectators").at(-1)).toEqual({ count: 1 }));
    venue.clock.shift(5 * MINUTE_MS);
    const three = await watch(id);
    await eventually(() => expect(page.ofMethod("spectators").at(-1)).toEqual({ count: 2 }));
    three.drop();
    two.drop();
    await eventually(() => expect(page.ofMethod("spectators").at(-1)).toEqual({ count: 0 }));
    await leave({ id, page });
    await eventually(async () => expect((await figuresOf(id)).watchersMost).toBe(2));
    const { watchedMs } = await figuresOf(id);
    expect(watchedMs).toBeGreaterThanOrEqual(25 * MINUTE_MS);
    // What the test itself took, and no stay twice.
    expect(watchedMs).toBeLessThan(30 * MINUTE_MS);
  });

  test("who are there when the platform ends are counted too", async () => {
    const { id } = await played();
    await watch(id);
    venue.clock.shift(3 * MINUTE_MS);
    const before = await venue.startAgain(async () => await figuresOf(id));
    expect(before.watchersMost).toBe(1);
    expect(before.watchedMs).toBeGreaterThanOrEqual(3 * MINUTE_MS);
  });

  test("and delays that could not be written are written the next time, once", async () => {
    const id = unplayed.shift() ?? "none";
    const own = ownViewing();
    own.watchedBy(id, 4);
    own.watchedFor(id, MINUTE_MS);
    own.reported({ machineId: id, epoch: 1, playSessionId: "none" }, { ms: 15 });
    await sql`alter table report_viewing rename to report_viewing_away`.execute(venue.db);
    await expect(own.writeSums()).rejects.toThrow("report_viewing");
    own.watchedFor(id, 500);
    await sql`alter table report_viewing_away rename to report_viewing`.execute(venue.db);
    await own.writeSums();
    await own.writeSums();
    expect(await figuresOf(id)).toMatchObject({
      ...{ watchedMs: MINUTE_MS + 500, watchersMost: 4, delay: { reports: 1, medianMs: 20, p95Ms: 20 } },
    });
  });
});
