import type { AgentMachine } from "@longarm/contract/agent-link";
import { agentLink } from "@longarm/contract/agent-link";
import { CLOSE } from "@longarm/contract/envelope";
import { gameSocket } from "@longarm/contract/game-socket";
import { notificationSocket } from "@longarm/contract/notification-socket";
import { problemOfCode } from "@longarm/contract/problems";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { enrolAgent } from "../../modules/play/agents/index.ts";
import { systemRandom } from "../../random.ts";
import { FakeMachine } from "../fake-machine.ts";
import { openSocket } from "../open-socket.ts";
import type { PlayVenue } from "../play-venue.ts";
import { playVenue } from "../play-venue.ts";
import { bugsIn } from "./answers.ts";
import { HOSTILE_VALUES, mutationsOf } from "./hostile-values.ts";
import { tableDigest } from "./table-digest.ts";

/** Some thousand messages, on a computer that has other work as well. */
const LONG_MS = 240_000;
/** Messages between two steps of the clock: below what any socket may send in a second. */
const STEP = 12;

let venue: PlayVenue;
let mallory: { id: string; token: string };
let vera: { id: string; token: string };
let before: Record<string, string>;
const machine = new FakeMachine("vera-01");
beforeAll(async () => {
  const limits = { HANDSHAKES_PER_MINUTE_ADDRESS: "100000", MESSAGES_PER_SECOND_ADDRESS: "100000" };
  venue = await playVenue({ env: { ...limits, PUBLIC_URL: "http://play.example.org", IDLE_MS: "86400000" } });
  await venue.machine("vera-01", machine);
  await venue.machine("free-01");
  vera = await venue.player("vera", 50_000);
  mallory = await venue.player("mallory", 1_000);
  const page = await venue.page(vera.token, "vera-01");
  expect(await page.init()).toMatchObject({ is: "done" });
  expect(await page.peer.request("cashIn", { id: "vera-cash-in-1", amount: 20_000 })).toMatchObject({ is: "done" });
  await venue.inState("vera-01", "playing");
  before = await digest();
});
afterAll(() => venue.end());

/** What is Mallory's own, and what agents of these tests are, may change. */
const digest = () => tableDigest(venue.db, [mallory.id, "free-01", "hostile-agent"]);

async function expectUntouched(): Promise<void> {
  expect(await digest()).toEqual(before);
  expect(await venue.ledger.verify()).toEqual([]);
  // The clock of this venue runs ahead with every step: staff may have been called for that.
  expect(bugsIn(venue.lines.filter((line) => !line.includes('"alarm":"clock"')))).toEqual([]);
  expect((await venue.seat("vera-01")).player_id).toBe(vera.id);
  expect(machine.credit).toBe(20_000);
  expect((await venue.get("/healthz")).statusCode).toBe(200);
}

type Client = ReturnType<typeof openSocket>;
type Answer = {
  readonly id?: number;
  readonly ok?: boolean;
  readonly errorCode?: number;
  readonly data?: { readonly outcome?: string };
};

async function open(path: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = openSocket(`${venue.url}${path}`, { headers });
  await client.opened;
  return client;
}

const gamePath = (token: string, machineId: string) => `/game?machine=${machineId}&token=${token}`;
let sent = 0;

/** Asks and waits for the answer, or for the end of the socket. */
async function ask(client: Client, method: string, data: unknown): Promise<Answer | "closed"> {
  sent += 1;
  // Another second for the limits, so that it is not they that refuse.
  if (sent % STEP === 0) venue.clock.shift(1_001);
  const id = sent;
  const answered = Promise.withResolvers<Answer | "closed">();
  const hear = (frame: unknown): void => {
    const answer = JSON.parse(String(frame)) as Answer;
    if (answer.id === id) answered.resolve(answer);
  };
  const gone = (): void => answered.resolve("closed");
  client.socket.on("message", hear).once("close", gone);
  if (client.socket.readyState !== client.socket.OPEN) gone();
  client.send({ request: true, id, method, data });
  const answer = await answered.promise;
  client.socket.off("message", hear).off("close", gone);
  return answer;
}

function expectRefused(what: unknown, answer: Answer | "closed"): void {
  if (answer === "closed") return;
  // A well-formed press of another epoch has an outcome instead of an error.
  if (answer.ok && ["refused", "stale"].includes(answer.data?.outcome ?? "")) return;
  expect({ what, ok: answer.ok, known: problemOfCode(answer.errorCode ?? 0) !== undefined }).toEqual({
    what,
    ok: false,
    known: true,
  });
}

const SDP = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n";
/** One request of each kind, well-formed; a method that the contract gains does not compile without a line here. */
const GAME: Readonly<Record<keyof typeof gameSocket.client.requests, object>> = {
  init: { machineID: "vera-01", token: "x", offer: SDP, role: "player", framesPerSecond: 30 },
  offer: { sdp: SDP, framesPerSecond: 30 },
  // More than there is in the wallet: whatever passes the schema moves nothing.
  cashIn: { id: "mallory-cash-1", amount: 900_000 },
  cashOut: { id: "mallory-cash-2", amount: 900_000 },
  callAttendant: {},
  about: {},
  press: { epoch: 1, seq: 1, button: "spin", at: 1_000, stake: 100 },
  continue: {},
  keepPlaying: { id: "rc_of_somebody" },
  checkEvery: { minutes: 30 },
  hold: { id: "hold_of_somebody" },
  leave: {},
};
const NOTIFICATIONS: Readonly<Record<keyof typeof notificationSocket.client.requests, object>> = {
  init: { id: "somebody" },
};

describe("the handshake of each socket", () => {
  const paths = ["/notifications", "/game?machine=vera-01", "/agent"];
  test.each(paths)("%s opens for no page of another origin", async (path) => {
    const origins = [
      "https://evil.example",
      "http://play.example.org.evil.example",
      "null",
      "http://127.0.0.1",
      "https://play.example.org",
    ];
    for (const origin of origins) {
      const token = path.includes("?") ? `&token=${vera.token}` : `?token=${vera.token}`;
      expect({ origin, status: await openSocket(`${venue.url}${path}${token}`, { origin }).refused }).toEqual({
        origin,
        status: 403,
      });
    }
    await expectUntouched();
  });

  test("a player's socket with a token that is not good is closed for good, and says nothing before", async () => {
    const ended = await venue.signIn("mallory");
    await venue.app.inject({ method: "POST", url: "/v1/player/logout", headers: { authorization: `Bearer ${ended}` } });
    const cut = vera.token.slice(0, -4);
    for (const token of [
      "",
      "x",
      ended,
      cut,
      `${cut}AAAA`,
      "A".repeat(6_000),
      encodeURIComponent("' or 1=1 --"),
      "%00",
    ])
      for (const path of [
        `/notifications?token=${token}`,
        gamePath(token, "vera-01"),
        `/game?token=${token}&machine=vera-01`,
      ]) {
        const client = await open(path);
        expect(await client.closed).toEqual({ code: CLOSE.final, reason: "bad token" });
        expect(client.frames).toEqual([]);
      }
    await expectUntouched();
  });

  test("an agent's socket opens with a living key and in no other way", async () => {
    const { key } = await enrolAgent(venue.db, systemRandom, "hostile-agent revoked");
    await venue.db
      .updateTable("agent")
      .set({ revoked_at: new Date() })
      .where("name", "=", "hostile-agent revoked")
      .execute();
    for (const authorization of [
      "",
      `Bearer ${key}`,
      `Basic ${key}`,
      `Bearer ${vera.token}`,
      `Bearer lak_${"A".repeat(43)}`,
      "Bearer ' or 1=1",
    ])
      expect(await openSocket(`${venue.url}/agent`, { headers: { authorization } }).refused).toBe(401);
    expect(await openSocket(`${venue.url}/agent?token=${key}`).refused).toBe(401);
    await expectUntouched();
  });
});

/** Frames that no client of ours sends. */
const FRAMES: readonly unknown[] = [
  ...HOSTILE_VALUES,
  { request: true },
  { request: true, id: -1, method: "init" },
  { request: true, id: 1.5, method: "init" },
  { request: true, id: 2 ** 40, method: "init" },
  { request: true, id: "1", method: "init" },
  { request: true, id: 1, method: "x".repeat(100) },
  { request: "yes", id: 1, method: "init" },
  { response: true, id: 1, ok: "yes" },
  { notification: true },
  { notification: true, method: 5 },
];
/** Frames that are well-formed and mean nothing: they are dropped or refused, and the socket goes on. */
const MEANINGLESS: readonly unknown[] = [
  { response: true, id: 1, ok: true, data: { balance: 1e9 } },
  { response: true, id: 4_294_967_295, ok: false, errorCode: 1e9, errorReason: "x".repeat(500) },
  { notification: true, method: "balance", data: { balance: 1e9 } },
  { notification: true, method: "__proto__", data: {} },
  { notification: true, method: "candidate", data: { candidate: "x".repeat(3_000) } },
  { notification: true, method: "delay", data: { ms: 40 } },
  { notification: true, method: "delay", data: { ms: -1e9, machineId: "vera-01" } },
  { request: true, id: 1, method: "__proto__", data: {} },
  { request: true, id: 2, method: "constructor", data: {} },
  { request: true, id: 3, method: "balance", data: {} },
];

describe.each([
  {
    name: "notifications",
    path: () => `/notifications?token=${mallory.token}`,
    bytesMax: notificationSocket.frameBytesMax,
  },
  { name: "game", path: () => gamePath(mallory.token, "vera-01"), bytesMax: gameSocket.frameBytesMax },
])("frames of the $name socket", ({ path, bytesMax }) => {
  test(
    "that are malformed end the socket with 1008, too large ones with 1009, bytes with 1008",
    async () => {
      for (const frame of FRAMES) {
        const client = await open(path());
        client.send(frame);
        expect({ frame, code: (await client.closed).code }).toEqual({ frame, code: CLOSE.malformed });
      }
      for (const [frame, code] of [
        ["{", 1008],
        ["x".repeat(bytesMax + 1), 1009],
        [Buffer.from([1, 2, 3]), 1008],
      ] as const) {
        const client = await open(path());
        client.socket.send(frame);
        expect((await client.closed).code).toBe(code);
      }
      await expectUntouched();
    },
    LONG_MS,
  );

  test("that mean nothing change nothing, and the next request is answered", async () => {
    for (const frame of MEANINGLESS) {
      const client = await open(path());
      client.send(frame);
      expectRefused(frame, await ask(client, "nothing-like-this", {}));
      client.socket.close();
    }
    await expectUntouched();
  });
});

test(
  "every request of the notification socket with hostile contents is refused, and nobody else's news comes",
  async () => {
    const client = await open(`/notifications?token=${mallory.token}`);
    for (const [method, sample] of Object.entries(NOTIFICATIONS))
      for (const data of [...mutationsOf(sample), { id: vera.id }])
        expectRefused([method, data], await ask(client, method, data));
    venue.bus.publish("balance.changed", { playerId: vera.id });
    expectRefused("after", await ask(client, "init", { id: vera.id }));
    expect(client.frames.filter((frame) => (frame as { method?: string }).method === "balance")).toEqual([]);
    client.socket.close();
    await expectUntouched();
  },
  LONG_MS,
);

describe("every request of the game socket", () => {
  test("on a machine that somebody else plays is refused, whatever comes first", async () => {
    const methods = Object.keys(GAME) as (keyof typeof GAME)[];
    const client = await open(gamePath(mallory.token, "vera-01"));
    for (const method of [...methods.toReversed(), ...methods])
      expectRefused(method, await ask(client, method, GAME[method]));
    client.socket.close();
    await expectUntouched();
  });

  test("of a spectator that a player alone may make is refused", async () => {
    const client = await open(gamePath(mallory.token, "vera-01"));
    expect(await ask(client, "init", { machineID: "vera-01", role: "spectator" })).toMatchObject({ ok: true });
    const { epoch } = await venue.seat("vera-01");
    for (const method of ["init", "cashIn", "cashOut", "press", "continue", "leave"] as const)
      expectRefused(method, await ask(client, method, { ...GAME[method], ...(method === "press" && { epoch }) }));
    client.socket.close();
    await expectUntouched();
  });

  test(
    "with hostile contents is refused before a seat is had",
    async () => {
      const client = await open(gamePath(mallory.token, "vera-01"));
      // Without an offer the field `role` alone decides: what is no player's asks to watch, which is allowed.
      for (const data of mutationsOf({ ...GAME.init, machineID: "vera-01" }).filter(
        (one) => (one as { role?: string })?.role !== "spectator",
      ))
        expectRefused(data, await ask(client, "init", data));
      client.socket.close();
      await expectUntouched();
    },
    LONG_MS,
  );

  test(
    "with hostile contents moves nothing and presses nothing from a seat of one's own",
    async () => {
      const client = await open(gamePath(mallory.token, "free-01"));
      expect(await ask(client, "init", { machineID: "free-01" })).toMatchObject({ ok: true });
      const { epoch } = await venue.seat("free-01");
      const wallet = await venue.balanceOf(mallory.id);
      for (const method of ["offer", "cashIn", "press"] as const) {
        const sample = method === "press" ? { ...GAME.press, epoch: epoch + 1 } : GAME[method];
        for (const data of mutationsOf(sample)) {
          const answer = await ask(client, method, data);
          // An offer that is some text is the agent's to judge; here a fake one answers anything.
          if (method !== "offer") expectRefused([method, data], answer);
        }
      }
      expect(await venue.balanceOf(mallory.id)).toEqual(wallet);
      expect(await ask(client, "leave", {}), "the way out is open all the same").toMatchObject({ ok: true });
      await expectUntouched();
    },
    LONG_MS,
  );

  test("with the ids of somebody else's transfers and seats is refused", async () => {
    const client = await open(gamePath(mallory.token, "free-01"));
    expect(await ask(client, "init", { machineID: "free-01" })).toMatchObject({ ok: true });
    const veras = await venue.seat("vera-01");
    const mine = await venue.seat("free-01");
    for (const id of ["vera-cash-in-1", `${veras.play_session_id}`])
      expectRefused(id, await ask(client, "cashIn", { id, amount: 20_000 }));
    expectRefused("init", await ask(client, "init", { machineID: "vera-01" }));
    expectRefused("press", await ask(client, "press", { ...GAME.press, epoch: mine.epoch + 7, machineId: "vera-01" }));
    expect((await venue.balanceOf(mallory.id)).balance).toBe(1_000);
    expect(await ask(client, "leave", {})).toMatchObject({ ok: true });
    await expectUntouched();
  });
});

describe("an agent that has a key of its own", () => {
  type Told = typeof AgentMachine extends { _zod: { input: infer I } } ? I : never;
  async function linked(machines: readonly Told[] = [new FakeMachine("hostile-agent-01").facts()]) {
    const { key } = await enrolAgent(venue.db, systemRandom, "hostile-agent");
    const client = await open("/agent", { authorization: `Bearer ${key}` });
    const hello = { agent: "hostile-agent", version: "1", clock: venue.clock.now(), machines };
    return { client, hello };
  }

  test("cannot take another agent's machine, nor speak for one", async () => {
    const { client, hello } = await linked();
    const stolen = { ...hello, machines: [machine.facts()] };
    expectRefused("hello", await ask(client, "hello", stolen));
    expect(await ask(client, "hello", { ...hello, clock: venue.clock.now() })).toMatchObject({ ok: true });
    machine.happen("doorOpened");
    const told = machine.journal.at(-1)!.data;
    machine.journal.pop();
    expectRefused("event", await ask(client, "event", told));
    expectRefused(
      "game",
      await ask(client, "game", { ...told, kind: undefined, phase: "started", gameNumber: 1, stake: 100 }),
    );
    client.send({ notification: true, method: "machine", data: { id: "vera-01", state: "offline" } });
    client.send({
      notification: true,
      method: "meters",
      data: { machineId: "vera-01", meters: { ...machine.meters(), credit: 9_000_000 } },
    });
    client.send({
      notification: true,
      method: "jackpots",
      data: { machineId: "vera-01", jackpots: [{ name: "Mine", amount: 1 }] },
    });
    expectRefused("after", await ask(client, "hello", hello));
    client.socket.close();
    machine.seq -= 1;
    await expectUntouched();
  });

  test(
    "is refused whatever its hello, its games and its events say wrongly, and no replay counts twice",
    async () => {
      const own = new FakeMachine("hostile-agent-01");
      // A game of nothing: what a machine without a player wins is another test's.
      own.bet = 0;
      const { client: first, hello } = await linked([own.facts()]);
      const mutations = [...mutationsOf({ ...hello, machines: HOSTILE_VALUES[0] })];
      first.socket.close();
      // A link that has not said hello in time is ended: a slow computer does not get through all of them on one.
      while (mutations.length > 0) {
        const { client: link } = await linked([own.facts()]);
        for (const data of mutations.splice(0, STEP)) expectRefused("hello", await ask(link, "hello", data));
        expect(link.socket.readyState).toBe(link.socket.OPEN);
        link.socket.close();
      }
      const { client } = await linked([own.facts()]);
      expect(await ask(client, "hello", { ...hello, clock: venue.clock.now() })).toMatchObject({ ok: true });
      own.play(0);
      const [started, ended] = own.journal.map(({ data }) => data);
      for (const data of [
        ...mutationsOf({ ...started, meters: undefined }),
        ...mutationsOf({ phase: "ended", seq: 1 }),
      ])
        expectRefused("game", await ask(client, "game", data));
      expect(await ask(client, "game", started)).toMatchObject({ ok: true });
      expect(await ask(client, "game", ended)).toMatchObject({ ok: true });
      expect(await ask(client, "game", ended), "a repeat is acknowledged").toMatchObject({ ok: true });
      const games = await venue.db
        .selectFrom("game")
        .select("game_number")
        .where("machine_id", "=", "hostile-agent-01")
        .execute();
      expect(games).toHaveLength(1);
      const anchor = { machineId: "vera-01", playSessionId: "ps_00000001", links: 1, head: "a".repeat(64) };
      for (const data of [anchor, ...mutationsOf(anchor)])
        expectRefused("recording.anchor", await ask(client, "recording.anchor", data));
      client.socket.close();
      expect(Object.keys(agentLink.client.requests).sort(), "a new request needs its attack here").toEqual([
        "event",
        "game",
        "hello",
        "recording.anchor",
      ]);
      await expectUntouched();
    },
    LONG_MS,
  );
});
