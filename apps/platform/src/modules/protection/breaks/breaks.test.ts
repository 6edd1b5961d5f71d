import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import type { SharedPlayVenue } from "../../../testing/play-venue.ts";
import { eventually, playVenue, sharePlayVenue } from "../../../testing/play-venue.ts";
import { checkMayMove } from "../../staff/desk/index.ts";
import { chooseMarket } from "../markets/index.ts";
import { breakOf, forceBreaks, playersOnBreak } from "./breaks.ts";

/* Breaks from play (GLI-19 2.5.5 and A.3.8): they hold at once, for everybody, and no hand shortens them. */

/** A market that a test chooses also wants help organisations to be listed. */
const folder = mkdtempSync(join(tmpdir(), "longarm-breaks-"));
const settingsFile = join(folder, "Settings.json");
writeFileSync(settingsFile, JSON.stringify({ helpList: [{ name: "BZgA", phone: "0800 1 37 27 00" }] }));
afterAll(() => rmSync(folder, { recursive: true }));
const venue: SharedPlayVenue = sharePlayVenue({ env: { SETTINGS_FILE: settingsFile } });
let players = 0;

async function newPlayer(deposit = 10_000) {
  players += 1;
  return await venue.player(`resting${players}`, deposit);
}

const call = (method: "GET" | "POST", path: string, token: string, payload?: unknown) =>
  venue.app.inject({
    method,
    url: `/v1/${path}`,
    headers: { authorization: `Bearer ${token}` },
    ...(payload !== undefined && { payload: payload as object }),
  });
const begin = (token: string, payload: unknown) => call("POST", "player/breaks", token, payload);

/** The time passes: all breaks of a player began and end so much earlier. */
async function pass(playerId: string, hours: number): Promise<void> {
  await venue.db.transaction().execute(async (trx) => {
    for (const table of ["player_break", "player_reopening"])
      await sql`alter table ${sql.table(table)} disable trigger user`.execute(trx);
    const earlier = sql`make_interval(hours => ${hours})`;
    await sql`update player_break set from_at = from_at - ${earlier}, until = until - ${earlier} where player_id = ${playerId}`.execute(
      trx,
    );
    await sql`update player_reopening set requested_at = requested_at - ${earlier}, opens_at = opens_at - ${earlier}
      where break_id in (select id from player_break where player_id = ${playerId})`.execute(trx);
    for (const table of ["player_break", "player_reopening"])
      await sql`alter table ${sql.table(table)} enable trigger user`.execute(trx);
  });
}

const HOUR_MS = 3_600_000;
const hoursUntil = (iso: string): number => Math.round((Date.parse(iso) - Date.now()) / HOUR_MS);

describe("what may be chosen", () => {
  test("follows the market of the player", async () => {
    const { id, token } = await newPlayer();
    expect((await call("GET", "player/breaks", token)).json()).toEqual({
      closed: null,
      timeOutHours: [24, 72, 168, 336, 672, 1_008],
      exclusionMonths: [6, 12, 24, 60],
      panicHours: 24,
    });
    const market = { scope: "player", subject: id, market: "us-nj", by: "eva", reason: "lives there" } as const;
    await chooseMarket(venue.db.withTables(), market);
    const there = (await call("GET", "player/breaks", token)).json();
    expect([there.timeOutHours, there.exclusionMonths, there.panicHours]).toEqual([
      [72, 168, 336, 672, 1_008],
      [12, 24, 60],
      72,
    ]);
    expect((await begin(token, { kind: "timeOut", hours: 24 })).statusCode).toBe(400);
    expect((await call("GET", "player/breaks", token)).json().closed).toBeNull();
  });

  test.each([
    ["nothing", undefined],
    ["a number for its kind", { kind: 7 }],
    ["a list", []],
    ["no length", { kind: "timeOut" }],
    ["a length that is not offered", { kind: "timeOut", hours: 25 }],
    ["a length of zero", { kind: "timeOut", hours: 0 }],
    ["a length below zero", { kind: "exclusion", months: -6 }],
    ["half an hour", { kind: "timeOut", hours: 24.5 }],
    ["for ever", { kind: "exclusion", months: 1e9 }],
    ["a forced one", { kind: "forced" }],
    ["an unknown kind", { kind: "holiday", hours: 24 }],
    ["a date", { kind: "timeOut", hours: "2030-01-01" }],
  ])("a body with %s is refused, and play stays open", async (_what, body) => {
    const { token } = await newPlayer();
    expect((await begin(token, body)).statusCode).toBe(400);
    expect((await call("GET", "player/breaks", token)).json().closed).toBeNull();
  });
});

describe("a break", () => {
  test("ends play at once: a running game is finished, and all credits come home", async () => {
    const { id, token } = await newPlayer();
    const { machine, agent } = await venue.machine("rest-01");
    const page = await venue.page(token, "rest-01");
    await page.peer.request("init", { machineID: "rest-01" });
    expect(await page.peer.request("cashIn", { id: "t-rest-1", amount: 2_000 })).toMatchObject({ is: "done" });
    machine.startGame();
    await agent.pump();
    await venue.inState("rest-01", "inGame");
    expect((await begin(token, { kind: "panic" })).json().closed).toMatchObject({ kind: "panic" });
    await venue.inState("rest-01", "draining");
    machine.endGame(machine.bet);
    await agent.pump();
    await venue.inState("rest-01", "free");
    expect(await venue.ledgerOf(`player:${id}`)).toBe(10_000);
    const ended = await venue.db.selectFrom("play_session").select("end_reason").where("player_id", "=", id).execute();
    expect(ended).toEqual([{ end_reason: "excluded" }]);
  });

  test("closes the seat, machines' money, deposits and bonuses; signing in and withdrawing stay open", async () => {
    const { id, token } = await newPlayer();
    await venue.machine("rest-02");
    const { closed } = (await begin(token, { kind: "timeOut", hours: 72 })).json();
    expect(hoursUntil(closed.until)).toBe(72);
    const page = await venue.page(token, "rest-02");
    const sat = await page.peer.request("init", { machineID: "rest-02" });
    expect(sat).toMatchObject({ is: "refused", refusal: { name: "player.on_break" } });
    await expect(checkMayMove(venue.db.withTables() as never, { kind: "deposit", playerId: id })).rejects.toThrow();
    await expect(
      checkMayMove(venue.db.withTables() as never, { kind: "withdraw", playerId: id }),
    ).resolves.toMatchObject({ id });
    const { rows } = await sql<{ is: boolean }>`select player_is_excluded(${id}) as is`.execute(venue.db);
    expect(rows).toEqual([{ is: true }]);
    expect(await playersOnBreak(venue.db, 100)).toContain(id);
    for (const claim of ["player/bonus", "player/discount"])
      expect((await call("GET", claim, token)).json(), claim).toMatchObject({ code: 60080 });
    const validated = (await call("GET", "validate", token)).json();
    expect(validated.play_closed).toEqual(closed);
  });

  test("is never made shorter by a shorter one, and ends by itself", async () => {
    const { id, token } = await newPlayer();
    const { closed } = (await begin(token, { kind: "timeOut", hours: 1_008 })).json();
    expect((await begin(token, { kind: "timeOut", hours: 24 })).json().closed).toEqual(closed);
    expect((await begin(token, { kind: "panic" })).json().closed).toEqual(closed);
    await pass(id, 1_007);
    expect((await call("GET", "player/breaks", token)).json().closed).not.toBeNull();
    await pass(id, 1);
    expect((await call("GET", "player/breaks", token)).json().closed).toBeNull();
    expect((await call("GET", "validate", token)).json().play_closed).toBeUndefined();
  });

  test("is one row, however often its key is pressed", async () => {
    const { id, token } = await newPlayer();
    const [first, ...more] = await Promise.all(Array.from({ length: 3 }, () => begin(token, { kind: "panic" })));
    for (let press = 0; press < 20; press += 1) more.push(await begin(token, { kind: "panic" }));
    expect([first, ...more].every((answer) => answer?.statusCode === 200)).toBe(true);
    const { rows } = await sql<{
      rows: number;
    }>`select count(*)::int as rows from player_break where player_id = ${id}`.execute(venue.db);
    // Presses of the same moment may each have found none.
    expect(rows[0]?.rows).toBeLessThanOrEqual(3);
  });

  test("is in the audit log with its kind and end, and no statement changes or removes it", async () => {
    const { id, token } = await newPlayer();
    const { closed } = (await begin(token, { kind: "exclusion", months: 6 })).json();
    const { rows } = await sql<{ actor: string; after: { kind: string; until: string } }>`
      select actor, after from audit.entries where type = 'player.break' and subject = ${`player:${id}`}`.execute(
      venue.db,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ actor: `player:${id}`, after: { kind: "exclusion" } });
    expect(new Date(rows[0]?.after.until ?? "").toISOString()).toBe(closed.until);
    for (const change of [
      sql`update player_break set until = now() where player_id = ${id}`,
      sql`delete from player_break where player_id = ${id}`,
      sql`truncate player_break cascade`,
    ])
      await expect(change.execute(venue.db)).rejects.toThrow(/never changed/);
  });

  test("holds on every node from the moment it is answered", async () => {
    const { id, token } = await newPlayer();
    await venue.machine("rest-03");
    const other = await playVenue({ database: venue.database, env: { NODE_ID: "second" } });
    try {
      const begun = await other.app.inject({
        method: "POST",
        url: "/v1/player/breaks",
        headers: { authorization: `Bearer ${token}` },
        payload: { kind: "panic" },
      });
      expect(begun.statusCode).toBe(200);
      const page = await venue.page(token, "rest-03");
      expect(await page.peer.request("init", { machineID: "rest-03" })).toMatchObject({
        refusal: { name: "player.on_break" },
      });
      expect(await breakOf(other.db, id)).toMatchObject({ kind: "panic" });
    } finally {
      await other.end(true);
    }
  });
});

describe("a self-exclusion", () => {
  test("stays after its end until the player wants to play again, and a day more", async () => {
    const { id, token } = await newPlayer();
    await begin(token, { kind: "exclusion", months: 6 });
    const reopen = () => call("POST", "player/breaks/reopen", token);
    expect((await reopen()).json()).toMatchObject({ code: 60082 });
    await pass(id, 24 * 190);
    await venue.machine(`rest-${id.slice(-6).toLowerCase()}`);
    expect((await call("GET", "player/breaks", token)).json().closed).toMatchObject({ kind: "exclusion" });
    const opened = (await reopen()).json();
    expect(hoursUntil(opened.closed.opensAt)).toBe(24);
    // A second request does not begin the day anew, nor open play.
    await pass(id, 12);
    expect(hoursUntil((await reopen()).json().closed.opensAt)).toBe(12);
    await pass(id, 11);
    expect((await call("GET", "player/breaks", token)).json().closed).not.toBeNull();
    await pass(id, 1);
    expect((await call("GET", "player/breaks", token)).json().closed).toBeNull();
    expect((await reopen()).json()).toMatchObject({ code: 60082 });
  });

  test("keeps out with its own reasons: until its end, closed after it, until play opens", async () => {
    const { id, token } = await newPlayer();
    await venue.machine("rest-04");
    const refusedWith = async () => {
      const page = await venue.page(token, "rest-04");
      const answer = await page.peer.request("init", { machineID: "rest-04" });
      return answer.is === "refused" ? answer.refusal.name : answer.is;
    };
    await begin(token, { kind: "exclusion", months: 6 });
    expect(await refusedWith()).toBe("player.excluded");
    await pass(id, 24 * 190);
    expect(await refusedWith()).toBe("player.closed");
    await call("POST", "player/breaks/reopen", token);
    expect(await refusedWith()).toBe("player.excluded");
    await pass(id, 25);
    expect(await refusedWith()).toBe("done");
  });
});

describe("the break after long play (GlüStV § 22a (9))", () => {
  const played = async (playerId: string, stretches: readonly (readonly [from: number, until: number])[]) => {
    const machineId = `long-${playerId.slice(-8).toLowerCase()}`;
    await venue.machine(machineId);
    for (const [at, [from, until]] of stretches.entries())
      await sql`insert into play_session (id, machine_id, player_id, started_at, ended_at, end_reason)
        values (${`${playerId}.${at}`}, ${machineId}, ${playerId}, now() - make_interval(mins => ${from}), now() - make_interval(mins => ${until}), 'left')`.execute(
        venue.db,
      );
  };
  const force = async (playerId: string) =>
    (await forceBreaks(venue.db, [{ playerId, afterMin: 60, forMin: 5 }])).includes(playerId);

  test.each<[string, readonly (readonly [number, number])[], boolean]>([
    ["an hour in one piece", [[61, 0]], true],
    [
      "an hour over two machines with a pause of two minutes",
      [
        [63, 32],
        [30, 0],
      ],
      true,
    ],
    ["less than an hour", [[59, 0]], false],
    [
      "an hour with a pause of six minutes in it",
      [
        [66, 36],
        [30, 0],
      ],
      false,
    ],
    ["nothing", [], false],
  ])("after %s: %s", async (_what, stretches, expected) => {
    const { id } = await newPlayer(0);
    await played(id, stretches);
    expect(await force(id)).toBe(expected);
    // It is begun once.
    expect(await force(id)).toBe(false);
  });

  test("who comes back when it is over plays on, also when the machine was left later than the break began", async () => {
    const { id } = await newPlayer(0);
    // The break began 5 minutes ago; a game was finished after it; the player sits down again as it ends, and plays for a while.
    await played(id, [
      [126, 64],
      [60, 0],
    ]);
    const broke = async (from: number, until: number) =>
      await sql`insert into player_break (player_id, kind, from_at, until, set_by)
        values (${id}, 'forced', now() - make_interval(mins => ${from}), now() - make_interval(mins => ${until}), 'platform')`.execute(
        venue.db,
      );
    await broke(66, 61);
    expect(await forceBreaks(venue.db, [{ playerId: id, afterMin: 61, forMin: 5 }])).toEqual([]);
    expect(await forceBreaks(venue.db, [{ playerId: id, afterMin: 59, forMin: 5 }])).toEqual([id]);
  });

  test("waits for the end of a bonus, so that the player has all of it", async () => {
    const sits = async (machineId: string) => {
      const { id, token } = await newPlayer();
      await venue.machine(machineId);
      const page = await venue.page(token, machineId);
      expect(await page.init()).toMatchObject({ is: "done" });
      return id;
    };
    const [inBonus, other] = [await sits("rest-11"), await sits("rest-12")];
    const bonus = (is: boolean) =>
      sql`update machine set meters = jsonb_set(meters, '{bonus}', ${JSON.stringify(is)}::jsonb) where id = 'rest-11'`.execute(
        venue.db,
      );
    await bonus(true);
    for (const subject of [inBonus, other])
      await chooseMarket(venue.db.withTables(), {
        ...({ scope: "player", market: "de", by: "eva", reason: "lives there" } as const),
        subject,
      });
    await sql`update play_session set started_at = now() - interval '61 minutes'
      where player_id in (${inBonus}, ${other}) and ended_at is null`.execute(venue.db);
    // Both are looked at in one statement.
    await eventually(async () => expect(await breakOf(venue.db, other)).toMatchObject({ kind: "forced" }));
    expect(await breakOf(venue.db, inBonus)).toBeUndefined();
    await bonus(false);
    await eventually(async () => expect(await breakOf(venue.db, inBonus)).toMatchObject({ kind: "forced" }));
  });

  test("ends play with the reason of a limit, and keeps no deposit away", async () => {
    const { id, token } = await newPlayer();
    await venue.machine("rest-05");
    const page = await venue.page(token, "rest-05");
    expect(await page.peer.request("init", { machineID: "rest-05" })).toMatchObject({ is: "done" });
    // A market that is chosen while somebody plays holds for play that runs.
    const market = { scope: "player", subject: id, market: "de", by: "eva", reason: "lives there" } as const;
    await chooseMarket(venue.db.withTables(), market);
    await sql`update play_session set started_at = now() - interval '61 minutes' where player_id = ${id}`.execute(
      venue.db,
    );
    await eventually(async () => {
      const rows = await venue.db.selectFrom("play_session").select("end_reason").where("player_id", "=", id).execute();
      expect(rows).toEqual([{ end_reason: "limit" }]);
    });
    expect(await breakOf(venue.db, id)).toMatchObject({ kind: "forced" });
    // Without the market, which also wants an identity, only the break is left.
    await chooseMarket(venue.db.withTables(), { ...market, market: null });
    await expect(
      checkMayMove(venue.db.withTables() as never, { kind: "deposit", playerId: id }),
    ).resolves.toMatchObject({ id });
  });
});
