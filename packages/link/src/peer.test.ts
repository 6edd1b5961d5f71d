import { gameSocket } from "@longarm/contract/game-socket";
import { notificationSocket } from "@longarm/contract/notification-socket";
import { expect, test, vi } from "vitest";
import type { Handled } from "./answer.ts";
import { done, refused } from "./answer.ts";
import { createPeer } from "./peer.ts";
import { fakeTimers, socketPair } from "./testing.ts";

type Init = () => Handled<Record<string, never>> | Promise<Handled<Record<string, never>>>;

function notificationPair(init: Init = () => done({})) {
  const [near, far] = socketPair();
  const timers = fakeTimers();
  const log = vi.fn();
  const onBalance = vi.fn();
  const closed = vi.fn();
  const server = createPeer({
    contract: notificationSocket,
    end: "server",
    socket: far,
    timers,
    handlers: { init },
    log,
    onClose: closed,
  });
  const client = createPeer({
    contract: notificationSocket,
    end: "client",
    socket: near,
    timers,
    handlers: {},
    listeners: { balance: onBalance },
    log,
  });
  return { near, far, timers, log, onBalance, closed, server, client };
}

test("a request is answered by the other end's handler", async () => {
  const { client } = notificationPair();
  expect(await client.request("init", { id: "p_1" })).toEqual({ is: "done", data: {} });
});

test("a refusal carries the catalogue's code and name", async () => {
  const { client } = notificationPair(() => refused("request.too_many", { params: { seconds: 3 } }));
  expect(await client.request("init", { id: "p_1" })).toMatchObject({
    is: "refused",
    refusal: { code: 60030, name: "request.too_many", params: { seconds: 3 } },
  });
});

test("silence is unknown after the deadline, never a refusal", async () => {
  const { client, timers } = notificationPair(() => new Promise(() => {}));
  const answer = client.request("init", { id: "p_1" });
  timers.advance(notificationSocket.client.requests.init.deadlineMs);
  expect(await answer).toEqual({ is: "unknown", cause: "deadline" });
});

test("a closed link makes every open request unknown", async () => {
  const { client, server, closed } = notificationPair(() => new Promise(() => {}));
  const answer = client.request("init", { id: "p_1" });
  server.close(1012, "restart");
  expect(await answer).toEqual({ is: "unknown", cause: "closed" });
  expect(await client.request("init", { id: "p_1" })).toEqual({ is: "unknown", cause: "closed" });
  expect(closed).toHaveBeenCalledWith(1012, "restart");
});

test("a handler that throws refuses and is logged; the link lives on", async () => {
  const { client, log } = notificationPair(() => {
    throw new Error("bug");
  });
  expect(await client.request("init", { id: "p_1" })).toMatchObject({ is: "refused" });
  expect(log).toHaveBeenCalledOnce();
  expect(await client.request("init", { id: "p_1" })).toMatchObject({ is: "refused" });
});

test("notifications are parsed; bad ones are dropped and logged, unknown ones ignored", async () => {
  const { server, far, onBalance, log } = notificationPair();
  server.notify("balance", { balance: 500 });
  far.send('{"notification":true,"method":"balance","data":{"balance":-1}}');
  far.send('{"notification":true,"method":"__proto__","data":{}}');
  far.send('{"notification":true,"method":"fromTheFuture","data":{}}');
  expect(onBalance.mock.calls).toEqual([[{ balance: 500 }]]);
  expect(log).toHaveBeenCalledOnce();
});

test.each([
  ["not JSON", "hello", 1008],
  ["an array", "[]", 1008],
  ["no kind", '{"id":1}', 1008],
  ["a negative id", '{"request":true,"id":-1,"method":"init"}', 1008],
  ["a huge method", JSON.stringify({ request: true, id: 1, method: "m".repeat(65) }), 1008],
  ["an oversized frame", `{"request":true,"id":1,"method":"init","data":"${"x".repeat(65_536)}"}`, 1009],
])("a frame that is %s closes the socket", (_name, frame, code) => {
  const { near, closed } = notificationPair();
  near.send(frame);
  expect(closed.mock.calls[0]?.[0]).toBe(code);
});

test.each(["nothing", "constructor", "__proto__", "toString"])("the unknown request %j is refused", async (method) => {
  const { near } = notificationPair();
  const frames: string[] = near.received;
  near.send(JSON.stringify({ request: true, id: 7, method, data: {} }));
  await vi.waitFor(() => expect(frames).toHaveLength(1), { timeout: 15_000 });
  expect(JSON.parse(frames[0] ?? "")).toMatchObject({ response: true, id: 7, ok: false, errorCode: 60031 });
});

test("malformed input is refused with the field named", async () => {
  const [near, far] = socketPair();
  const never = () => Promise.reject(new Error("not called"));
  const handlers = {
    init: never,
    about: never,
    offer: never,
    cashIn: never,
    cashOut: never,
    press: never,
    callAttendant: never,
    continue: never,
    keepPlaying: never,
    checkEvery: never,
    hold: never,
    leave: never,
  };
  createPeer({ contract: gameSocket, end: "server", socket: far, timers: fakeTimers(), handlers, log: () => {} });
  near.send('{"request":true,"id":1,"method":"cashIn","data":{"id":"tr_00000001","amount":1.5}}');
  await vi.waitFor(() => expect(near.received).toHaveLength(1), { timeout: 15_000 });
  expect(JSON.parse(near.received[0] ?? "")).toMatchObject({ ok: false, errorCode: 60031 });
  expect(near.received[0]).toContain("amount");
});

test("acceptance: a client drops a malformed frame of its server and stays; only a burst closes the socket", async () => {
  const { client, far, onBalance, timers } = notificationPair();
  for (const frame of ["{", "7", '{"notification":true}', "nonsense", '{"request":1}']) far.send(frame);
  far.send('{"notification":true,"method":"balance","data":{"balance":5}}');
  await vi.waitFor(() => expect(onBalance).toHaveBeenCalledTimes(1), { timeout: 15_000 });
  expect(client.closed).toBe(false);
  timers.advance(10_000);
  for (let frames = 0; frames < 5; frames += 1) far.send("{");
  far.send('{"notification":true,"method":"balance","data":{"balance":6}}');
  await vi.waitFor(() => expect(onBalance).toHaveBeenCalledTimes(2), { timeout: 15_000 });
  expect(client.closed).toBe(false);
  far.send("{");
  await vi.waitFor(() => expect(client.closed).toBe(true), { timeout: 15_000 });
});

test("the first response counts; a doubled or unasked one is ignored", async () => {
  const { client, far } = notificationPair();
  const answer = client.request("init", { id: "p_1" });
  far.send('{"response":true,"id":1,"ok":false,"errorCode":50100}');
  far.send('{"response":true,"id":1,"ok":true,"data":{}}');
  far.send('{"response":true,"id":99,"ok":true,"data":{}}');
  expect(await answer).toMatchObject({ is: "refused", refusal: { code: 50100, name: "session.terminated" } });
});

test("a server that sends no beats may be silent for any time", () => {
  const { client, timers } = notificationPair();
  timers.advance(3_600_000);
  expect(client.closed).toBe(false);
});

test("silence is counted from the last frame, of any kind", async () => {
  const { server, far, closed, client, timers } = notificationPair();
  const turn = (): void => timers.advance(2_500);
  far.send('{"notification":true,"method":"beat","data":{"everyMs":2500}}');
  for (let turns = 0; turns < 3; turns += 1) turn();
  server.notify("balance", { balance: 1 });
  for (let turns = 0; turns < 3; turns += 1) turn();
  expect(client.closed).toBe(false);
  const answer = client.request("init", { id: "p_1" });
  await answer;
  for (let turns = 0; turns < 4; turns += 1) turn();
  expect(client.closed).toBe(true);
  expect(closed).toHaveBeenCalledWith(1013, "silent");
  expect(timers.waiting).toBe(0);
});

test("a page that was suspended does not take its own sleep for the server's silence", () => {
  const { far, client, timers } = notificationPair();
  far.send('{"notification":true,"method":"beat","data":{"everyMs":2500}}');
  timers.advance(3_600_000);
  far.send('{"notification":true,"method":"beat","data":{"everyMs":2500}}');
  for (let turns = 0; turns < 3; turns += 1) timers.advance(2_500);
  expect(client.closed).toBe(false);
});

test.each([0, -1, 1.5, 100_000, "2500"])("a beat of %j is none", (everyMs) => {
  const { far, timers, log } = notificationPair();
  far.send(JSON.stringify({ notification: true, method: "beat", data: { everyMs } }));
  expect(log).toHaveBeenCalledOnce();
  expect(timers.waiting).toBe(0);
});

test("its socket gets the number of open requests, and 0 only after the last answer", async () => {
  const counts: number[] = [];
  const [near, far] = socketPair();
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const open = [...answers];
  const socket = {
    ...far,
    answering: (count: number) => void counts.push(count === 0 ? near.received.length : -count),
  };
  const both = { contract: notificationSocket, timers: fakeTimers(), log: vi.fn() };
  createPeer({ ...both, end: "server", socket, handlers: { init: () => open.shift()!.promise.then(() => done({})) } });
  const client = createPeer({ ...both, end: "client", socket: near, handlers: {} });
  const requests = [client.request("init", { id: "p_1" }), client.request("init", { id: "p_1" })];
  expect(counts).toEqual([-1, -2]);
  for (const { resolve } of answers) resolve();
  await Promise.all(requests);
  // Both answers had left when it got 0.
  expect(counts).toEqual([-1, -2, -1, 2]);
});
