import { sql } from "kysely";
import { expect, test } from "vitest";
import { longarmOf } from "../../testing/longarm.ts";
import { eventually, sharePlayVenue } from "../../testing/play-venue.ts";

/* What staff sees and does about money that does not add up, beside a platform that runs. */

const venue = sharePlayVenue();

const longarm = longarmOf(venue);

/** A play session that ends with `missing` less on the machine than the ledger knows; below zero: with more. */
async function playedAway(id: string, username: string, missing: number) {
  const { machine, agent } = await venue.machine(id);
  const player = await venue.player(username, 10_000);
  const page = await venue.page(player.token, id);
  await page.init();
  await page.peer.request("cashIn", { id: `${id}-cash-in`, amount: 2_000 });
  machine.play(150);
  await agent.pump();
  machine.credit -= missing;
  await page.peer.request("leave", {});
  await venue.inState(id, "free");
  const { id: session } = await venue.db
    .selectFrom("play_session")
    .select("id")
    .where("machine_id", "=", id)
    .executeTakeFirstOrThrow();
  return { player, session, difference: await differenceOf(id) };
}

async function differenceOf(machineId: string): Promise<string> {
  const row = await venue.db
    .selectFrom("discrepancy")
    .select("id")
    .where("machine_id", "=", machineId)
    .where("explained_at", "is", null)
    .orderBy("id")
    .executeTakeFirst();
  return String(row?.id ?? "none");
}

test("what machine and ledger differ in is listed, explained once with a reason, and then everything adds up again", async () => {
  const { player, session, difference } = await playedAway("mc-01", "money.one", 300);
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 9_750 });

  const wrong = await longarm("reconcile");
  expect(wrong).toMatchObject({ code: 1, complained: expect.stringContaining("not add up") });
  expect(wrong.said).toContain(`difference ${difference}`);
  const ofSession = await longarm("reconcile", "--session", session, "--json");
  expect(ofSession.code).toBe(1);
  expect(JSON.parse(ofSession.said)).toMatchObject({ agrees: false, figures: { sessions: 1, games: 1 } });

  const listed = await longarm("suspense", "list");
  expect(listed.said).toMatch(/mc-01 .*settle .*money\.one/);
  expect(listed.said).toContain("1 difference to explain; 3.00 in suspense.");

  expect((await longarm("machines", "list", "--trouble")).said).toMatch(/mc-01 .*1 difference to explain/);

  const explain = ["suspense", "explain", difference, "--reason", "the meter was read twice"];
  expect(await longarm(...explain)).toMatchObject({
    code: 3,
    complained: expect.stringContaining("--to player or --to house"),
  });
  const tried = await longarm(...explain, "--to", "player", "--dry-run");
  expect(tried).toMatchObject({ code: 0, said: expect.stringContaining("nothing was changed") });
  expect(await venue.ledgerOf("suspense")).toBe(300);
  expect(await longarm(...explain, "--to", "player")).toMatchObject({
    code: 0,
    said: expect.stringContaining("3.00 went to the player"),
  });
  expect(await longarm(...explain, "--to", "player")).toMatchObject({
    code: 3,
    complained: expect.stringContaining("explained before, by root:ayse"),
  });
  expect(await venue.ledgerOf("suspense")).toBe(0);
  await eventually(async () => expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_050 }));

  const right = await longarm("reconcile");
  expect(right).toMatchObject({ code: 0, complained: "" });
  expect(right.said).toMatch(/Everything adds up: \d+ transfers, .* moved, 1 play session, 1 game, /);
  expect(await longarm("suspense", "list")).toMatchObject({ said: "0 differences to explain; 0.00 in suspense." });
  expect((await longarm("suspense", "list", "--all")).said).toContain("the meter was read twice (root:ayse, ");
  expect(await (await venue.page(player.token, "mc-01")).init()).toMatchObject({ is: "done" });
  const { rows } = await sql<{
    actor: string;
  }>`select about ->> 'actor' as actor from ledger.transfers where id = ${`explain:${difference}`}`.execute(venue.db);
  expect(rows).toEqual([{ actor: "root:ayse" }]);
  const kept = await longarm("audit", "list", "--type", "staff.did", "--json");
  expect(kept.said).toContain("the meter was read twice");
});

test("money that a machine gave too much of is made good by the house, and a claim that was right is paid to the player", async () => {
  const { player, difference } = await playedAway("mc-02", "money.two", -400);
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_050 });
  const explain = ["suspense", "explain", difference, "--reason", "a coin of the player"];
  expect(await longarm(...explain, "--to", "house")).toMatchObject({
    code: 3,
    complained: expect.stringContaining("leave --to out"),
  });
  expect(await longarm(...explain, "--pay", "4.00")).toMatchObject({
    code: 0,
    said: expect.stringContaining("the house paid the player 4.00"),
  });
  await eventually(async () => expect(await venue.balanceOf(player.id)).toEqual({ balance: 10_450 }));
  const meters = await differenceOf("mc-02");
  expect(await longarm("suspense", "explain", meters, "--reason", "the same coin")).toMatchObject({ code: 0 });
  expect(await longarm("reconcile", "--from", "2020-01-01")).toMatchObject({ code: 0 });
});

test("games are listed by session, player and machine, from the machine's own meters", async () => {
  const listed = await longarm("games", "--machine", "mc-01", "--json");
  expect(JSON.parse(listed.said)).toMatchObject({
    more: false,
    games: [
      {
        machineId: "mc-01",
        gameNumber: 1,
        player: "money.one",
        before: 2_000,
        bet: 100,
        win: 150,
        after: 2_050,
        freeSpins: 0,
      },
    ],
  });
  expect((await longarm("games", "--player", "money.one")).said).toMatch(/mc-01 .*20\.00 +1\.00 +1\.50 +0\.00 +20\.50/);
  expect(await longarm("games", "--session", "ps_none")).toMatchObject({ code: 0, said: "0 games." });
});

test("a transfer with an unknown outcome is listed with its owner and the number of its queries", async () => {
  const { machine } = await venue.machine("mc-03");
  const player = await venue.player("money.three", 5_000);
  const page = await venue.page(player.token, "mc-03");
  await page.init();
  machine.mood = "pending";
  await page.peer.request("cashIn", { id: "pending-listed", amount: 1_000 });
  await eventually(async () =>
    expect((await longarm("transfers", "open")).said).toMatch(
      /mc-03 .*cash-in +10\.00 +unknown +\d+ s +main +[1-9]\d* +pending 0/,
    ),
  );
  machine.finishPending("done");
  await eventually(async () =>
    expect((await longarm("transfers", "open")).said).toBe("0 transfers with an open outcome."),
  );
  await page.peer.request("leave", {});
});

test.each([
  [["games"]],
  [["games", "--machine", "a", "--player", "b"]],
  [["games", "--machine", "zero\0"]],
  [["games", "--machine", "mc-01", "--limit", "0"]],
  [["reconcile", "--from", "yesterday"]],
  [["reconcile", "--from", "2026-02-31"]],
  [["reconcile", "--from", "2026-03-02", "--to", "2026-03-01"]],
  [["reconcile", "--session", "x", "--to", "2026-03-01"]],
  [["suspense", "explain"]],
  [["suspense", "explain", "1"]],
  [["suspense", "explain", "-1", "--reason", "x"]],
  [["suspense", "explain", "1; drop table discrepancy", "--reason", "x"]],
  [["suspense", "explain", "1", "--reason", "two\nlines"]],
  [["suspense", "explain", "1", "--reason", "x", "--to", "me"]],
  [["suspense", "explain", "1", "--reason", "x", "--pay", "-4.00"]],
])("%j is answered with one sentence and changes nothing", async (args) => {
  const answer = await longarm(...args);
  expect(answer).toMatchObject({ code: 2, said: "" });
  expect(answer.complained).toMatch(/^[^\n]+$/);
});

test("an unknown difference is refused", async () => {
  expect(await longarm("suspense", "explain", "999999", "--reason", "x")).toMatchObject({ code: 3 });
});
