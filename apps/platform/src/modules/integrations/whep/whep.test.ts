import { CANDIDATES_MAX, FRAGMENT_BYTES_MAX, FRAGMENT_TYPE, SDP_TYPE, WhepProblem } from "@longarm/contract/whep";
import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inProcessBus } from "../../../bus/index.ts";
import { systemClock } from "../../../clock.ts";
import { platformMigrations } from "../../../migration-sets.ts";
import { bugsIn } from "../../../testing/attack/answers.ts";
import type { FakeAgent } from "../../../testing/fake-agent.ts";
import { longarmOf } from "../../../testing/longarm.ts";
import type { PlayVenue } from "../../../testing/play-venue.ts";
import { eventually, playVenue } from "../../../testing/play-venue.ts";
import { fragmentOf, readFragment } from "./fragment.ts";

/* Somebody outside watches over WHEP, on two nodes: each step of a watch, and a caller that means harm. */

let one: PlayVenue;
let two: PlayVenue;
beforeAll(async () => {
  const sharedBus = inProcessBus({ clock: systemClock, onError: () => {} });
  const env = { CALLS_PER_MINUTE_ADDRESS: "100000", SPECTATORS_MAX: "3", ALLOWED_ORIGINS: "https://own.example" };
  const turn = { TURN_URLS: "turn:turn.example:3478?transport=tcp", TURN_SECRET: "s".repeat(32) };
  one = await playVenue({ sharedBus, env: { ...env, ...turn, NODE_ID: "one" } });
  const crowd = { CROWD_WHEP: "https://media.example/{machine}/whep" };
  two = await playVenue({ sharedBus, env: { ...env, ...crowd, NODE_ID: "two" }, database: one.database });
});
afterAll(async () => {
  await two.end(true);
  await one.end();
});

const longarm = (...args: string[]) => longarmOf(one)(...args);
async function keyOf(name: string, machines = "all", watches = 2): Promise<string> {
  const { code, said } = await longarm(
    ...["watch-keys", "add", name, "--machines", machines, "--until", "2h", "--watches", String(watches), "--json"],
  );
  expect(code).toBe(0);
  return (JSON.parse(said) as { token: string }).token;
}

const PWD = "abcdefghijklmnopqrstuv";
const offerOf = (ufrag = "frag1") =>
  ["v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0", "m=video 9 UDP/TLS/RTP/SAVPF 102", "a=mid:0"]
    .concat([`a=ice-ufrag:${ufrag}`, `a=ice-pwd:${PWD}`, "a=rtpmap:102 H264/90000", "a=recvonly", ""])
    .join("\r\n");
const fragment = (ufrag: string, candidates = 1) =>
  [`a=ice-ufrag:${ufrag}`, `a=ice-pwd:${PWD}`, "m=video 9 UDP/TLS/RTP/SAVPF 0", "a=mid:0"]
    .concat(Array.from({ length: candidates }, (_, at) => `a=candidate:${at} 1 udp 1 192.0.2.1 ${4_000 + at} typ host`))
    .join("\r\n");

type Sent = {
  readonly token?: string | undefined;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly at?: PlayVenue;
};
const send = (method: "POST" | "PATCH" | "DELETE" | "OPTIONS" | "GET" | "PUT", url: string, sent: Sent = {}) => {
  const { token, body, headers = {}, at = one } = sent;
  const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return at.app.inject({ method, url, headers: { host: "127.0.0.1", ...bearer, ...headers }, ...(body && { body }) });
};
const post = (machine: string, token?: string, more: Sent = {}) =>
  send("POST", `/whep/${machine}`, {
    token,
    body: offerOf(),
    ...more,
    headers: { "content-type": SDP_TYPE, ...more.headers },
  });
const patch = (url: string, token: string, tag: string | undefined, body: string, more: Sent = {}) => {
  const headers = { "content-type": FRAGMENT_TYPE, ...(tag !== undefined && { "if-match": tag }), ...more.headers };
  return send("PATCH", url, { token, body, ...more, headers });
};
const remove = (url: string, token: string, at = one) => send("DELETE", url, { token, at });

type Reply = Awaited<ReturnType<typeof send>>;
/** The name of a refusal, whose form is right. */
async function problem(sent: Promise<Reply>): Promise<string> {
  const reply = await sent;
  expect(reply.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
  expect(reply.headers["access-control-allow-origin"]).toBe("*");
  const { type, status } = WhepProblem.parse(reply.json());
  expect(status).toBe(reply.statusCode);
  return type.replace("urn:longarm:problem:", `${status} `);
}
async function begun(sent: Promise<Reply>): Promise<{ url: string; tag: string; viewerId: string }> {
  const { statusCode, headers, body } = await sent;
  expect({ statusCode, body }).toMatchObject({ statusCode: 201 });
  const url = String(headers["location"]);
  return { url, tag: String(headers["etag"]), viewerId: url.split("/").at(-1) ?? "" };
}
const viewers = (agent: FakeAgent, machineId: string, viewerId: string, state: "connected" | "closed") =>
  agent.peer.notify("viewers", { machineId, viewerId, state, count: 1 });
/** Viewers that the agent was to close. */
const closes = ({ asked }: FakeAgent) => asked.filter((method) => method === "rtc.close").length;
const places = async () => (await sql`select * from watcher`.execute(one.database.kysely)).rows.length;
const rows = async () => (await sql`select * from watch`.execute(one.database.kysely)).rows.length;

test("a watch begins, gets candidates, restarts and ends, over whichever node; the place is free again", async () => {
  const { agent } = await one.machine("wh-01");
  const token = await keyOf("walk", "wh-01,wh-02");
  const created = await post("wh-01", token);
  const { url, tag, viewerId } = await begun(Promise.resolve(created));
  expect(created.body).toBe(`answer to ${offerOf()}`);
  expect(created.headers).toMatchObject({ "content-type": SDP_TYPE, "cache-control": "no-store" });
  expect(created.headers["accept-patch"]).toBe(FRAGMENT_TYPE);
  expect(created.headers["link"]).toMatch(
    /^<turn:turn\.example:3478\?transport=tcp>; rel="ice-server"; username="\d+:[0-9a-f]{24}"; credential="[^"]+"; credential-type="password"$/,
  );
  expect(agent.offers).toMatchObject([{ machineId: "wh-01", viewerId, role: "spectator", complete: true }]);
  expect(agent.offers[0]).not.toHaveProperty("epoch");
  expect(await places()).toBe(1);

  expect((await patch(url, token, tag, fragment("frag1", 2), { at: two })).statusCode).toBe(204);
  await eventually(() =>
    expect(agent.candidates).toMatchObject([
      { viewerId, sdpMid: "0", candidate: "candidate:0 1 udp 1 192.0.2.1 4000 typ host" },
      { viewerId, sdpMid: "0", candidate: "candidate:1 1 udp 1 192.0.2.1 4001 typ host" },
    ]),
  );

  await sql`update watch set restarted_at = now() - interval '1 minute'`.execute(one.database.kysely);
  const restarted = await patch(url, token, "*", fragment("frag2"), { at: two });
  expect(restarted.statusCode).toBe(200);
  expect(restarted.headers["content-type"]).toBe(FRAGMENT_TYPE);
  expect(restarted.body).toContain("a=ice-ufrag:frag2");
  const offered = agent.offers.at(-1) as { sdp: string; viewerId: string };
  expect(offered.viewerId).toBe(viewerId);
  expect(offered.sdp).toContain("a=mid:0\r\na=candidate:0 1 udp 1 192.0.2.1 4000 typ host\r\na=ice-ufrag:frag2");
  const newTag = String(restarted.headers["etag"]);
  expect(newTag).not.toBe(tag);
  expect(await problem(patch(url, token, tag, fragment("frag1")))).toBe("412 tag.other");
  expect((await patch(url, token, `"other", ${newTag}`, fragment("frag2"))).statusCode).toBe(204);
  expect(await problem(patch(url, token, "*", fragment("frag3")))).toBe("429 request.tooMany");

  expect((await remove(url, token, two)).statusCode).toBe(200);
  await eventually(() => expect(closes(agent)).toBe(1));
  expect(await problem(patch(url, token, newTag, fragment("frag2")))).toBe("404 watch.unknown");
  expect(await problem(remove(url, token))).toBe("404 watch.unknown");
  await eventually(async () => expect(await places()).toBe(0));
  const { rows: noted } = await sql`select actor, subject from audit.entries where type = 'watch.began'`.execute(
    one.database.kysely,
  );
  expect(noted).toEqual([{ actor: "watch-key:walk", subject: "machine:wh-01" }]);
});

describe("a watch ends by itself", () => {
  test("when the agent says so, and when its key ends", async () => {
    const { agent } = await one.machine("wh-11");
    const token = await keyOf("ends", "wh-11", 3);
    const first = await begun(post("wh-11", token));
    const second = await begun(post("wh-11", token));
    viewers(agent, "wh-11", first.viewerId, "closed");
    await eventually(async () => expect(await rows()).toBe(1));
    expect(await problem(remove(first.url, token))).toBe("404 watch.unknown");
    expect((await longarm("watch-keys", "end", "ends", "--yes")).code).toBe(0);
    await eventually(async () => expect([await rows(), await places()]).toEqual([0, 0]));
    await eventually(() => expect(closes(agent)).toBe(2));
    expect(await problem(remove(second.url, token))).toBe("401 key.wrong");
    expect(await problem(post("wh-11", token))).toBe("401 key.wrong");
  });

  test("when its node ended, and a viewer without a row is closed", async () => {
    const { agent } = await one.machine("wh-12");
    const token = await keyOf("left", "wh-12");
    await sql`insert into watch (id, key_id, machine_id, node_id, tag, offer, candidates_left)
      select 'wv_of_a_node_that_is_gone', id, 'wh-12', 'gone', 't', 'v=0', 1 from watch_key where name = 'left'`.execute(
      one.database.kysely,
    );
    await eventually(async () => expect(await rows()).toBe(0));
    await eventually(() => expect(closes(agent)).toBe(1));
    viewers(agent, "wh-12", "wv_without_a_row", "connected");
    viewers(agent, "wh-12", "v_of_a_player", "connected");
    // By either node, or both.
    await eventually(() => expect(closes(agent)).toBeGreaterThan(1));
    const { viewerId } = await begun(post("wh-12", token));
    await agent.kill();
    const again = await one.machine("wh-12");
    // It reports no such viewer within ten seconds.
    await eventually(async () => expect(await rows()).toBe(0));
    await eventually(() => expect(closes(again.agent)).toBe(1));
    expect(viewerId).toMatch(/^wv_/);
  });
});

test("places are limited for each machine and each key, and a wrong offer takes none", async () => {
  await one.machine("wh-21");
  await one.machine("wh-22");
  const [token, other] = [await keyOf("limited"), await keyOf("other", "all", 100)];
  expect(await problem(post("wh-21", token, { body: `${offerOf()}a=hostile\r\n` }))).toBe("400 offer.malformed");
  expect(await places()).toBe(0);
  const first = await begun(post("wh-21", token));
  await begun(post("wh-22", token));
  expect(await problem(post("wh-21", token))).toBe("429 key.places");
  for (const _ of [1, 2]) await begun(post("wh-21", other));
  const full = post("wh-21", other);
  expect(await problem(full)).toBe("503 places.taken");
  expect((await full).headers["retry-after"]).toBe("10");
  // Where a media server serves the crowd, only watchers with a valid key are sent there.
  const sentOn = await post("wh-21", other, { at: two });
  expect([sentOn.statusCode, sentOn.headers["location"]]).toEqual([307, "https://media.example/wh-21/whep"]);
  expect(await places()).toBe(4);
  expect(await problem(post("wh-21", "wrong", { at: two }))).toBe("401 key.wrong");
  expect(await problem(post("wh-20", other, { at: two }))).toBe("404 machine.unknown");
  // Another key neither sees nor ends the watch.
  expect(await problem(remove(first.url, other))).toBe("404 watch.unknown");
  expect(await problem(patch(first.url, other, "*", fragment("frag1")))).toBe("404 watch.unknown");
  expect(await problem(remove(first.url.replace("wh-21", "wh-22"), token))).toBe("404 watch.unknown");
  const flood = await Promise.all(Array.from({ length: 40 }, () => post("wh-21", other)));
  expect(flood.map(({ statusCode }) => statusCode)).toContain(429);
  for (const name of ["limited", "other"]) await longarm("watch-keys", "end", name, "--yes");
  await eventually(async () => expect([await rows(), await places()]).toEqual([0, 0]));
});

test("only machines of the key, that may be watched and can be reached", async () => {
  await one.machine("wh-31");
  const { agent } = await one.machine("wh-32");
  const token = await keyOf("few", "wh-31,wh-32,wh-none");
  for (const machine of ["wh-01", "wh-none", "%00", "..%2f..%2fwh-31", "x".repeat(150), "' or 1=1 --"])
    expect(await problem(post(encodeURI(machine), token))).toBe("404 machine.unknown");
  await sql`update machine set watchable = false where id = 'wh-31'`.execute(one.database.kysely);
  expect(await problem(post("wh-31", token))).toBe("404 machine.unknown");
  await agent.kill();
  await eventually(async () => expect(await problem(post("wh-32", token))).toBe("503 machine.unreachable"));
});

describe("a hostile caller", () => {
  let token: string;
  let url: string;
  let tag: string;
  beforeAll(async () => {
    await one.machine("wh-41");
    token = await keyOf("hostile", "wh-41", 1);
    ({ url, tag } = await begun(post("wh-41", token)));
  });

  test.each<[string, () => Promise<Reply>, string]>([
    ["no token", () => post("wh-41"), "401 key.wrong"],
    ["a wrong token", () => post("wh-41", "A".repeat(43)), "401 key.wrong"],
    ["a huge token", () => post("wh-41", "A".repeat(9_000)), "401 key.wrong"],
    ["a token in the address", () => post(`wh-41?access_token=${token}`), "401 key.wrong"],
    ["no body", () => post("wh-41", token, { body: "" }), "400 offer.malformed"],
    ["no SDP", () => post("wh-41", token, { body: "hello" }), "400 offer.malformed"],
    ["a huge offer", () => post("wh-41", token, { body: offerOf() + "a=x\r\n".repeat(9_000) }), "413 body.tooLarge"],
    [
      "an offer with other letters",
      () => post("wh-41", token, { body: `${offerOf()}a=\u0007\r\n` }),
      "400 offer.malformed",
    ],
    [
      "an offer of other codecs",
      () => post("wh-41", token, { body: offerOf().replace("H264", "AV1") }),
      "406 offer.codec",
    ],
    ["JSON", () => post("wh-41", token, { headers: { "content-type": "application/json" } }), "415 type.wrong"],
    [
      "a fragment to begin with",
      () => post("wh-41", token, { headers: { "content-type": FRAGMENT_TYPE } }),
      "415 type.wrong",
    ],
    ["no type", () => post("wh-41", token, { headers: { "content-type": "" } }), "415 type.wrong"],
    [
      "an offer as a patch",
      () => patch(url, token, tag, offerOf(), { headers: { "content-type": SDP_TYPE } }),
      "415 type.wrong",
    ],
    ["no tag", () => patch(url, token, undefined, fragment("frag1")), "428 tag.missing"],
    ["another tag", () => patch(url, token, '"other"', fragment("frag1")), "412 tag.other"],
    ["a weak tag", () => patch(url, token, `W/${tag}`, fragment("frag1")), "412 tag.other"],
    ["a tag without quotes", () => patch(url, token, tag.replaceAll('"', ""), fragment("frag1")), "412 tag.other"],
    ["an empty fragment", () => patch(url, token, tag, ""), "400 fragment.malformed"],
    ["a huge fragment", () => patch(url, token, tag, "a=x\r\n".repeat(FRAGMENT_BYTES_MAX)), "413 body.tooLarge"],
    ["many candidates", () => patch(url, token, tag, fragment("frag1", CANDIDATES_MAX + 1)), "400 fragment.malformed"],
    [
      "credentials of two sessions",
      () => patch(url, token, tag, `${fragment("frag1")}\r\na=ice-ufrag:frag2`),
      "400 fragment.malformed",
    ],
    ["half of credentials", () => patch(url, token, "*", "a=ice-ufrag:frag9"), "400 fragment.malformed"],
    ["a line within a value", () => patch(url, token, "*", fragment("fr\tag")), "400 fragment.malformed"],
    ["a GET", () => send("GET", url, { token }), "405 method.unknown"],
    ["a PUT of an offer", () => send("PUT", "/whep/wh-41", { token }), "405 method.unknown"],
    ["a POST to a watch", () => send("POST", url, { token }), "405 method.unknown"],
  ])("with %s is refused", async (_, sent, refused) => {
    expect(await problem(sent())).toBe(refused);
    expect(await rows()).toBe(1);
    expect(bugsIn([...one.lines, ...two.lines])).toEqual([]);
  });

  test("brings no more candidates than an offer may", async () => {
    const sent = [];
    for (let at = 0; at < 4; at += 1) sent.push((await patch(url, token, tag, fragment("frag1", 10))).statusCode);
    expect(sent).toEqual([204, 204, 204, 429]);
  });
});

test("a page of any origin may call, and learns what an address takes; the operator's own origins too", async () => {
  for (const origin of ["https://any.example", "https://own.example"]) {
    const headers = { origin, "access-control-request-method": "POST" };
    const preflight = await send("OPTIONS", "/whep/wh-01", { headers });
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "OPTIONS, POST",
      "access-control-allow-headers": "authorization, content-type, if-match",
      "accept-post": SDP_TYPE,
    });
    expect(preflight.headers).not.toHaveProperty("access-control-allow-credentials");
    const watch = await send("OPTIONS", "/whep/wh-01/wv_x", { headers });
    expect(watch.headers).toMatchObject({ allow: "OPTIONS, PATCH, DELETE", "accept-patch": FRAGMENT_TYPE });
  }
});

test("keys are made once by a name, listed without their token, and bounded", async () => {
  const token = await keyOf("listed", "wh-01", 3);
  const again = ["watch-keys", "add", "listed", "--machines", "all", "--until", "1d"];
  expect((await longarm(...again)).complained).toContain("already");
  expect((await longarm("watch-keys", "add", "long", "--machines", "all", "--until", "401d")).complained).toContain(
    "400",
  );
  const { said } = await longarm("watch-keys", "list");
  expect(said).toMatch(/listed {2}wh-01 {2}0 of 3 places/);
  expect(said).not.toContain(token);
  await longarm("watch-keys", "end", "listed", "--yes");
  expect((await longarm("watch-keys", "end", "listed", "--yes")).code).not.toBe(0);
  expect((await longarm(...again)).code).toBe(0);
});

test("the fragment of an answer has the credentials once and each candidate once", () => {
  const candidate = "a=candidate:1 1 udp 1 192.0.2.7 9 typ host";
  const section = ["m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=mid:0", "a=ice-ufrag:abcd", `a=ice-pwd:${PWD}`, candidate];
  const answer = ["v=0", "a=group:BUNDLE 0 1", ...section, ...section.with(1, "a=mid:1"), ""].join("\r\n");
  const text = fragmentOf(answer);
  expect(text).toBe(`a=group:BUNDLE 0 1\r\n${section.join("\r\n")}\r\na=end-of-candidates\r\n`);
  expect(readFragment(text)).toEqual({
    credentials: { ufrag: "abcd", pwd: PWD },
    candidates: [{ candidate: candidate.slice(2), sdpMid: "0" }],
  });
});

test("the migrations of the module run over rows of the one before", async () => {
  const database = await testDatabase<unknown>({ migrations: [] });
  const own = platformMigrations.find(({ name }) => name === "integrations");
  if (!own) throw new Error("the integrations have no migrations");
  await migrate({
    pool: database.pool,
    sets: platformMigrations.slice(0, platformMigrations.indexOf(own)),
    log: silentLog,
  });
  expect(await rehearseMigrations(database.pool, own)).toEqual(["0001-integrations", "0002-watching"]);
  await database.drop();
});
