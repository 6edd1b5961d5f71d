import { done } from "@longarm/link/answer";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Agent } from "./agent.ts";
import { buildAgent } from "./agent.ts";
import type { Journal } from "./journal/journal.ts";
import { openJournal } from "./journal/journal.ts";
import { dialPlatform } from "./link/dial.ts";
import { putStill } from "./link/still.ts";
import type { Clock } from "./ports/clock.ts";
import { systemClock } from "./system-clock.ts";
import { fakeBroadcast } from "./testing/fake-broadcast.ts";
import type { FakeMachine } from "./testing/fake-machine.ts";
import { fakeMachine } from "./testing/fake-machine.ts";
import type { FakePlatform } from "./testing/fake-platform.ts";
import { fakePlatform, until } from "./testing/fake-platform.ts";
import type { MemoryFiles } from "./testing/memory-files.ts";
import { memoryFiles } from "./testing/memory-files.ts";

const clock: Clock = systemClock();
let platform: FakePlatform;
let fakes: Map<string, FakeMachine>;
let files: MemoryFiles;
let journal: Journal;
let agent: Agent;
let said: string[];

async function start(ids: readonly string[]): Promise<void> {
  journal = await openJournal({ files, folder: "/j" });
  for (const id of ids) if (!fakes.has(id)) fakes.set(id, fakeMachine());
  const { url, key } = platform;
  const say = (_facts: object, sentence: string): void => void said.push(sentence);
  agent = buildAgent({
    agentId: "ag_1",
    version: "1",
    machines: ids.map((id) => ({ id, view: { videoType: "camera" }, open: () => open(id) })),
    journal,
    clock,
    random: () => 0.5,
    dial: () => dialPlatform({ url, key, clock }),
    putStill: (id, webp) => putStill(platform, id, webp),
    makeBroadcast: () => fakeBroadcast(),
    steps: () => undefined,
    log: { info: say, warn: say, error: say },
  });
}

async function open(id: string) {
  const egm = fakes.get(id)!.connect();
  const description = { ...egm.description, id };
  return { egm: { ...egm, description }, close: () => egm.close() };
}

beforeEach(async () => {
  platform = await fakePlatform();
  fakes = new Map();
  files = memoryFiles();
  said = [];
});

afterEach(async () => {
  await agent.end();
  await journal.close();
  await platform.close();
});

const linked = () => until("link", () => agent.linked());
const ask = { machineId: "nar-01", epoch: 1 };

test("one hello tells every machine; the platform seats, pays in, plays, pays out and takes a still", async () => {
  await start(["nar-01", "nar-02"]);
  await linked();
  expect(platform.hellos.map(({ machines }) => machines.map(({ id }) => id))).toEqual([["nar-01", "nar-02"]]);
  const peer = platform.peer()!;
  const grant = { machineId: "nar-01", epoch: 1, playSessionId: "ps_1", leaseMs: 60_000 };
  expect(await peer.request("seat.grant", grant)).toEqual(done({}));
  const paidIn = await peer.request("egm.cashIn", { ...ask, transferId: "tr_00000001", amount: 900 });
  expect(paidIn).toEqual(done({ outcome: "done", amount: 900 }));
  const press = { ...ask, seq: 1, button: "spin", at: clock.now(), stake: 100 };
  expect(await peer.request("press", press)).toMatchObject({ data: { outcome: "started" } });
  const paidOut = await peer.request("egm.cashOut", { ...ask, transferId: "tr_00000002" });
  expect(paidOut).toEqual(done({ outcome: "done", amount: 900 }));
  expect(await peer.request("egm.transfer", { machineId: "nar-01", transferId: "tr_00000002" })).toEqual(
    done({ record: "done", amount: 900 }),
  );
  expect(await peer.request("egm.meters", { machineId: "nar-01" })).toMatchObject({ data: { state: "idle" } });
  for (const method of ["egm.enable", "egm.disable", "still.take"] as const) {
    expect(await peer.request(method, { machineId: "nar-01" })).toEqual(done({}));
  }
  expect(await peer.request("egm.resetHandPay", { machineId: "nar-01", handPayId: "hp_1" })).toEqual(done({}));
  expect(platform.stills[0]?.path).toBe("/agent/machines/nar-01/still");
  const offer = {
    machineId: "nar-01",
    viewerId: "v_1",
    role: "player" as const,
    epoch: 1,
    sdp: "offer",
    iceServers: [],
  };
  expect(await peer.request("rtc.offer", offer)).toEqual(done({ sdp: "answer to offer" }));
  expect(await peer.request("rtc.close", { machineId: "nar-01", viewerId: "v_1" })).toEqual(done({}));
  expect(await peer.request("seat.revoke", { machineId: "nar-01", epoch: 1 })).toEqual(done({}));
  const late = await peer.request("egm.cashIn", { ...ask, epoch: 1, transferId: "tr_00000001", amount: 900 });
  expect(late).toEqual(done({ outcome: "done", amount: 900 }));
});

test("a machine that cannot be disabled refuses it with a sentence that says what to do", async () => {
  fakes.set("nar-01", Object.assign(fakeMachine(), { staysEnabled: true }));
  await start(["nar-01"]);
  await linked();
  const answer = await platform.peer()!.request("egm.disable", { machineId: "nar-01" });
  expect(answer).toMatchObject({ is: "refused", refusal: { name: "machine.not_available" } });
  expect(JSON.stringify(answer)).toContain("use its own switch");
});

test("presses go on and events are kept while the platform is away; they are told in order when it is back", async () => {
  await start(["nar-01"]);
  await linked();
  const fake = fakes.get("nar-01")!;
  const machine = agent.machine("nar-01")!;
  await platform.peer()!.request("seat.grant", { ...ask, playSessionId: "ps_1", leaseMs: 60_000 });
  platform.answerHello = () => ({ is: "refused", problem: { name: "request.invalid", detail: "not yet" } });
  platform.sockets()[0]?.terminate();
  await until("loss", () => !agent.linked());
  const press = { epoch: 1, seq: 1, button: "spin", at: clock.now(), stake: 100 };
  expect(await machine.opened()?.pressGuard.press(press)).toMatchObject({ outcome: "started" });
  fake.tell({ what: "doorOpened" });
  fake.tell({ what: "doorClosed" });
  await until("journal", () => journal.machine("nar-01").waiting.length === 2);
  platform.answerHello = () => done({ clock: 0, renewMs: 1, taken: {} });
  await until("events", () => platform.told.length === 2);
  expect(platform.told.map(({ data }) => data.seq)).toEqual([1, 2]);
});

test("while an event waits, as behind a full disk, the meters say that more comes", async () => {
  await start(["nar-01"]);
  await linked();
  const shown = () => platform.peer()!.request("egm.meters", { machineId: "nar-01" });
  expect(await shown()).toMatchObject({ data: { eventsWait: false } });
  files.capacity = 0;
  fakes.get("nar-01")!.tell({ what: "doorOpened" });
  expect(await shown()).toMatchObject({ data: { eventsWait: true } });
  files.capacity = Number.POSITIVE_INFINITY;
  await until("event", () => platform.told.length === 1);
  await expect.poll(shown).toMatchObject({ data: { eventsWait: false } });
});

test("a restarted agent tells its highest epoch and what was not taken, and refuses what is old", async () => {
  await start(["nar-01"]);
  await linked();
  await platform.peer()!.request("seat.grant", { ...ask, epoch: 5, playSessionId: "ps_1", leaseMs: 60_000 });
  await agent.end();
  files = files.afterPowerCut(0);
  await start(["nar-01"]);
  await linked();
  expect(platform.hellos.at(-1)?.machines[0]?.epoch).toBe(5);
  const old = await platform.peer()!.request("egm.cashIn", { ...ask, transferId: "tr_00000009", amount: 5 });
  expect(old).toEqual(done({ outcome: "refused", amount: 0, refusal: "staleEpoch", reason: "stale epoch" }));
  const grant = await platform.peer()!.request("seat.grant", { ...ask, playSessionId: "ps_0", leaseMs: 60_000 });
  expect(grant).toMatchObject({ is: "refused", refusal: { code: 60016 } });
});

test("a machine that opens late is told in a new hello", async () => {
  fakes.set("nar-02", fakeMachine());
  fakes.get("nar-02")!.silent = true;
  await start(["nar-01", "nar-02"]);
  await linked();
  expect(platform.hellos[0]?.machines.length).toBe(1);
  const early = await platform
    .peer()!
    .request("egm.cashIn", { ...ask, machineId: "nar-02", transferId: "tr_00000001", amount: 5 });
  expect(early).toMatchObject({ data: { outcome: "refused", reason: "the machine cannot be reached" } });
  fakes.get("nar-02")!.silent = false;
  await until("second hello", () => platform.hellos.length === 2);
  expect(platform.hellos[1]?.machines.length).toBe(2);
});

test("a stopping agent lets a money command end and answers it", async () => {
  await start(["nar-01"]);
  await linked();
  const fake = fakes.get("nar-01")!;
  fake.fault = "hangs";
  const answer = platform.peer()!.request("egm.cashIn", { ...ask, transferId: "tr_00000001", amount: 5 });
  await until("intent", () => journal.machine("nar-01").transfers.size === 1);
  const ended = agent.end();
  fake.release();
  expect(await answer).toEqual(done({ outcome: "done", amount: 5 }));
  await ended;
});
