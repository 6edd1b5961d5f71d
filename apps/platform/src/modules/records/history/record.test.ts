import type { PlayedGame, RecentPlay, Statement } from "@longarm/contract/player-record";
import { recordCalls } from "@longarm/contract/player-record";
import { sql } from "kysely";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";

const venue = sharePlayVenue();

type Answers = { recent: RecentPlay; games: { games: PlayedGame[] }; statement: Statement };

/** What the platform answers, which must be what the contract says. */
async function ask<Name extends keyof Answers>(name: Name, token: string, query = ""): Promise<Answers[Name]> {
  const reply = await venue.get(`/v1/${recordCalls[name].path}${query}`, token);
  expect(reply.statusCode, reply.body).toBe(200);
  expect(reply.headers["cache-control"]).toBe("no-store");
  expect(z.safeParse(recordCalls[name].answer, reply.json()).error).toBeUndefined();
  return reply.json();
}

const game = (token: string, id: string) => venue.get(`/v1/player/games/${encodeURIComponent(id)}`, token);

/** A player who has put money into a machine. */
async function atMachine(machineId: string, username: string) {
  const { machine, agent } = await venue.machine(machineId);
  const player = await venue.player(username, 10_000);
  const page = await venue.page(player.token, machineId);
  const seat = await page.init();
  await page.peer.request("cashIn", { id: `record-${username}`, amount: 5_000 });
  return { machine, agent, player, page, seat };
}

async function leave({ page }: Awaited<ReturnType<typeof atMachine>>, machineId: string): Promise<void> {
  expect(await page.peer.request("leave", {})).toMatchObject({ is: "done" });
  await venue.inState(machineId, "free");
}

test("the page of a game receives after each game what was wagered and won, and again when it comes back", async () => {
  const at = await atMachine("nar-10", "side.bar");
  expect(at.seat).toMatchObject({ data: { playSession: { netMinor: 0, played: { games: 0, wagered: 0, won: 0 } } } });
  at.machine.play(0);
  at.machine.play(350);
  await at.agent.pump();
  await eventually(() =>
    expect(at.page.ofMethod("played")).toEqual([
      { games: 1, wagered: 100, won: 0 },
      { games: 2, wagered: 200, won: 350 },
    ]),
  );
  const again = await venue.page(at.player.token, "nar-10");
  const played = { games: 2, wagered: 200, won: 350 };
  expect(await again.init()).toMatchObject({ data: { playSession: { netMinor: 150, played } } });
  const watcher = await venue.page((await venue.player("side.watcher", 10)).token, "nar-10");
  await watcher.init({ role: "spectator" });
  at.machine.play(0);
  await at.agent.pump();
  await eventually(() => expect(again.ofMethod("played")).toHaveLength(1));
  // What a player wagers is no business of who watches.
  expect(watcher.ofMethod("played")).toEqual([]);
});

test("what was played lately: the newest play session while it runs and when it is over, and thirty days", async () => {
  const fresh = await venue.player("nothing.yet", 10);
  expect(await ask("recent", fresh.token)).toEqual({
    last: null,
    recent: { games: 0, wagered: 0, won: 0 },
    today: { seconds: 0, wagered: 0, won: 0 },
  });

  const at = await atMachine("nar-11", "played.lately");
  at.machine.play(0);
  at.machine.play(350);
  await at.agent.pump();
  const figures = { machine: "NAR-11", games: 2, wagered: 200, won: 350 };
  const open = await ask("recent", at.player.token);
  expect(open.last).toMatchObject({ ...figures, cameHome: 0, end: null, endedBy: null });
  await leave(at, "nar-11");
  const { last, recent } = await ask("recent", at.player.token);
  expect(last).toMatchObject({ ...figures, cameHome: 5_150, end: expect.any(String), endedBy: "left" });
  expect(recent).toEqual({ games: 2, wagered: 200, won: 350 });

  // It began an hour before midnight, and its last game alone came after: the day is counted from midnight at the venue.
  const shift = "venue_day(now())::timestamp at time zone time_zone - interval '1 hour'";
  await sql`update play_session set started_at = (select ${sql.raw(shift)} from business_day_rule),
    ended_at = (select ${sql.raw(shift)} + interval '61 minutes' from business_day_rule) where id = ${last?.id}`.execute(
    venue.db,
  );
  await sql`update game set ended_at = (select ${sql.raw(shift)} + case when win = 0 then interval '0' else interval '61 minutes' end
    from business_day_rule) where play_session_id = ${last?.id}`.execute(venue.db);
  expect((await ask("recent", at.player.token)).today).toEqual({ seconds: 60, wagered: 100, won: 350 });

  // A play session of 31 days ago is in no sum any more.
  await sql`update play_session set started_at = now() - interval '31 days' where id = ${last?.id}`.execute(venue.db);
  const later = await ask("recent", at.player.token);
  expect(later.last).toMatchObject({ id: last?.id });
  expect(later.recent).toEqual({ games: 0, wagered: 0, won: 0 });
});

test("the last ten games with the credits before and after, whatever machines, newest first", async () => {
  const first = await atMachine("nar-12", "recalls.games");
  for (let n = 0; n < 4; n += 1) first.machine.play(0);
  await first.agent.pump();
  await leave(first, "nar-12");
  const second = await venue.machine("nar-13");
  const page = await venue.page(first.player.token, "nar-13");
  await page.init();
  await page.peer.request("cashIn", { id: "record-second", amount: 3_000 });
  for (let n = 0; n < 9; n += 1) second.machine.play(n === 8 ? 350 : 0);
  await second.agent.pump();
  const { games } = await ask("games", first.player.token);
  expect(
    games.map(({ machine, number, before, stake, win, after }) => [machine, number, before, stake, win, after]),
  ).toEqual([
    ["NAR-13", 9, 2_200, 100, 350, 2_450],
    ...[8, 7, 6, 5, 4, 3, 2, 1].map((n) => ["NAR-13", n, 3_100 - 100 * n, 100, 0, 3_000 - 100 * n]),
    ["NAR-12", 4, 4_700, 100, 0, 4_600],
  ]);
  const [newest] = games;
  expect(newest).toMatchObject({ id: "9.nar-13", freeSpins: 0, bonus: false, handPaid: 0, addsUp: true });
  expect((await game(first.player.token, "9.nar-13")).json()).toEqual(newest);
  // Of one play session; the first game is behind the last ten, and can be looked at all the same.
  const of = await ask(
    "games",
    first.player.token,
    `?session=${(await game(first.player.token, "1.nar-12")).json().session}`,
  );
  expect(of.games.map(({ id }) => id)).toEqual(["4.nar-12", "3.nar-12", "2.nar-12", "1.nar-12"]);

  const other = await venue.player("recalls.none", 10);
  expect(await ask("games", other.token)).toEqual({ games: [] });
  expect(await ask("games", other.token, `?session=${newest?.session}`)).toEqual({ games: [] });
  expect((await game(other.token, "9.nar-13")).statusCode).toBe(404);
  for (const id of ["0.nar-13", "nar-13", "9.", "99999999999999999.nar-13", "9.nar-13' or 1=1", "-1.nar-13"])
    expect([id, (await game(first.player.token, id)).statusCode]).toEqual([id, 400]);
  for (const name of ["recent", "games", "statement"] as const)
    expect((await venue.get(`/v1/${recordCalls[name].path}`)).statusCode).toBe(401);
});

test("what a machine does not say of a game is unknown, never 0; figures that do not agree are marked", async () => {
  const { player } = await venue.player("unsaid.games", 10).then((player) => ({ player }));
  await venue.machine("nar-14");
  await sql`insert into play_session (id, machine_id, player_id, games) values ('ps_unsaid', 'nar-14', ${player.id}, 2)`.execute(
    venue.db,
  );
  await sql`insert into game (machine_id, game_number, play_session_id, stake, win, credit_before, credit_after, hand_paid, free_spins, bonus, started_at, ended_at)
    values ('nar-14', 901, 'ps_unsaid', 100, 0, 500, 400, 0, null, null, now(), now()),
      ('nar-14', 902, 'ps_unsaid', 100, 0, 400, 350, 0, null, false, now(), now())`.execute(venue.db);
  const { games } = await ask("games", player.token);
  expect(games.map(({ number, freeSpins, bonus, addsUp }) => [number, freeSpins, bonus, addsUp])).toEqual([
    [902, null, false, false],
    [901, null, null, true],
  ]);
});

test("the statement of this year has what was moved and played just now", async () => {
  const at = await atMachine("nar-15", "has.statement");
  at.machine.play(0);
  at.machine.play(350);
  await at.agent.pump();
  await leave(at, "nar-15");
  const statement = await ask("statement", at.player.token);
  const moved = { deposits: 10_000, toMachines: 5_000, fromMachines: 5_150, opening: 0, closing: 10_150 };
  expect(statement.total).toMatchObject({ ...moved, games: 2, wagered: 200, won: 350, corrections: 0 });
  expect(statement.months.at(-1)).toMatchObject({ ...moved, games: 2, wagered: 200, won: 350 });
  expect(await ask("statement", at.player.token, `?year=${statement.year - 1}`)).toMatchObject({
    total: { closing: 0, games: 0 },
    years: [statement.year],
  });
  for (const year of ["1999", "3000", "2026.5", "x", "-1", "1e9"])
    expect([year, (await venue.get(`/v1/player/statement?year=${year}`, at.player.token)).statusCode]).toEqual([
      year,
      400,
    ]);
});
