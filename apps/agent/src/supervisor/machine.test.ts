import { agentLink } from "@longarm/contract/agent-link";
import { done } from "@longarm/link/answer";
import { createPeer } from "@longarm/link/peer";
import { socketPair } from "@longarm/link/testing";
import { beforeEach, expect, test, vi } from "vitest";
import type { Journal } from "../journal/journal.ts";
import { openJournal } from "../journal/journal.ts";
import type { AgentPeer } from "../link/agent-peer.ts";
import { agentHandlers } from "../link/handlers.ts";
import { createRateLimit } from "../rate-limit.ts";
import type { FakeBroadcast } from "../testing/fake-broadcast.ts";
import { fakeBroadcast } from "../testing/fake-broadcast.ts";
import type { FakeClock } from "../testing/fake-clock.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import type { FakeMachine } from "../testing/fake-machine.ts";
import { fakeMachine } from "../testing/fake-machine.ts";
import type { MemoryFiles } from "../testing/memory-files.ts";
import { memoryFiles } from "../testing/memory-files.ts";
import type { SupervisedMachine } from "./machine.ts";
import { superviseMachine } from "./machine.ts";

type Taken = { seq: number; kind?: string; phase?: string };

let clock: FakeClock;
let files: MemoryFiles;
let journal: Journal;
let fake: FakeMachine;
let broadcast: FakeBroadcast;
let supervised: SupervisedMachine;
let peer: AgentPeer | undefined;
/** What the platform was told, and whether it takes events now. */
let notified: { method: string; data: { state?: string; lockup?: string; meters?: { credit: number } } }[];
let taken: Taken[];
let takes: boolean;
let opens: number;
let opensWell: boolean;
let problems: string[];
/** How presses have ended, as the agent's numbers hear it. */
let ended: (string | undefined)[];

async function start(): Promise<void> {
  journal = await openJournal({ files, folder: "/j" });
  const open = async () => {
    opens += 1;
    if (!opensWell) throw new Error("the cable is out");
    const egm = fake.connect();
    return { egm, close: () => egm.close() };
  };
  supervised = superviseMachine(
    { id: "nar-01", view: { videoType: "camera" }, open },
    {
      clock,
      journal,
      steps: () => undefined,
      candidates: createRateLimit(clock, 400),
      staff: new Set<string>(),
      makeBroadcast: () => {
        broadcast = fakeBroadcast();
        return broadcast;
      },
      problem: (_id, sentence) => problems.push(sentence),
      metrics: { pressed: (outcome) => ended.push(outcome) },
    },
    () => undefined,
  );
  await clock.pass(0);
}

/** A platform at the other end of a link in memory. */
async function link(takenSeq = 0): Promise<void> {
  const [ours, theirs] = socketPair();
  const take = async (told: Taken) => {
    if (takes) taken.push(told);
    return takes ? done({}) : await new Promise<never>(() => undefined);
  };
  createPeer({
    contract: agentLink,
    end: "server",
    socket: theirs,
    timers: clock,
    handlers: {
      hello: async () => done({ clock: 0, renewMs: 1, taken: {} }),
      game: take,
      event: take,
      "recording.anchor": async () => done({}),
    },
    listeners: Object.fromEntries(
      ["machine", "meters", "jackpots"].map((method) => [method, (data: never) => notified.push({ method, data })]),
    ),
    log: (sentence) => problems.push(sentence),
  });
  const handlers = agentHandlers({ machine: () => supervised, journal, putStill: async () => undefined, clock });
  peer = createPeer({
    contract: agentLink,
    end: "client",
    socket: ours,
    timers: clock,
    handlers,
    log: () => undefined,
  });
  await supervised.linkUp(peer, takenSeq);
  await clock.pass(0);
}

beforeEach(async () => {
  clock = fakeClock();
  files = memoryFiles();
  fake = fakeMachine();
  [notified, taken, problems] = [[], [], []];
  [takes, opensWell, opens, peer] = [true, true, 0, undefined];
  ended = [];
  await start();
});

test("events are journalled, acknowledged at the machine and told in order until taken", async () => {
  fake.tell({ what: "doorOpened" });
  fake.tell({ what: "powerUp" });
  fake.tell({ what: "tilt", code: "bell" }, true);
  await clock.pass(0);
  expect(fake.waitingEvents).toEqual([]);
  expect(journal.machine("nar-01").waiting.length).toBe(3);
  await link();
  expect(taken.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(journal.machine("nar-01").waiting).toEqual([]);
});

test("events outlive the process and are not journalled twice when it died before telling the machine", async () => {
  fake.tell({ what: "powerUp" });
  const [first] = fake.waitingEvents;
  await clock.pass(0);
  fake.waitingEvents.push(first!);
  files = files.afterPowerCut(0);
  await start();
  fake.tell({ what: "doorOpened" });
  await clock.pass(0);
  await link();
  expect(taken.map(({ seq, kind }) => [seq, kind])).toEqual([
    [1, "powerUp"],
    [2, "doorOpened"],
  ]);
});

test("an event that is not taken is told again, and none overtakes it", async () => {
  takes = false;
  await link();
  fake.tell({ what: "powerUp" });
  fake.tell({ what: "doorOpened" });
  await clock.pass(5_000);
  expect(taken).toEqual([]);
  takes = true;
  await clock.pass(30_000);
  expect(taken.map(({ kind }) => kind)).toEqual(["powerUp", "doorOpened"]);
  expect(problems).toContain("The platform did not accept an event; it is sent again.");
});

test("numbers go on above what the platform has taken, even with a new journal", async () => {
  await link(41);
  fake.tell({ what: "powerUp" });
  await clock.pass(1);
  expect(taken.map(({ seq }) => seq)).toEqual([42]);
});

test("while the journal is full events wait in the machine and no game starts", async () => {
  await supervised.grants.grant({ epoch: 1, playSessionId: "ps_1", leaseMs: 600_000 });
  files.capacity = 0;
  fake.tell({ what: "powerUp" });
  await clock.pass(1_000);
  expect(fake.waitingEvents.length).toBe(1);
  const { pressGuard } = supervised.opened()!;
  const press = { epoch: 1, seq: 1, button: "spin", at: clock.now(), stake: 100 };
  expect(await pressGuard.press(press)).toMatchObject({
    outcome: "refused",
    reason: "the agent cannot keep records now",
  });
  files.capacity = Number.POSITIVE_INFINITY;
  await clock.pass(10_000);
  await link();
  expect(taken.length).toBe(1);
  expect(opens).toBe(1);
  expect(await pressGuard.press({ ...press, seq: 2, at: clock.now() })).toMatchObject({ outcome: "started" });
});

// maintainer 6.3: a page sends each press up to four times, and the alert LongarmMachineDeaf fires at four silent ones.
test("one press that the machine does not answer is counted once, however many copies of it arrived", async () => {
  await supervised.grants.grant({ epoch: 1, playSessionId: "ps_1", leaseMs: 600_000 });
  const { pressGuard } = supervised.opened()!;
  fake.deafToPresses = true;
  const press = { epoch: 1, seq: 1, button: "spin", at: clock.now(), stake: 100 };
  const message = new TextEncoder().encode(JSON.stringify(press));
  await Promise.all([1, 2, 3, 4].map(() => pressGuard.message(message, 1)));
  await pressGuard.message(message, 1);
  expect(ended).toEqual([undefined]);
});

test("meters are told when they change, ten times a second at most, the latest only", async () => {
  await link();
  await clock.pass(1_000);
  notified = [];
  const egm = fake.connect();
  for (let n = 1; n <= 50; n += 1) {
    fake.credit = n;
    fake.tell({ what: "metersChanged" });
    await clock.pass(10);
  }
  await clock.pass(200);
  const credits = notified.filter(({ method }) => method === "meters").map(({ data }) => data.meters?.credit);
  expect(credits.length).toBeLessThanOrEqual(7);
  expect(credits.at(-1)).toBe(50);
  expect(taken).toEqual([]);
  await egm.close();
});

test("a machine that falls silent is told as out of service, opened again with back-off, and comes back", async () => {
  await link();
  const before = broadcast;
  fake.silent = true;
  opensWell = false;
  await clock.pass(10_000);
  expect(supervised.opened()).toBeUndefined();
  expect(before.ended).toBe(true);
  expect(notified.filter(({ method }) => method === "machine").at(-1)?.data).toMatchObject({
    state: "offline",
    lockup: "outOfService",
  });
  expect(supervised.hello()).toMatchObject({ state: "offline", meters: { lockup: "outOfService" } });
  const tries = opens;
  await clock.pass(60_000);
  expect(opens - tries).toBeLessThan(8);
  fake.silent = false;
  opensWell = true;
  await clock.pass(20_000);
  expect(supervised.opened()).toBeDefined();
  expect(notified.filter(({ method }) => method === "machine").at(-1)?.data).toMatchObject({ state: "idle" });
});

test("a machine that cannot pretend says so", async () => {
  await expect(supervised.simulate("door")).rejects.toThrow('The machine "nar-01" is not a simulated one.');
});

test("a transfer left open by a crash is decided by the machine before anything else", async () => {
  const command = { machineId: "nar-01", epoch: 1, transferId: "tr_00000001", amount: 70 };
  fake.fault = "unanswered";
  await supervised.opened()!.money.order("cashIn", command);
  files = files.afterPowerCut(0);
  await start();
  expect(journal.machine("nar-01").transfers.get("tr_00000001")?.outcome).toEqual({ outcome: "done", amount: 70 });
});

test("the end closes driver and picture and leaves what was journalled", async () => {
  const close = vi.spyOn(broadcast, "close");
  fake.tell({ what: "powerUp" });
  await clock.pass(0);
  await supervised.end();
  expect(close).toHaveBeenCalledOnce();
  expect(supervised.opened()).toBeUndefined();
  await journal.close();
  expect((await openJournal({ files, folder: "/j" })).machine("nar-01").waiting.length).toBe(1);
});

test("credits that came back to what they were are sent again after the platform read others in between", async () => {
  await link();
  fake.credit = 500;
  fake.tell({ what: "metersChanged" });
  await clock.pass(1_000);
  notified = [];
  // Between two looks the credits go, the platform reads that, and they come back.
  supervised.opened()?.meters.sendAgain();
  await clock.pass(2_000);
  const credits = notified.filter(({ method }) => method === "meters").map(({ data }) => data.meters?.credit);
  expect(credits).toEqual([500]);
});
