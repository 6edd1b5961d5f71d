import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { calls } from "@longarm/contract/http";
import Fastify from "fastify";
import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { systemClock } from "./clock.ts";
import { readConfig } from "./config.ts";
import { createLog, listenToAlarms } from "./log.ts";
import { newestEntries, openAudit, recordStart, recordStop, verifyChain } from "./modules/records/audit/index.ts";
import { serveSettings } from "./plugins/settings-file.ts";
import { eventually, sharePlayVenue } from "./testing/play-venue.ts";
import { PASSWORD } from "./testing/test-venue.ts";

/* One venue, and everything that has to be told of it: the specification's nine log types (R-8-25) and GLI-19 2.8.8. */

const env = { LOGIN_ATTEMPTS: "3", LOGINS_PER_MINUTE_ADDRESS: "12", LARGE_WIN: "500", LARGE_WAGER: "100" };
const venue = sharePlayVenue({ env: { ...env, BLOCKED_ADDRESSES: "203.0.113.66", TRUSTED_PROXY_HOPS: "1" } });

type Told = Awaited<ReturnType<typeof newestEntries>>[number];

async function told(type: string): Promise<Told[]> {
  return await newestEntries(venue.db, { types: [type] }, 100);
}
const entriesOf = async (type: string) =>
  (await told(type)).map(({ actor, subject, address }) => [actor, subject, address].join(" ").trim());
const post = async (
  path: keyof typeof calls | "login" | "logout",
  payload?: object,
  token?: string,
  from = "203.0.113.1",
) =>
  await venue.app.inject({
    method: "POST",
    url: path === "login" ? "/v1/login" : `/v1/player/${path}`,
    headers: { "x-forwarded-for": from, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(payload && { payload }),
  });
const signIn = (username: string, password: string, from?: string) =>
  post("login", { username, password, site_id: 2011 }, undefined, from);

test("R-8-25: a sign-in that fails, one that is blocked, one that is not allowed, and one that succeeds, each with its address", async () => {
  const id = await venue.addPlayer("ada.known");
  for (const name of ["ada.known", "nobody.here"])
    for (let tries = 0; tries < 4; tries += 1) await signIn(name, "a wrong password", "203.0.113.5");
  const hash = createHash("sha256").update("nobody.here").digest("hex").slice(0, 24);
  const known = `visitor player:${id} 203.0.113.5`;
  const unknown = `visitor name:${hash} 203.0.113.5`;
  // attack 10: what repeats is counted in a row, and is one entry until it is over.
  expect(await entriesOf("loginFail")).toEqual([known, unknown]);
  const { rows } = await sql`select times::int, problem from sign_in_burst order by first_at`.execute(venue.db);
  const burst = (times: number, problem: string) => ({ times, problem });
  expect(rows).toEqual(
    ["known", "unknown"].flatMap(() => [burst(3, "auth.wrong_counted"), burst(1, "auth.protected")]),
  );
  expect(await entriesOf("temporaryBlocked")).toEqual([known, unknown]);
  await signIn("ada.known", PASSWORD, "203.0.113.66");
  expect(await entriesOf("notAllowed")).toEqual([`visitor player:${id} 203.0.113.66`]);
  expect((await signIn("ada.known", PASSWORD, "203.0.113.7")).statusCode).toBe(200);
  expect(await entriesOf("success")).toEqual([`player:${id} player:${id} 203.0.113.7`]);
});

test("attack 10: the running platform writes the end of a burst, also of one that a killed process left", async () => {
  const left = {
    problem: "auth.wrong_counted",
    subject: "name:left",
    network: "203.0.113.77",
    address: "203.0.113.77",
  };
  await sql`insert into sign_in_burst (problem, subject, network, address, times, first_at, last_at)
    values (${left.problem}, ${left.subject}, ${left.network}, ${left.address}, 866, now() - interval '1 hour', now() - interval '2 minutes')`.execute(
    venue.db,
  );
  await eventually(async () => {
    const [end] = await newestEntries(venue.db, { subject: left.subject }, 1);
    expect(JSON.parse(end?.facts ?? "{}")).toMatchObject({ problem: left.problem, times: 866, over: true });
  });
});

test("R-8-25: the gate's answers, signing out, a new password and a kick are told", async () => {
  for (const from of ["203.0.113.8", "203.0.113.8", "203.0.113.66"])
    await venue.app.inject({ url: "/check", headers: { "x-forwarded-for": from } });
  await eventually(async () => expect(await entriesOf("checkSuccess")).toEqual(["visitor  203.0.113.8"]));
  await eventually(async () => expect(await entriesOf("checkFail")).toEqual(["visitor  203.0.113.66"]));
  await venue.machine("kale-01");
  const player = await venue.player("berk.kicks", 1_000);
  await (await venue.page(player.token, "kale-01")).init();
  expect((await post("kick", { machineId: "kale-01" }, player.token)).statusCode).toBe(200);
  expect(await entriesOf("kickedByPlayer")).toEqual([`player:${player.id} machine:kale-01`]);
  await post("password", { old_password: "wrong one", new_password: "another long one 1" }, player.token);
  await post("password", { old_password: PASSWORD, new_password: "another long one 1" }, player.token);
  expect(await entriesOf("changedPassword")).toEqual([`player:${player.id} player:${player.id}`]);
  expect(await entriesOf("signIn.wrongPassword")).toHaveLength(1);
  await post("logout", undefined, player.token);
  expect(await entriesOf("logoutSuccess")).toEqual([
    expect.stringContaining(`player:${player.id} player:${player.id}`),
  ]);
});

test("the idle lock, wrong PINs, a token that is not good and a limit that is hit are told", async () => {
  const id = await venue.addPlayer("cem.locks", { pin: "4711" });
  const token = await venue.signIn("cem.locks");
  await post("lock", undefined, token);
  await post("unlock", { pin: "0000" }, token);
  await post("unlock", { pin: "4711" }, token);
  const types = ["signIn.locked", "signIn.wrongPin", "signIn.unlocked"];
  const own = await newestEntries(venue.db, { types, subject: `player:${id}` }, 10);
  expect(own.map(({ type }) => type)).toEqual(types);
  await venue.get("/v1/player/balance", "no.good.token");
  await eventually(async () => expect(await told("signIn.mismatch")).toHaveLength(1));
  for (let tries = 0; tries < 14; tries += 1) await signIn("x", "y", "203.0.113.12");
  await eventually(async () => expect(await entriesOf("limit.hit")).toEqual(["visitor  203.0.113.12"]));
});

test("an agent's link, its loss, large wins and wagers, a hand pay and an alarm are told", async () => {
  const { machine, agent } = await venue.machine("kale-02");
  const player = await venue.player("derya.wins", 10_000);
  const page = await venue.page(player.token, "kale-02");
  await page.init();
  await page.peer.request("cashIn", { id: "kale-02-in", amount: 3_000 });
  machine.play(50);
  machine.play(600);
  machine.happen("handPayPending", { handPay: { id: "hp-1", amount: 70_000, kind: "win" } });
  await agent.pump();
  const [large, ...more] = await told("money.largeWin");
  expect([large?.subject, JSON.parse(large?.facts ?? "{}"), more]).toMatchObject([
    "machine:kale-02",
    { win: 600, player: player.id },
    [],
  ]);
  expect(await told("money.largeWager")).toHaveLength(2);
  expect(await entriesOf("handPay.pending")).toEqual(["machine:kale-02 machine:kale-02"]);
  expect(await entriesOf("agent.linked")).toContainEqual(expect.stringMatching(/^agent:\S+ agent:\S+$/));
  venue.app.log.error({ alarm: "seat", machineId: "kale-02" }, "a seat needs staff");
  await eventually(async () => expect(await entriesOf("alarm.raised")).toContain("node:main kale-02"));
  const before = (await told("agent.away")).length;
  await agent.kill();
  await eventually(async () => expect(await told("agent.away")).toHaveLength(before + 1));
});

test("money that no game moved is told with what it was and what it is", async () => {
  const player = await venue.player("ekin.pays", 2_000);
  await venue.ledger.correct({
    id: "cor-1",
    transferId: "deposit-ekin.pays",
    amountMinor: 500,
    actor: "staff:eva",
    reason: "typed twice",
  });
  const [told1] = await newestEntries(venue.db, { types: ["money.corrected"] }, 1);
  const account = `player:${player.id}`;
  expect([told1?.actor, JSON.parse(told1?.before ?? ""), JSON.parse(told1?.after ?? "")]).toEqual([
    "staff:eva",
    { cage: expect.any(Number), [account]: 2_000 },
    { cage: expect.any(Number), [account]: 1_500 },
  ]);
});

test("alarms are heard wherever the log is told of one, with the child's name or without", () => {
  const heard: string[] = [];
  const log = createLog(readConfig({ LOG_LEVEL: "error" }), { write: () => {} });
  const stop = listenToAlarms(log, ({ alarm, sentence }) => heard.push(`${alarm}: ${sentence}`));
  log.error({ alarm: "transfer" }, "one");
  log.child({ machineId: "nar-01" }).error({ alarm: "seat" }, "two");
  log.error({ error: "x" }, "no alarm");
  stop();
  log.error({ alarm: "transfer" }, "three");
  expect(heard).toEqual(["transfer: one", "seat: two"]);
});

test("a change of Settings.json is told with the keys that changed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "longarm-settings-"));
  const file = join(folder, "Settings.json");
  const changes: unknown[] = [];
  const app = Fastify();
  const parts = { file, clock: systemClock, log: createLog(readConfig({ LOG_LEVEL: "silent" }), { write: () => {} }) };
  const settings = await serveSettings(app, { ...parts, changed: (before, after) => changes.push(before, after) });
  expect(changes).toEqual([]);
  await writeFile(file, JSON.stringify({ own: 7 }));
  await settings.look();
  expect(changes).toMatchObject([expect.not.objectContaining({ own: 7 }), { own: 7 }]);
  settings.close();
  await app.close();
  await rm(folder, { recursive: true });
});

test("a node tells its start, its end, an end without a word, and parameters that are others; nothing of it is secret", async () => {
  const { db } = venue;
  const life = { db, audit: openAudit(db, "node-9"), node: "node-9" };
  const turn = { urls: ["turn:relay:3478"], secret: "canary-turn-secret" };
  await recordStart(life, "1.0.0", { idleMs: 60_000, turn, databaseUrl: "postgres://longarm:canary@db/longarm" });
  await recordStop(life);
  await recordStart(life, "1.0.0", { idleMs: 99_000, turn: { urls: [], secret: null }, databaseUrl: null });
  await recordStart(life, "1.1.0", { databaseUrl: null, idleMs: 99_000, turn: { secret: null, urls: [] } });
  const entries = await newestEntries(db, { subject: "node:node-9" }, 100);
  const types = ["node.started", "node.stopped", "parameters.changed", "node.started", "node.died", "node.started"];
  expect(entries.map(({ type }) => type)).toEqual(types);
  const { before, after } = entries[2] ?? {};
  expect([before, after].map((text) => JSON.parse(text ?? ""))).toMatchObject([
    { idleMs: 60_000 },
    { idleMs: 99_000, databaseUrl: null },
  ]);
  expect(JSON.stringify(entries)).not.toContain("canary");
});

test("the venue itself has told its start, with all its parameters and the settings that hold", async () => {
  const [start] = await newestEntries(venue.db, { subject: "node:main" }, 1);
  const { parameters } = JSON.parse(start?.facts ?? "");
  expect([start?.type, parameters]).toMatchObject([
    "node.started",
    { play: { LARGE_WIN: 500 }, settings: expect.any(Object) },
  ]);
});

test("the bus between the nodes is told when it is lost and when it is back", async () => {
  const bus = vi.spyOn(venue.bus, "state").mockReturnValue("away");
  await eventually(async () => expect(await entriesOf("bus.away")).toEqual(["node:main bus"]));
  bus.mockRestore();
  await eventually(async () => expect(await entriesOf("bus.back")).toEqual(["node:main bus"]));
});

test("all of it is linked, and whole", async () => {
  await eventually(async () => expect(await verifyChain(venue.db)).toMatchObject({ waiting: 0, breaches: [] }));
});
