import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LimitKey } from "@longarm/contract/player-protection";
import { sql } from "kysely";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { decideIdentity, keepRecord } from "../identity/index.ts";

import { setLimit } from "../limits/index.ts";
import type { MarketId } from "../markets/index.ts";
import { chooseMarket, rulesOfMarket } from "../markets/index.ts";

/* What a market wants before play and a player loses while a game runs: the game is finished, then the credits go home. */

const folder = mkdtempSync(join(tmpdir(), "longarm-gates-"));
const settingsFile = join(folder, "Settings.json");
const list = (names: readonly string[]) =>
  writeFileSync(settingsFile, JSON.stringify({ helpList: names.map((name) => ({ name, phone: "020-81 91 00" })) }));
list(["Stödlinjen"]);
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => list(["Stödlinjen"]));

const venue = sharePlayVenue({ env: { SETTINGS_FILE: settingsFile } });
let players = 0;

/** An answer of the register, so many hours ago. */
const answer = (playerId: string, said: "clear" | "error", hoursAgo: number) =>
  sql`insert into register_answer (player_id, register, answer, request_id, answered_at)
    values (${playerId}, 'spelpaus', ${said}, 'rq', clock_timestamp() - make_interval(hours => ${hoursAgo}))`.execute(
    venue.db,
  );

const own = (playerId: string, key: LimitKey, value: number | null) =>
  setLimit(venue.db.withTables(), {
    ...{ playerId, value, kind: "deposit", owner: "player", by: `player:${playerId}` },
    period: key.split(".")[1] as "day",
  });

/** A player of Sweden who has all that its rules want before play, sits with credit, and has begun a game. */
async function inGame({ hoursAgo = 1, market = "se" }: { hoursAgo?: number; market?: MarketId | null } = {}) {
  players += 1;
  const { id, token } = await venue.player(`gate${players}`, 10_000);
  const machineId = `gate-${players}`;
  const choice = { scope: "player", subject: id, market, by: "eva", reason: "lives there" } as const;
  if (market !== null) await chooseMarket(venue.db.withTables(), choice);
  await keepRecord(venue.db, id, { birthDate: "1990-05-31" });
  await decideIdentity(venue.db, { playerId: id, state: "verified", validUntil: null, by: "eva", reason: "seen" });
  for (const key of rulesOfMarket("se").limitsRequired) await own(id, key, 100_000);
  await answer(id, "clear", hoursAgo);
  const { machine, agent } = await venue.machine(machineId);
  const page = await venue.page(token, machineId);
  // The platform reads its settings every few seconds.
  await eventually(async () => expect(await page.init()).toMatchObject({ is: "done" }));
  expect(await page.peer.request("cashIn", { id: `t-${machineId}`, amount: 1_000 })).toMatchObject({ is: "done" });
  machine.startGame();
  await agent.pump();
  await venue.inState(machineId, "inGame");
  const endGame = async (win: number) => {
    machine.endGame(win);
    await agent.pump();
  };
  return { id, machineId, machine, page, endGame };
}

/** Time passes for what the register has answered. */
async function age(playerId: string, hours: number): Promise<void> {
  await venue.db.transaction().execute(async (trx) => {
    await sql`alter table register_answer disable trigger register_answer_stays`.execute(trx);
    await sql`update register_answer set answered_at = answered_at - make_interval(hours => ${hours}) where player_id = ${playerId}`.execute(
      trx,
    );
    await sql`alter table register_answer enable trigger register_answer_stays`.execute(trx);
  });
}

/** The wait for a looser limit is over. */
async function begin(playerId: string): Promise<void> {
  await venue.db.transaction().execute(async (trx) => {
    await sql`alter table player_limit disable trigger player_limit_stays`.execute(trx);
    await sql`update player_limit set effective_at = clock_timestamp() where player_id = ${playerId}`.execute(trx);
    await sql`alter table player_limit enable trigger player_limit_stays`.execute(trx);
  });
}

describe("what is lost while a game runs ends play after it", () => {
  test.each([
    ["register", "a register's clear answer is too old", (id: string) => age(id, 12)],
    [
      "limitMissing",
      "a limit that the market wants was taken away",
      async (id: string) => {
        await own(id, "deposit.week", null);
        await begin(id);
      },
    ],
    ["help", "the list of help organisations is empty", async () => list([])],
    [
      "identity",
      "a document has expired",
      (id: string) =>
        decideIdentity(venue.db, {
          ...{ playerId: id, state: "verified", validUntil: "2020-01-01", by: "eva", reason: "seen" },
        }),
    ],
  ] as const)("%s: %s", async (why, _what, lose) => {
    const { id, machineId, machine, page, endGame } = await inGame();
    await lose(id);
    await venue.inState(machineId, "draining");
    expect(page.ofMethod("ended"), "nothing is said before the game is over").toEqual([]);
    expect(machine.credit).toBe(1_000);
    // What finishes the game, as the presses of a bonus, reaches the machine; no other game begins.
    await eventually(() => expect(machine.rules).toMatchObject({ paidForMs: 0, heldFor: "break" }));
    await endGame(300);
    await venue.inState(machineId, "free");
    expect(await venue.ledgerOf(`player:${id}`)).toBe(10_300 - machine.bet);
    const { rows } = await sql<{ reason: string }>`
      select end_reason as reason from play_session where player_id = ${id}`.execute(venue.db);
    expect(rows).toEqual([{ reason: why }]);
    await eventually(() => expect(page.ofMethod("ended")).toMatchObject([{ why }]));
  });
});

test.each(["{ not json", JSON.stringify({ helpList: "a typing mistake" })])(
  "a settings file such as %s ends no game: what was known of help stays",
  async (text) => {
    const { machineId, endGame } = await inGame();
    writeFileSync(settingsFile, text);
    await eventually(async () => {
      const served = (await venue.app.inject({ method: "GET", url: "/Settings.json" })).json();
      expect(served.helpList ?? []).toEqual([]);
    });
    const other = await inGame();
    await age(other.id, 12);
    await venue.inState(other.machineId, "draining");
    await other.endGame(0);
    await venue.inState(other.machineId, "free");
    expect((await venue.seat(machineId)).ending).toBeNull();
    await endGame(0);
    await venue.inState(machineId, "playing");
  },
);

test.each([
  ["an hour's outage of a register ends no game", {}, (id: string) => answer(id, "error", 0)],
  ["nor does a market that is chosen during play ask at once for what it wants before", { market: null }, move],
] as const)("%s", async (_what, from, happen) => {
  const { id, machineId, page, endGame } = await inGame(from);
  await happen(id);
  // A second player who is sent home proves that the platform has looked.
  const other = await inGame();
  await age(other.id, 12);
  await venue.inState(other.machineId, "draining");
  await other.endGame(0);
  await venue.inState(other.machineId, "free");
  expect((await venue.seat(machineId)).ending).toBeNull();
  await endGame(0);
  await venue.inState(machineId, "playing");
  expect(await page.peer.request("cashOut", { id: `o-${machineId}` })).toMatchObject({ is: "done" });
});

/** The player never had an answer of this register. */
async function move(playerId: string): Promise<void> {
  await chooseMarket(venue.db.withTables(), {
    ...{ scope: "player", subject: playerId, market: "gb", by: "eva", reason: "moved" },
  });
}
