import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DisputeAnswer } from "@longarm/contract/player-disputes";
import { DISPUTE_ADDITIONS_MAX, DISPUTES_OPEN_MAX, disputeCalls } from "@longarm/contract/player-disputes";
import type { PlayedGame } from "@longarm/contract/player-record";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { longarmOf } from "../../../testing/longarm.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { staffMember } from "../../../testing/staff-client.ts";
import { prove } from "../../play/reconciliation/index.ts";
import type { MarketTables } from "../../protection/markets/index.ts";
import { chooseMarket } from "../../protection/markets/index.ts";

/* Questions about a game, from the player to the verdict: who may do what, what is paid, and what is kept. */

const BODIES = [
  { name: "Everybody’s office", address: "1 High Street" },
  { market: "gb", name: { en: "Service of Britain", tr: "Britanya Kurumu" }, url: "https://adr.example.org" },
  { market: "de", name: "Amt" },
];
const settingsFile = join(mkdtempSync(join(tmpdir(), "longarm-")), "Settings.json");
writeFileSync(settingsFile, JSON.stringify({ independentBodies: BODIES }));
const venue = sharePlayVenue(
  { env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000", SETTINGS_FILE: settingsFile } },
  prepare,
);
type Member = Awaited<ReturnType<typeof staffMember>>;
let okan: Member;
let nilay: Member;
let veli: Member;
let atilla: Member;
let selin: Member;
async function prepare(): Promise<void> {
  const staff = { platform: venue.platform, db: venue.database };
  okan = await staffMember(staff, "okan", ["supervisor"]);
  nilay = await staffMember(staff, "nilay", ["supervisor"]);
  veli = await staffMember(staff, "veli", ["auditor"]);
  atilla = await staffMember(staff, "atilla", ["attendant"]);
  selin = await staffMember(staff, "selin", ["cashier"]);
}
afterAll(async () => expect(await venue.ledger.verify()).toEqual([]));

let players = 0;
/** A player who has played so many games at a machine of their own. */
async function played(games = 1) {
  players += 1;
  const machineId = `nar-${60 + players}`;
  const { machine, agent } = await venue.machine(machineId);
  const username = `asks.${players}`;
  const player = await venue.player(username, 10_000);
  const page = await venue.page(player.token, machineId);
  await page.init();
  await page.peer.request("cashIn", { id: `asks-cash-in-${players}`, amount: 5_000 });
  for (let n = 0; n < games; n += 1) machine.play(0);
  await agent.pump();
  const record = (await venue.get("/v1/player/games", player.token)).json() as { games: PlayedGame[] };
  return { ...player, username, machineId, game: record.games[0]?.id ?? "", page };
}
type Asking = Awaited<ReturnType<typeof played>>;

const post = (url: string, payload: object, token: string) =>
  venue.app.inject({ method: "POST", url, payload, headers: { authorization: `Bearer ${token}` } });
const own = async ({ token, game }: Asking) => {
  const reply = await venue.get(`/v1/player/disputes/${game}`, token);
  expect(z.safeParse(disputeCalls.dispute.answer, reply.json()).error).toBeUndefined();
  return reply.json() as DisputeAnswer;
};
const ask = (player: Asking, fields: object = {}) =>
  post("/v1/player/disputes", { game: player.game, kind: "winNotCounted", ...fields }, player.token);
const question = async (player: Asking) => {
  await ask(player, { words: "It showed 384, my credit did not grow." });
  return (await own(player)).dispute?.id ?? "";
};
const take = (id: string, who = okan, expected: string | null = null) => who.act("takeDispute", { id }, { expected });
const detail = async (id: string, who = okan) => (await who.get(`disputes/${id}`)).body;
const problem = (sentence: string) => ({ problem: "act.refused", params: { sentence } });
const RIGHT = { verdict: "paidRight", sentence: "It was paid right", letter: "We looked at it.\n\nNo line won." };
const OWES = { verdict: "houseOwes", sentence: "The win is in your wallet", letter: "You were right.", amount: 38_400 };
const entriesOf = async (id: string) => {
  const { rows } = await sql<{ is: string; actor: string }>`
    select facts ->> 'is' as is, actor from audit.entries where type = 'player.dispute' and facts ->> 'dispute' = ${id} order by id`.execute(
    venue.db,
  );
  return rows.map(({ is, actor }) => `${is} ${actor.split(":")[0]}`);
};

test("a player asks once about an own game, whatever closes play; a second try opens the first", async () => {
  const player = await played();
  expect(await own(player)).toMatchObject({ dispute: null, mayAsk: true, dueDays: 3, booked: { amount: -100 } });
  const { statusCode } = await post("/v1/player/breaks", { kind: "exclusion", months: 6 }, player.token);
  expect(statusCode).toBe(200);
  const first = await ask(player, { words: "It showed 384." });
  expect(first.statusCode, first.body).toBe(200);
  expect(first.headers["cache-control"]).toBe("no-store");
  const { dispute } = first.json() as DisputeAnswer;
  expect(dispute).toMatchObject({ state: "received", kind: "winNotCounted", decision: null, isNew: false });
  expect(dispute?.steps).toEqual([
    { at: expect.any(String), kind: "opened", from: null, text: "It showed 384.", erased: false },
  ]);
  expect(Date.parse(dispute?.dueAt ?? "") - Date.parse(dispute?.openedAt ?? "")).toBeCloseTo(3 * 86_400_000, -4);
  // The recording of the game is wanted, and held for the question.
  const { rows: held } = await sql<{ game: number; caseId: string }>`
    select c.game_number::int as game, h.case_id as "caseId" from clip c join clip_hold h on h.clip_id = c.id where h.case_id = ${dispute?.id}`.execute(
    venue.db,
  );
  expect(held).toEqual([{ game: 1, caseId: dispute?.id }]);
  const again = (await ask(player, { kind: "somethingElse", words: "something else" })).json() as DisputeAnswer;
  expect(again.dispute).toEqual(dispute);
  const { disputes } = (await venue.get("/v1/player/disputes", player.token)).json();
  expect(disputes).toMatchObject([{ number: dispute?.number, state: "received", game: { id: player.game } }]);
});

test("a market may want an answer sooner than the venue, and a verdict names the independent bodies of its market", async () => {
  const choose = (market: "gb" | "lab" | null, player: { id: string }) =>
    chooseMarket(venue.db.withTables<MarketTables>(), {
      ...{ scope: "player", subject: player.id, market, by: "eva", reason: "lives there" },
    });
  const player = await played();
  await choose("lab", player);
  expect(await own(player)).toMatchObject({ dueDays: 2, independentBodies: [] });
  await choose("gb", player);
  expect(await own(player)).toMatchObject({ dueDays: 3 });
  await choose("lab", player);
  const id = await question(player);
  const { dispute } = await own(player);
  expect(Date.parse(dispute?.dueAt ?? "") - Date.parse(dispute?.openedAt ?? "")).toBeCloseTo(2 * 86_400_000, -4);
  await choose("gb", player);
  expect((await own(player)).independentBodies, "not before the verdict").toEqual([]);
  await take(id);
  await okan.act("decideDispute", { id }, RIGHT);
  expect((await own(player)).independentBodies).toEqual([
    { name: "Everybody’s office", address: "1 High Street", url: null },
    { name: BODIES[1]?.name, address: null, url: "https://adr.example.org" },
  ]);
});

test("a question whose day is over calls a supervisor at once, also when a person has it", async () => {
  const player = await played();
  const id = await question(player);
  await take(id);
  const tasks = async () =>
    ((await okan.get("tasks")).body["rows"] as { id: string }[]).filter(({ id: of }) => of.endsWith(`dispute:${id}`));
  expect(await tasks()).toEqual([]);
  await sql`alter table dispute disable trigger user`.execute(venue.db);
  await sql`update dispute set due_at = now() - interval '1 minute' where id = ${id}`.execute(venue.db);
  await sql`alter table dispute enable trigger user`.execute(venue.db);
  await eventually(async () => expect(await tasks()).toMatchObject([{ kind: "disputeLate", group: "now" }]));
  await okan.act("decideDispute", { id }, RIGHT);
  await eventually(async () => expect(await tasks()).toEqual([]));
});

test("two tries at once are one question, and no player asks about the game of another one", async () => {
  const player = await played();
  const both = await Promise.all([ask(player), ask(player)]);
  const [one, other] = both.map((reply) => (reply.json() as DisputeAnswer).dispute?.id);
  expect(one).toBe(other);
  const stranger = await played();
  for (const path of ["disputes", "disputes/add", "disputes/read"]) {
    const fields = { disputes: { kind: "somethingElse" }, "disputes/add": { text: "hello" }, "disputes/read": {} }[
      path
    ];
    const reply = await post(`/v1/player/${path}`, { game: player.game, ...fields }, stranger.token);
    expect(reply.statusCode, path).toBe(404);
  }
  expect((await venue.get(`/v1/player/disputes/${player.game}`, stranger.token)).statusCode).toBe(404);
  for (const words of ["", " ", "a".repeat(1_001), "a\u0000b", 7])
    expect((await ask(stranger, { words })).statusCode, JSON.stringify(words)).toBe(400);
});

test("a game of long ago may be the subject while it is one of the last ten, and only so many questions are open", async () => {
  const player = await played(1 + DISPUTES_OPEN_MAX);
  const game = (n: number) => ({ ...player, game: `${n}.${player.machineId}` });
  const old = game(1);
  const age = (days: number) =>
    sql`update game set ended_at = now() - make_interval(days => ${days}) where machine_id = ${player.machineId} and game_number = 1`.execute(
      venue.db,
    );
  await age(91);
  expect((await own(old)).mayAsk).toBe(false);
  expect((await ask(old)).statusCode).toBe(409);
  await age(89);
  expect((await own(old)).mayAsk).toBe(true);
  for (let n = 2; n <= 1 + DISPUTES_OPEN_MAX; n += 1) expect((await ask(game(n))).statusCode, String(n)).toBe(200);
  expect((await own(old)).mayAsk).toBe(false);
  expect((await ask(old)).statusCode).toBe(409);
});

test("an unclaimed question is a task until somebody has it; of two people one has it", async () => {
  const player = await played();
  const id = await question(player);
  const tasks = async (who: Member) =>
    ((await who.get("tasks")).body["rows"] as { id: string }[]).filter(({ id: of }) => of === `dispute:dispute:${id}`);
  expect(await tasks(okan)).toMatchObject([{ kind: "dispute", player: { username: player.username }, mayAct: true }]);
  expect(await tasks(atilla)).toMatchObject([{ mayAct: false }]);
  expect(await tasks(selin)).toEqual([]);
  const both = await Promise.all([take(id, okan), take(id, nilay)]);
  expect(both.map(({ body }) => body["is"] ?? body["problem"]).toSorted()).toEqual(["act.refused", "done"]);
  expect(await tasks(okan)).toEqual([]);
  const { owner } = (await detail(id)) as { owner: { name: string } };
  const other = owner.name === "okan" ? nilay : okan;
  for (const [call, fields] of [
    ["askBackDispute", { text: "Which line?" }],
    ["decideDispute", RIGHT],
  ] as const)
    expect((await other.act(call, { id }, fields)).body).toMatchObject(problem("Take the question first."));
  expect((await other.act("noteDispute", { id }, { note: "the door was open" })).body).toMatchObject({ is: "done" });
  await sql`update dispute set owner = null where id = ${id}`.execute(venue.db);
});

test("staff asks back once, the player adds, and notes stay with staff", async () => {
  const player = await played();
  const id = await question(player);
  await take(id);
  await okan.act("noteDispute", { id }, { note: "only for us" });
  expect((await okan.act("askBackDispute", { id }, { text: "Which line was it?" })).body).toMatchObject({ is: "done" });
  expect((await okan.act("askBackDispute", { id }, { text: "And when?" })).body).toMatchObject(
    problem("The player got a question before: one is all."),
  );
  const news = async () => (await venue.get("/v1/validate", player.token)).json().dispute_news;
  expect(await news()).toBe(player.game);
  const { dispute } = await own(player);
  expect(dispute).toMatchObject({ state: "lookedAt", isNew: true, additionsLeft: DISPUTE_ADDITIONS_MAX });
  expect(dispute?.steps.map(({ kind, from }) => [kind, from])).toEqual([
    ["opened", null],
    ["taken", "okan"],
    ["question", "okan"],
  ]);
  await post("/v1/player/disputes/read", { game: player.game }, player.token);
  expect(await news()).toBeUndefined();
  const add = (text: string) => post("/v1/player/disputes/add", { game: player.game, text }, player.token);
  for (let n = 0; n < DISPUTE_ADDITIONS_MAX; n += 1) expect((await add(`line ${n}`)).statusCode).toBe(200);
  expect((await add("one more")).statusCode).toBe(409);
  expect(await detail(id)).toMatchObject({ steps: { length: 4 + DISPUTE_ADDITIONS_MAX } });
});

const ringsOf = async (id: string): Promise<unknown[]> => {
  const { rows } = await sql<{ type: string; data: unknown }>`select type, data from outbox_fact
    where subject = ${`dispute:${id}`}`.execute(venue.db);
  return rows;
};

test("a verdict is final and reaches the player with sentence and letter; each act and reading is in the audit log", async () => {
  const player = await played();
  const id = await question(player);
  await take(id);
  await detail(id);
  await detail(id);
  expect((await veli.get(`disputes/${id}`)).body).toMatchObject({ id });
  for (const wrong of [
    { ...RIGHT, amount: 100 },
    { ...OWES, amount: undefined },
  ])
    expect((await okan.act("decideDispute", { id }, wrong)).body).toHaveProperty("problem", "act.refused");
  expect((await okan.act("decideDispute", { id }, RIGHT)).body).toMatchObject({
    is: "done",
    result: { transfer: null },
  });
  expect(await ringsOf(id)).toEqual([{ type: "question.answered", data: { player: player.id } }]);
  expect((await own(player)).dispute).toMatchObject({
    ...{ state: "decided", isNew: true, additionsLeft: 0 },
    decision: { verdict: "paidRight", sentence: RIGHT.sentence, amount: null, transfer: null },
  });
  const added = await post("/v1/player/disputes/add", { game: player.game, text: "but" }, player.token);
  expect(added.statusCode).toBe(409);
  for (const [call, fields] of [
    ["decideDispute", { ...RIGHT, verdict: "unclear" }],
    ["noteDispute", { note: "late" }],
    ["takeDispute", { expected: okan.id }],
  ] as const)
    expect((await okan.act(call, { id }, fields)).body).toMatchObject(problem("The question is decided."));
  expect(await entriesOf(id)).toEqual([
    "opened player",
    "taken staff",
    "read staff",
    "read staff",
    "decided staff",
    "verdict staff",
  ]);
});

test("what the venue owes is paid once, by one transfer that names the question, and only with a second person", async () => {
  const player = await played();
  const id = await question(player);
  await take(id);
  const dry = await okan.act("decideDispute", { id }, { ...OWES, dryRun: true });
  expect(dry.body).toMatchObject({ is: "dryRun", needsApproval: true });
  const { body } = await okan.act("decideDispute", { id }, OWES);
  expect(body).toMatchObject({ is: "waiting" });
  const approval = String(body["approval"]);
  // Staff reads what waits with the question; the player does not, and it is written down nowhere else.
  expect(await detail(id, nilay)).toMatchObject({ steps: [{}, {}, { kind: "requested", sentence: OWES.sentence }] });
  expect((await own(player)).dispute?.steps.map(({ kind }) => kind)).toEqual(["opened", "taken"]);
  const sign = async (who: Member) => {
    const { hash } = (await who.get(`approvals/${approval}`)).body;
    return (await who.act("signApproval", { id: approval }, { hash })).body;
  };
  expect(await sign(okan)).toMatchObject({ problem: "approval.own" });
  expect((await own(player)).dispute?.state).toBe("lookedAt");
  const before = (await venue.get("/v1/player/balance", player.token)).json();
  expect(await sign(nilay)).toMatchObject({ is: "done" });
  const { dispute } = await own(player);
  expect(dispute?.decision).toMatchObject({ verdict: "houseOwes", amount: 38_400, transfer: `dispute:${id}` });
  const after = (await venue.get("/v1/player/balance", player.token)).json();
  expect(Number(after.balance) - Number(before.balance)).toBe(38_400);
  const transfer = await venue.ledger.findTransfer(`dispute:${id}`);
  expect(transfer).toMatchObject({
    ...{ kind: "suspense", from: "house", to: `player:${player.id}`, amountMinor: 38_400 },
    about: { dispute: id, disputedGame: player.game, machineId: player.machineId, actor: "staff:okan" },
  });
  const { rows: others } = await sql<{ text: string }>`select row_to_json(e)::text as text from audit.entries e
    union all select row_to_json(a)::text from approval a union all select row_to_json(l)::text from ledger.transfers l
    union all select row_to_json(s)::text from staff_act s`.execute(venue.db);
  expect(others.filter(({ text }) => text.includes(OWES.sentence) || text.includes(OWES.letter))).toEqual([]);
  // It is a correction in the player's year, no deposit, and the books prove it.
  expect((await venue.get("/v1/player/statement", player.token)).json()).toMatchObject({
    total: { corrections: 38_400, deposits: 10_000 },
  });
  const { checks } = await prove(venue.database.kysely, { is: "all" });
  expect(checks.filter(({ breaches }) => breaches.length > 0)).toEqual([]);
});

test("who adds words after the request makes the second person's signature void", async () => {
  const player = await played();
  const id = await question(player);
  await take(id);
  const { body } = await okan.act("decideDispute", { id }, OWES);
  await post("/v1/player/disputes/add", { game: player.game, text: "it was 484" }, player.token);
  const { hash } = (await nilay.get(`approvals/${String(body["approval"])}`)).body;
  expect((await nilay.act("signApproval", { id: String(body["approval"]) }, { hash })).body).toMatchObject({
    problem: "approval.changed",
  });
  expect((await own(player)).dispute?.decision).toBeNull();
});

test("the words of a question go with the personal data a year after the verdict; game, acts, times and verdict stay", async () => {
  const player = await played();
  const { username, game, token } = player;
  const id = await question(player);
  await take(id);
  await okan.act("noteDispute", { id }, { note: "cries at the bar" });
  await okan.act("decideDispute", { id }, RIGHT);
  const erase = () => longarmOf(venue)("identity", "erase", username, "--reason", "the law says so");
  const due = async () => (await longarmOf(venue)("identity", "due")).said;
  const ago = async (interval: string) => {
    await sql`alter table dispute disable trigger user`.execute(venue.db);
    await sql`alter table dispute_step disable trigger user`.execute(venue.db);
    await sql`update dispute set decided_at = now() - ${interval}::interval where id = ${id}`.execute(venue.db);
    await sql`update dispute_step set at = now() - ${interval}::interval where dispute_id = ${id}`.execute(venue.db);
    await sql`alter table dispute enable trigger user`.execute(venue.db);
    await sql`alter table dispute_step enable trigger user`.execute(venue.db);
  };
  await ago("364 days");
  expect(await erase(), "within a year it is needed").toMatchObject({ code: 3 });
  expect(JSON.stringify(await detail(id))).toContain("cries");
  await ago("5 years 1 day");
  expect(await due(), "who plays is not due").not.toContain(username);
  await sql`update player set last_logon = now() - interval '6 years' where id = ${player.id}`.execute(venue.db);
  expect(await due()).toContain(username);
  expect(await erase()).toMatchObject({ code: 0 });
  expect(await due()).not.toContain(username);
  const { steps, ...rest } = (await detail(id)) as { steps: { kind: string; text: null; erased: boolean }[] };
  expect(steps.map(({ kind, text, erased }) => [kind, text, erased])).toEqual([
    ["opened", null, true],
    ["taken", null, false],
    ["note", null, true],
    ["decided", null, true],
  ]);
  expect(rest).toMatchObject({ verdict: "paidRight", game: { id: game } });
  const { dispute } = (await venue.get(`/v1/player/disputes/${game}`, token)).json() as DisputeAnswer;
  expect(z.safeParse(disputeCalls.dispute.answer, await own(player)).error).toBeUndefined();
  expect(dispute?.decision).toEqual({ verdict: "paidRight", sentence: null, amount: null, transfer: null });
  expect((await longarmOf(venue)("disputes", "show", id)).said).toContain("(erased)");
  expect(await erase(), "nothing is left").toMatchObject({ code: 3 });
  expect((await longarmOf(venue)("audit", "verify")).code).toBe(0);
});

test("staff sees machine, ledger, events and audit log side by side; entries of the log only with their permission", async () => {
  const player = await played(2);
  const id = await question(player);
  const all = (await detail(id)) as Record<string, never> & { facts: Record<string, { isOfGame: boolean }[] | null> };
  expect(all).toMatchObject({
    player: { username: player.username },
    machine: { id: player.machineId },
    game: { id: player.game, stake: 100 },
    gameBefore: { number: 1 },
    gameAfter: null,
  });
  expect(all.facts["booked"]?.filter(({ isOfGame }) => isOfGame)).toMatchObject([{ kind: "game", amount: 100 }]);
  expect(all.facts["audit"]).not.toBeNull();
  expect((await detail(id, atilla)) as object).toMatchObject({ facts: { audit: null } });
  expect((await selin.get(`disputes/${id}`)).body).toMatchObject({ problem: "permission.missing" });
  expect((await okan.get("disputes/dq_none")).body).toMatchObject({ problem: "thing.unknown" });
});

test("the list has open ones by the time that they are due, page after page", async () => {
  const open = (await okan.get("disputes?limit=2")).body as { rows: { id: string; dueAt: string }[]; next: string };
  expect(open.rows).toHaveLength(2);
  const next = (await okan.get(`disputes?limit=2&after=${open.next}`)).body as typeof open;
  const due = [...open.rows, ...next.rows].map(({ dueAt }) => dueAt);
  expect(due).toEqual(due.toSorted());
  expect(new Set([...open.rows, ...next.rows].map(({ id }) => id)).size).toBe(4);
  const decided = (await okan.get("disputes?state=decided")).body as { rows: { verdict: string }[] };
  expect(new Set(decided.rows.map(({ verdict }) => verdict))).toEqual(new Set(["houseOwes", "paidRight"]));
});

test("the command line lists and shows questions, and acts only as a person", async () => {
  const player = await played();
  const id = await question(player);
  const longarm = longarmOf(venue);
  expect((await longarm("disputes", "list")).said).toContain(player.username);
  expect((await longarm("disputes", "show", id)).said).toContain("It showed 384");
  expect(await longarm("disputes", "decide", id, "paidRight", "--sentence", "so", "--letter", "so")).toMatchObject({
    code: 3,
  });
});
