import type { MemorySocket } from "@longarm/link/testing";
import { fakeTimers, socketPair } from "@longarm/link/testing";
import { expect, test, vi } from "vitest";
import { createNotificationEvents } from "./notification-events.ts";
import { keepNotified } from "./notifications.ts";

function connect() {
  const servers: MemorySocket[] = [];
  const timers = fakeTimers();
  const states: string[] = [];
  const emit = vi.fn();
  const log = vi.fn();
  const addresses: string[] = [];
  const link = keepNotified({
    address: () => ({ url: "ws://x/notifications?token=secret" }),
    playerId: "p_1",
    emit,
    onState: ({ is }) => void states.push(is),
    timers,
    random: () => 0.5,
    log,
    async open({ url }) {
      addresses.push(url);
      const [ours, theirs] = socketPair();
      theirs.listen({ text: () => {}, binary: () => {}, closed: () => {} });
      servers.push(theirs);
      return ours;
    },
  });
  const push = (method: string, data: unknown) =>
    servers.at(-1)?.send(JSON.stringify({ notification: true, method, data }));
  return { link, servers, timers, states, emit, log, addresses, push };
}

test("it says who it is, and passes on what it is told", async () => {
  const { servers, emit, push } = connect();
  await vi.waitFor(() => expect(servers[0]?.received).toHaveLength(1), { timeout: 15_000 });
  expect(JSON.parse(servers[0]?.received[0] ?? "")).toMatchObject({
    request: true,
    method: "init",
    data: { id: "p_1" },
  });
  push("machine", { id: 7, status: 3 });
  push("balance", { balance: 500, onMachine: 20 });
  expect(emit.mock.calls).toEqual([
    ["machine", { id: "7", status: 3 }],
    ["balance", { balance: 500, onMachine: 20 }],
  ]);
});

test("hostile data is dropped with a line in the log, and nothing else is lost", async () => {
  const { servers, emit, log, push } = connect();
  await vi.waitFor(() => expect(servers).toHaveLength(1), { timeout: 15_000 });
  push("balance", { balance: -5 });
  push("balance", { balance: 1.5 });
  push("machine", "x");
  push("nonsense", {});
  expect(emit).not.toHaveBeenCalled();
  expect(log).toHaveBeenCalledTimes(3);
  push("machine", { id: "a", status: 1 });
  expect(emit).toHaveBeenCalledOnce();
  expect(log.mock.calls.join(" ")).not.toContain("secret");
});

test("it comes back after a loss, and never after a final close", async () => {
  const { servers, timers, states } = connect();
  await vi.waitFor(() => expect(servers).toHaveLength(1), { timeout: 15_000 });
  servers[0]?.close(1012, "restart");
  expect(states.at(-1)).toBe("waiting");
  timers.advance(1_000);
  await vi.waitFor(() => expect(servers).toHaveLength(2), { timeout: 15_000 });
  await vi.waitFor(() => expect(states.at(-1)).toBe("open"), { timeout: 15_000 });
  servers[1]?.close(4000, "banned");
  expect(states.at(-1)).toBe("ended");
  timers.advance(60_000);
  expect(servers).toHaveLength(2);
});

test("a listener that left hears nothing more, even in the middle of a round", () => {
  const events = createNotificationEvents();
  const heard: string[] = [];
  const end = events.on("machine", ({ id }) => {
    heard.push(`first ${id}`);
    end();
  });
  events.on("machine", ({ id }) => void heard.push(`second ${id}`));
  events.emit("machine", { id: "a", status: 1 });
  events.emit("machine", { id: "b", status: 1 });
  expect(heard).toEqual(["first a", "second a", "second b"]);
});
