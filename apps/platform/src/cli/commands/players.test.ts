import { sql } from "kysely";
import { expect, test } from "vitest";
import { longarmOf } from "../../testing/longarm.ts";
import { eventually, sharePlayVenue } from "../../testing/play-venue.ts";

/* What staff does to accounts: from the command line to sign-ins, sockets, seats and wallets of a running platform. */

const venue = sharePlayVenue({ env: { LOGINS_PER_MINUTE_ADDRESS: "10000" } });

const longarm = longarmOf(venue);

/** A player at a machine with credits on it. */
async function seated(machineId: string, username: string) {
  const { machine, agent } = await venue.machine(machineId);
  const player = await venue.player(username, 5_000);
  const page = await venue.page(player.token, machineId);
  await page.init();
  expect(await page.peer.request("cashIn", { id: `${username}-in`, amount: 2_000 })).toMatchObject({ is: "done" });
  await venue.inState(machineId, "playing");
  return { machine, agent, player, page };
}

const canSignIn = (username: string, password: string) =>
  venue.signIn(username, password).then(
    () => true,
    () => false,
  );

test("a player is added with a password that is typed, or made and shown once, and never on the command line", async () => {
  const withPassword = longarmOf(venue, { secret: "four words long enough" });
  const added = await withPassword("players", "add", "new.player", "--name", "Yeni");
  expect(added).toMatchObject({ code: 0, complained: "", asked: ["New password of new.player: "] });
  expect(added.said).toMatch(/^Added new\.player \(p_.+\)\.$/);
  expect(await canSignIn("new.player", "four words long enough")).toBe(true);
  const made = await longarm("players", "add", "made.player", "--generate", "--json");
  const { password } = JSON.parse(made.said) as { password: string };
  expect(password).toMatch(/^[a-zA-Z0-9]{16}$/);
  expect(await canSignIn("made.player", password)).toBe(true);
  expect(await longarm("players", "add", "NEW.player ", "--generate")).toMatchObject({ code: 3 });
  for (const [secret, said] of [
    ["short", "at least 8"],
    ["my.player.one.x", "name of the player"],
    ["", "at least 8"],
  ] as const)
    expect(await longarmOf(venue, { secret })("players", "add", "my.player")).toMatchObject({
      code: 2,
      complained: expect.stringContaining(said),
    });
  const dry = await longarm("players", "add", "dry.player", "--dry-run");
  expect(dry).toMatchObject({ code: 0, said: "Would add dry.player. Nothing was changed." });
  expect(await longarm("players", "show", "dry.player")).toMatchObject({ code: 3 });
});

test("players list and show print everything but secrets", async () => {
  const { player } = await seated("cp-01", "shown.player");
  await longarm("players", "pin", "shown.player", "--generate");
  const list = await longarm("players", "list", "--search", "SHOWN.pl");
  expect(list.said.split("\n")).toEqual([expect.stringMatching(/^shown\.player {2}p_/), "1 player."]);
  const shown = await longarm("players", "show", "shown.player");
  expect(shown.said).toContain("cp-01 (playing, ps_");
  expect(shown.said).toMatch(/balance +30\.00/);
  const details = JSON.parse((await longarm("players", "show", "shown.player", "--json")).said) as object;
  expect(details).toMatchObject({
    id: player.id,
    hasPin: true,
    balance: { balance: 3_000, onMachine: 2_000 },
    machine: "cp-01",
  });
  expect(JSON.stringify(details)).not.toMatch(/argon2|\$m=/);
});

test("a ban ends sign-ins, sockets and the play session, all credits come home, and unban lets the player in again", async () => {
  const { player, page, machine } = await seated("cp-02", "banned.player");
  const ban = await longarmOf(venue, { answer: "yes" })("players", "ban", "banned.player");
  expect(ban).toMatchObject({ code: 0, complained: "", asked: [expect.stringContaining("banned.player")] });
  expect(ban.said).toContain("20.00 went back to the wallet");
  expect(await page.closed).toEqual({ code: 4000, reason: "banned" });
  expect(machine.credit).toBe(0);
  await venue.inState("cp-02", "free");
  expect(await venue.ledgerOf(`player:${player.id}`)).toBe(5_000);
  expect((await venue.get("/v1/player/balance", player.token)).statusCode).not.toBe(200);
  expect(await canSignIn("banned.player", "correct horse battery")).toBe(false);
  expect(await longarm("players", "ban", "banned.player")).toMatchObject({ code: 3 });
  expect((await longarm("players", "list", "--banned")).said).toContain("banned.player");
  expect(await longarm("players", "unban", "banned.player")).toMatchObject({ code: 0 });
  expect(await canSignIn("banned.player", "correct horse battery")).toBe(true);
  const { rows } = await sql<object>`select type, actor from audit.entries where subject = ${`player:${player.id}`}
    and type in ('player.banned', 'player.unbanned') order by id`.execute(venue.db);
  expect(rows).toEqual([
    { type: "player.banned", actor: "root:ayse" },
    { type: "player.unbanned", actor: "root:ayse" },
  ]);
});

test("another password signs the player out everywhere; the seat waits, and the old password opens nothing", async () => {
  const { page } = await seated("cp-03", "forgot.password");
  const set = await longarmOf(venue, { secret: "another long one" })("players", "password", "forgot.password");
  expect(set).toMatchObject({ code: 0, complained: "" });
  expect(await page.closed).toMatchObject({ code: 4000 });
  await venue.inState("cp-03", "waiting");
  expect(await canSignIn("forgot.password", "correct horse battery")).toBe(false);
  expect(await canSignIn("forgot.password", "another long one")).toBe(true);
});

test("a PIN is made, typed and taken away", async () => {
  const id = await venue.addPlayer("pin.player");
  const { players } = venue.platform;
  const isPin = async (typed: string) => await players.checkPin((await players.find(id))!, typed);
  const made = await longarm("players", "pin", "pin.player", "--generate", "--json");
  const { pin } = JSON.parse(made.said) as { pin: string };
  expect(pin).toMatch(/^\d{6}$/);
  expect(await isPin(pin)).toBe(true);
  expect(await longarm("players", "pin", "pin.player", "--none")).toMatchObject({ code: 0 });
  expect(await isPin(pin)).toBe(false);
  expect(await longarmOf(venue, { secret: "12ab" })("players", "pin", "pin.player")).toMatchObject({ code: 2 });
  expect(await longarmOf(venue, { secret: "4711" })("players", "pin", "pin.player")).toMatchObject({ code: 0 });
  expect(await isPin("4711")).toBe(true);
});

test("a stricter limit holds at once, a relaxed one a day later, and of player and venue the stricter one holds", async () => {
  const { page, player } = await seated("cp-04", "limited.player");
  const cashIn = (id: string, amount: number) => page.peer.request("cashIn", { id: `limited-${id}`, amount });
  const limits = (...args: string[]) => longarm("players", "limits", "limited.player", ...args);
  expect((await limits()).said).toBe("limited.player has no limits.");
  const dry = await limits("--cash-in-day", "25.00", "--dry-run");
  expect(dry).toMatchObject({ code: 0, said: expect.stringContaining("Nothing was changed.") });
  expect(await limits("--cash-in-day", "25.00", "--for", "player")).toMatchObject({ code: 0, complained: "" });
  expect(await cashIn("1", 600)).toMatchObject({ refusal: { code: 60060, params: { left: 500 } } });
  expect(await cashIn("2", 500)).toMatchObject({ is: "done" });
  const relaxed = await limits("--cash-in-day", "none", "--for", "player");
  expect(relaxed).toMatchObject({ code: 3, said: "", complained: expect.stringContaining("the player's own") });
  expect((await limits()).said).toContain(
    "cashIn.day: 25.00 onto machines in 24 hours (the player's own, set by root:ayse)",
  );
  expect(await cashIn("3", 100)).toMatchObject({
    refusal: { code: 60060, params: { left: 0, until: expect.stringMatching(/T..:..:00.000Z$/) } },
  });
  await sql`insert into player_limit (player_id, kind, owner, value, effective_at, set_by)
    values (${player.id}, 'cashIn', 'player', null, clock_timestamp(), 'a day later')`.execute(venue.db);
  expect(await limits("--loss-day", "26.00")).toMatchObject({ code: 0 });
  // 25.00 are on the machine and could be lost.
  expect(await cashIn("4", 200)).toMatchObject({ refusal: { code: 60061, params: { left: 100 } } });
  expect(await cashIn("5", 100)).toMatchObject({ is: "done" });
});

test("limits are set by name, several at once, and a name or a value that is none changes nothing", async () => {
  await venue.player("named.limits");
  const limits = (...args: string[]) => longarm("players", "limits", "named.limits", ...args);
  const set = await limits(
    "--limit",
    "loss.week=500.00 time.day=120; deposit.month=1500,00 session=90",
    "--for",
    "player",
  );
  expect(set).toMatchObject({ code: 0, complained: "" });
  for (const line of [
    "loss.week: 500.00 lost in 7 days (the player's own",
    "time.day: 120 minutes at machines in 24 hours",
    "deposit.month: 1500.00 deposited in 30 days",
    "session: 90 minutes of one play session",
  ])
    expect(set.said).toContain(line);
  const looser = await limits("--limit", "loss.week=none", "--for", "player", "--dry-run");
  expect(looser).toMatchObject({ code: 3, complained: expect.stringContaining("Nothing was changed") });
  await limits("--limit", "loss.week=400.00");
  const ours = await limits("--limit", "loss.week=none", "--dry-run");
  expect(ours.said).toMatch(/Would set loss\.week: none, from \d{4}-.+ UTC on\./);
  for (const text of [
    "loss",
    "loss.year=5.00",
    "exclusion=5",
    "loss.week",
    "loss.week=",
    "loss.week=5",
    "time.day=1.5",
  ])
    expect(await limits("--limit", text), text).toMatchObject({ code: 2 });
});

test("an exclusion ends the play session with all credits, keeps the player from playing and from deposits, and money can be withdrawn", async () => {
  const { player, page, machine } = await seated("cp-05", "excluded.player");
  const done = await longarm("players", "limits", "excluded.player", "--exclude-until", "30d", "--for", "player");
  expect(done).toMatchObject({ code: 0, complained: "" });
  expect(done.said).toContain("20.00 went back to the wallet");
  expect(machine.credit).toBe(0);
  await venue.inState("cp-05", "free");
  await eventually(() => expect(page.ofMethod("ended")).toEqual([{ code: "CODE_18801", why: "excluded" }]));
  const again = await venue.page(player.token, "cp-05");
  expect(await again.init()).toMatchObject({
    refusal: { code: 60062, params: { until: expect.stringMatching(/^\d{4}-.*Z$/) } },
  });
  expect(await longarm("wallets", "deposit", "excluded.player", "10.00", "--reason", "desk")).toMatchObject({
    code: 3,
  });
  const out = await longarm("wallets", "withdraw", "excluded.player", "50.00", "--reason", "desk");
  expect(out).toMatchObject({ code: 0 });
  expect(await venue.ledgerOf(`player:${player.id}`)).toBe(0);
  const lifted = await longarm("players", "limits", "excluded.player", "--exclude-until", "none", "--for", "player");
  expect(lifted).toMatchObject({
    code: 3,
    complained: expect.stringContaining("The limit exclusion is the player's own"),
  });
  expect(await (await venue.page(player.token, "cp-05")).init()).toMatchObject({ refusal: { code: 60062 } });
});

test("a play session that lasts longer than its limit is ended by the platform itself, as is one of a player banned behind its back", async () => {
  const { player } = await seated("cp-06", "long.player");
  const { player: other } = await seated("cp-07", "quiet.ban");
  await longarm("players", "limits", "long.player", "--session-minutes", "1");
  expect((await venue.seat("cp-06")).state).toBe("playing");
  await sql`update play_session set started_at = started_at - interval '2 minutes' where player_id = ${player.id}`.execute(
    venue.db,
  );
  await sql`update player set banned_at = now() where id = ${other.id}`.execute(venue.db);
  await venue.inState("cp-06", "free");
  await venue.inState("cp-07", "free");
  const reasons =
    await sql<object>`select machine_id, end_reason from play_session where machine_id in ('cp-06', 'cp-07') order by 1`.execute(
      venue.db,
    );
  expect(reasons.rows).toEqual([
    { machine_id: "cp-06", end_reason: "limit" },
    { machine_id: "cp-07", end_reason: "banned" },
  ]);
  expect(await venue.ledgerOf(`player:${player.id}`)).toBe(5_000);
  await eventually(async () => expect(await venue.ledgerOf(`player:${other.id}`)).toBe(5_000));
});
