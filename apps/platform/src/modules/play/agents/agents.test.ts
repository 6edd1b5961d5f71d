import { sql } from "kysely";
import { expect, test } from "vitest";
import { systemRandom } from "../../../random.ts";
import { fakeAgent } from "../../../testing/fake-agent.ts";
import { FakeMachine } from "../../../testing/fake-machine.ts";
import { openSocket } from "../../../testing/open-socket.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { enrolAgent, rotateAgentKey } from "./index.ts";
import { isWebp } from "./stills.ts";

const venue = sharePlayVenue();

/** A second key of an agent whose link goes on. */
async function anotherKey(name: string): Promise<string> {
  const made = await rotateAgentKey(venue.db, systemRandom, { name, old: { is: "act" } });
  if (made.is === "refused") throw new Error(made.sentence);
  return made.key;
}

const webp = (size = 64): Buffer => {
  const bytes = Buffer.alloc(size);
  bytes.write("RIFF", 0, "latin1");
  bytes.writeUInt32LE(size - 8, 4);
  bytes.write("WEBPVP8 ", 8, "latin1");
  return bytes;
};

test("a wrong key, no key and an old key are answered 401; a page may not open the agents' socket", async () => {
  const { key } = await enrolAgent(venue.db, systemRandom, "renewed");
  const { key: newKey } = await enrolAgent(venue.db, systemRandom, "renewed");
  const open = (headers: Record<string, string>) => openSocket(`${venue.url}/agent`, { headers });
  expect(await open({}).refused).toBe(401);
  expect(await open({ authorization: "Bearer lak_wrong" }).refused).toBe(401);
  expect(await open({ authorization: `Bearer ${key}` }).refused).toBe(401);
  expect(await open({ authorization: `Bearer ${newKey}`, origin: "https://evil.example" }).refused).toBe(403);
  const good = open({ authorization: `Bearer ${newKey}` });
  await good.opened;
  good.socket.terminate();
});

test("hello with a wrong clock is refused with a sentence, and can be said again", async () => {
  const { key } = await enrolAgent(venue.db, systemRandom, "wrong clock");
  let offMs = -5_000;
  const agent = await fakeAgent({
    url: venue.url,
    key,
    machines: [new FakeMachine("mercan-01")],
    clock: () => Date.now() + offMs,
  });
  expect(await agent.hello()).toMatchObject({
    is: "refused",
    refusal: { reason: expect.stringMatching(/behind the platform's.*NTP/) },
  });
  offMs = 0;
  expect(await agent.hello()).toMatchObject({ is: "done", data: { taken: { "mercan-01": 0 } } });
  await agent.kill();
});

test("a machine that a live link holds is refused with a sentence; a dead link loses it", async () => {
  const { machine, agent: first } = await venue.machine("mercan-02");
  const second = await venue.agent([new FakeMachine("mercan-02")], "rival");
  expect(await second.hello()).toMatchObject({
    is: "refused",
    refusal: { reason: expect.stringMatching(/mercan-02 is held by another live link/) },
  });
  await first.kill();
  await eventually(async () => expect(await second.hello()).toMatchObject({ is: "done" }));
  expect(machine.id).toBe("mercan-02");
});

test("two agents that claim one machine at the same moment: one gets it, the other a sentence", async () => {
  for (let round = 0; round < 5; round += 1) {
    const id = `mercan-2${round}`;
    const agents = await Promise.all(
      ["one", "two"].map((name) => venue.agent([new FakeMachine(id)], `${name} of ${id}`)),
    );
    const answers = await Promise.all(agents.map((agent) => agent.hello()));
    expect(answers.map(({ is }) => is).toSorted()).toEqual(["done", "refused"]);
    const refused = answers.find(({ is }) => is === "refused");
    expect(refused).toMatchObject({ refusal: { reason: expect.stringContaining("held by another live link") } });
  }
});

test("one machine twice in a hello, and a machine whose meters fell, are refused with a sentence", async () => {
  const twice = await venue.agent([new FakeMachine("mercan-03"), new FakeMachine("mercan-03")], "twice");
  expect(await twice.hello()).toMatchObject({ refusal: { reason: expect.stringContaining("named twice") } });
  const { machine, agent } = await venue.machine("mercan-04");
  machine.credit = 1_000;
  machine.play(0);
  await agent.pump();
  await agent.kill();
  const replaced = await venue.agent([new FakeMachine("mercan-04")], "replaced");
  await eventually(async () =>
    expect(await replaced.hello()).toMatchObject({ refusal: { reason: expect.stringContaining("meters never fall") } }),
  );
});

test("a database that fails over a hello ends the link without a refusal, and the agent may come back at once", async () => {
  await sql`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'the disk is full' using errcode = '53100'; end $$`.execute(venue.db);
  await sql`create trigger fail before insert or update on agent_link for each row
    when (new.machine_id = 'fails-01') execute function fail()`.execute(venue.db);
  const first = await venue.agent([new FakeMachine("fails-01")], "agent of fails-01");
  expect(await first.hello()).toMatchObject({ is: "unknown" });
  expect(first.peer.closed).toBe(true);
  await sql`drop trigger fail on agent_link`.execute(venue.db);
  expect(await (await venue.agent([new FakeMachine("fails-01")], "agent of fails-02")).hello()).toMatchObject({
    is: "done",
  });
});

test("events are taken once and in order; a gap is refused with the number that is next", async () => {
  const { machine, agent } = await venue.machine("mercan-05");
  machine.credit = 1_000;
  machine.play(0);
  machine.play(300);
  machine.happen("doorOpened");
  const [first, second, third, fourth, fifth] = machine.journal;
  if (!first || !second || !third || !fourth || !fifth) throw new Error("five events were made");
  const tell = (event: typeof first) =>
    event.is === "game" ? agent.peer.request("game", event.data) : agent.peer.request("event", event.data);
  expect((await tell(first)).is).toBe("done");
  expect(await tell(third)).toMatchObject({ refusal: { reason: expect.stringContaining("2 is next") } });
  await Promise.all([tell(second), tell(second), tell(second)]);
  expect((await tell(first)).is).toBe("done");
  for (const event of [third, fourth, fifth]) expect((await tell(event)).is).toBe("done");
  for (const event of [fifth, fourth, second]) expect((await tell(event)).is).toBe("done");
  const games = await venue.db
    .selectFrom("game")
    .selectAll()
    .where("machine_id", "=", "mercan-05")
    .orderBy("game_number")
    .execute();
  expect(games).toMatchObject([
    { game_number: 1, stake: 100, win: 0, credit_before: 1_000, credit_after: 900 },
    { game_number: 2, stake: 100, win: 300, credit_before: 900, credit_after: 1_100 },
  ]);
  expect(await venue.ledgerOf("machine:mercan-05")).toBe(100);
});

test("an event of a machine of another link, and before hello, is refused", async () => {
  await venue.machine("mercan-06");
  const stranger = new FakeMachine("mercan-06");
  stranger.happen("tilt");
  const agent = await venue.agent([stranger], "stranger");
  const [event] = stranger.journal;
  if (event?.is !== "event") throw new Error("an event was made");
  expect(await agent.peer.request("event", event.data)).toMatchObject({
    refusal: { reason: expect.stringContaining("not on this link") },
  });
});

test("a link that is back: the journal is told, the grant is told again, the seat is where it was", async () => {
  const { machine, agent } = await venue.machine("mercan-07");
  const player = await venue.player("oya.back", 5_000);
  const page = await venue.page(player.token, "mercan-07");
  await page.init();
  await page.peer.request("cashIn", { id: "oya-cash-in", amount: 2_000 });
  await agent.kill();
  await venue.inState("mercan-07", "agentAway");
  await eventually(() => expect(page.ofMethod("agent")).toEqual([{ connected: false }]));
  expect(await venue.platform.play.sessions.openSessionOf(player.id)).toMatchObject({ machine_status: "offline" });
  machine.play(500);
  const back = await venue.agent([machine], "agent of mercan-07");
  await back.hello();
  await back.pump();
  await venue.inState("mercan-07", "playing");
  // The seat is back in its state a moment before the grant is sent.
  await eventually(() => expect(back.asked).toContain("seat.grant 1"));
  await eventually(() => expect(page.ofMethod("agent").at(-1)).toEqual({ connected: true }));
  expect(await venue.balanceOf(player.id)).toEqual({ balance: 3_000, onMachine: 2_400 });
});

test("faults lock the seat and are told; repaired, play goes on", async () => {
  const { machine, agent } = await venue.machine("mercan-08");
  const player = await venue.player("pia.fault", 5_000);
  const page = await venue.page(player.token, "mercan-08");
  await page.init();
  await page.peer.request("cashIn", { id: "pia-cash-in", amount: 2_000 });
  machine.lockup = "tilt";
  machine.happen("tilt");
  await agent.pump();
  await venue.inState("mercan-08", "fault");
  expect(await page.peer.request("cashIn", { id: "pia-fault-in", amount: 500 })).toMatchObject({
    refusal: { code: 60042 },
  });
  expect(await page.peer.request("cashOut", { id: "pia-fault-out", amount: 500 })).toMatchObject({
    data: { amount: 500 },
  });
  machine.lockup = undefined;
  machine.happen("tiltCleared");
  await agent.pump();
  await venue.inState("mercan-08", "playing");
  agent.peer.notify("machine", { id: "mercan-08", state: "disabled", lockup: "disabled" });
  await venue.inState("mercan-08", "fault");
  agent.peer.notify("machine", { id: "mercan-08", state: "idle" });
  await venue.inState("mercan-08", "playing");
});

test("a key switch on local ends the play session, returns its credits, and keeps the seat closed until it is on remote", async () => {
  const { machine, agent } = await venue.machine("mercan-18");
  const player = await venue.player("kaan.local", 1_000);
  const page = await venue.page(player.token, "mercan-18");
  await page.init();
  await page.peer.request("cashIn", { id: "kaan-local-in", amount: 1_000 });
  expect(machine.credit).toBe(1_000);
  machine.lockup = "local";
  agent.peer.notify("machine", { id: "mercan-18", state: "locked", lockup: "local" });
  await venue.inState("mercan-18", "free");
  expect(machine.credit).toBe(0);
  const statusOf = async () =>
    (await venue.platform.play.sessions.machinesFor(player.id)).find(({ id }) => id === "mercan-18")?.status;
  expect(await statusOf()).toBe(0);
  expect(await (await venue.page(player.token, "mercan-18")).init()).toMatchObject({ is: "refused" });
  machine.lockup = undefined;
  agent.peer.notify("machine", { id: "mercan-18", state: "idle" });
  await eventually(async () => expect(await statusOf()).toBe(1));
});

test("a machine that does not answer its agent is as far away as one without an agent, held or free, and comes back", async () => {
  const { machine, agent } = await venue.machine("mercan-17");
  const player = await venue.player("oya.offline", 1_000);
  const page = await venue.page(player.token, "mercan-17");
  await page.init();
  await page.peer.request("cashIn", { id: "oya-offline-in", amount: 1_000 });
  const session = async () => (await venue.platform.play.sessions.openSessionOf(player.id))?.machine_status;
  expect(await session()).toBe("playing");
  machine.lockup = "outOfService";
  agent.peer.notify("machine", { id: "mercan-17", state: "offline", lockup: "outOfService" });
  await venue.inState("mercan-17", "agentAway");
  expect(await session()).toBe("offline");
  expect(await page.peer.request("cashOut", { id: "oya-offline-out" })).toMatchObject({ refusal: { code: 60040 } });
  await eventually(() => expect(page.ofMethod("agent")).toEqual([{ connected: false }]));
  // A page that comes back meanwhile is told as well.
  const reloaded = await venue.page(player.token, "mercan-17");
  expect(await reloaded.init()).toMatchObject({ is: "done" });
  await eventually(() => expect(reloaded.ofMethod("agent")).toEqual([{ connected: false }]));
  // A link of an agent that comes back does not make its machine answer.
  const agentBack = await agent.kill().then(() => venue.agent([machine], "agent of mercan-17"));
  machine.offline = true;
  expect(await agentBack.hello()).toMatchObject({ is: "done" });
  await venue.inState("mercan-17", "agentAway");
  machine.offline = false;
  machine.lockup = undefined;
  agentBack.peer.notify("machine", { id: "mercan-17", state: "idle" });
  await venue.inState("mercan-17", "playing");
  await eventually(() => expect(reloaded.ofMethod("agent").at(-1)).toEqual({ connected: true }));
  expect(await reloaded.peer.request("leave", {})).toMatchObject({ data: { outcome: "done", amount: 1_000 } });
  const statusOf = async () =>
    (await venue.platform.play.sessions.machinesFor(player.id)).find(({ id }) => id === "mercan-17")?.status;
  expect(await statusOf()).toBe(1);
  agentBack.peer.notify("machine", { id: "mercan-17", state: "offline" });
  await eventually(async () => expect(await statusOf()).toBe(0));
});

test("meters and candidates reach the page of that machine and viewer", async () => {
  const { machine, agent } = await venue.machine("mercan-09");
  const player = await venue.player("rana.meters");
  const page = await venue.page(player.token, "mercan-09");
  await page.init({ offer: "v=0" });
  machine.bet = 200;
  agent.tellMeters(machine);
  await eventually(() => expect(page.ofMethod("meters").at(-1)).toMatchObject({ bet: 200 }));
  const { viewerId } = agent.offers[0] as { viewerId: string };
  agent.peer.notify("rtc.candidate", { machineId: "mercan-09", viewerId, candidate: "candidate:1", sdpMid: "0" });
  agent.peer.notify("rtc.candidate", { machineId: "mercan-09", viewerId: "v_other", candidate: "candidate:2" });
  await eventually(() => expect(page.ofMethod("candidate")).toEqual([{ candidate: "candidate:1", sdpMid: "0" }]));
  page.peer.notify("candidate", { candidate: "candidate:3", sdpMid: "0" });
  await eventually(() => expect(agent.candidates).toMatchObject([{ candidate: "candidate:3", viewerId }]));
});

test("stills on a full disk: the machine and its player go on, the last whole still is served, and the log says so once", async () => {
  const { machine } = await venue.machine("mercan-11");
  const key = await anotherKey("agent of mercan-11");
  const player = await venue.player("full.disk", 10_000);
  const page = await venue.page(player.token, "mercan-11");
  await page.init();
  const put = async (size: number) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "image/webp" };
    const url = "/agent/machines/mercan-11/still";
    return (await venue.app.inject({ method: "PUT", url, headers, payload: webp(size) })).statusCode;
  };
  const logged = () => venue.lines.filter((line) => line.includes("stills cannot be kept")).length;
  const served = async () => (await venue.platform.play.agents.still("mercan-11"))?.webp;
  expect(await put(64)).toBe(204);
  await sql`create function no_room() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`.execute(
    venue.db,
  );
  await sql`create trigger no_room before insert or update on machine_still for each row execute function no_room()`.execute(
    venue.db,
  );
  expect(await Promise.all([128, 192, 256, 320].map(put))).toEqual([503, 503, 503, 503]);
  expect(logged()).toBe(1);
  expect(await served()).toEqual(webp(64));
  expect(await page.peer.request("cashIn", { id: "cash-in-no-room", amount: 4_000 })).toMatchObject({
    data: { outcome: "done", amount: 4_000 },
  });
  expect(machine.credit).toBe(4_000);
  // Hours of it are one line each time it begins.
  venue.clock.shift(61_000);
  expect(await put(128)).toBe(503);
  venue.clock.shift(-61_000);
  expect(logged()).toBe(2);
  await sql`drop trigger no_room on machine_still`.execute(venue.db);
  expect(await put(128)).toBe(204);
  expect(await served()).toEqual(webp(128));
  expect(await page.peer.request("leave", {})).toMatchObject({ data: { outcome: "done" } });
});

test("stills: asked for while a lobby is open, taken as WebP of one's own machine, at most 256 KiB", async () => {
  const { agent } = await venue.machine("mercan-10");
  const key = await anotherKey("agent of mercan-10");
  const { key: other } = await enrolAgent(venue.db, systemRandom, "nosy");
  venue.clock.shift(120_000);
  await venue.platform.play.sessions.machinesFor("p_any");
  await eventually(() => expect(agent.asked).toContain("still.take"));
  const put = (payload: Buffer, bearer = key, type = "image/webp") =>
    venue.app.inject({
      method: "PUT",
      url: "/agent/machines/mercan-10/still",
      headers: { authorization: `Bearer ${bearer}`, "content-type": type },
      payload,
    });
  expect((await put(webp(), "lak_wrong")).statusCode).toBe(401);
  expect((await put(webp(), other)).statusCode).toBe(409);
  expect((await put(Buffer.from("<svg onload=alert(1)>"))).statusCode).toBe(400);
  expect((await put(webp(300_000))).statusCode).toBe(413);
  expect((await put(webp(), key, "image/svg+xml")).statusCode).toBe(415);
  expect((await put(webp())).statusCode).toBe(204);
  expect((await venue.platform.play.agents.still("mercan-10"))?.webp).toEqual(webp());
  expect(
    (await venue.platform.play.sessions.machinesFor("p_any")).find(({ id }) => id === "mercan-10")?.stillTag,
  ).toMatch(/^\S{22}$/);
});

test.each([[Buffer.alloc(0)], [Buffer.from("RIFF....WEBP")], [Buffer.concat([webp(), webp()]).fill("x", 0, 4)]])(
  "bytes that are no WebP are known",
  (bytes) => {
    expect(isWebp(bytes)).toBe(false);
  },
);

test("frames that are malformed or too large end the link, and nothing else", async () => {
  const { key } = await enrolAgent(venue.db, systemRandom, "hostile");
  const open = () => openSocket(`${venue.url}/agent`, { headers: { authorization: `Bearer ${key}` } });
  const malformed = open();
  await malformed.opened;
  malformed.socket.send("{");
  expect((await malformed.closed).code).toBe(1008);
  const large = open();
  await large.opened;
  large.socket.send(JSON.stringify({ request: true, id: 1, method: "hello", data: "x".repeat(70_000) }));
  expect((await large.closed).code).toBe(1009);
  const odd = open();
  await odd.opened;
  odd.send({
    request: true,
    id: 1,
    method: "hello",
    data: { agent: "../../x", version: "1", clock: "now", machines: [] },
  });
  await eventually(() => expect(odd.frames).toMatchObject([{ ok: false, errorCode: 60031 }]));
  odd.socket.terminate();
});
