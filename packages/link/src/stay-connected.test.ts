import { expect, test, vi } from "vitest";
import type { FrameSocket } from "./socket.ts";
import type { LinkState } from "./stay-connected.ts";
import { stayConnected } from "./stay-connected.ts";
import { fakeTimers, socketPair } from "./testing.ts";

function start(open: () => Promise<FrameSocket>) {
  const timers = fakeTimers();
  const states: LinkState["is"][] = [];
  const waits: number[] = [];
  const link = stayConnected({
    open,
    timers,
    random: () => 0.999_999,
    session: (socket, lost) => socket.listen({ text() {}, binary() {}, closed: lost }),
    onState(state) {
      states.push(state.is);
      if (state.is === "waiting") waits.push(state.inMs);
    },
  });
  return { link, timers, states, waits };
}

test("failures wait longer each time, up to the limit", async () => {
  const open = vi.fn(() => Promise.reject(new Error("no server")));
  const { timers, waits } = start(open);
  for (let attempt = 1; attempt <= 8; attempt += 1) {
    await vi.waitFor(() => expect(waits).toHaveLength(attempt), { timeout: 15_000 });
    timers.advance(waits.at(-1) ?? 0);
  }
  expect(waits).toEqual([300, 600, 1200, 2400, 4800, 9600, 10_000, 10_000]);
});

test("a lost connection comes back; a final one does not", async () => {
  const far: FrameSocket[] = [];
  const { timers, states, waits } = start(() => {
    const [near, other] = socketPair();
    far.push(other);
    return Promise.resolve(near);
  });
  await vi.waitFor(() => expect(states.at(-1)).toBe("open"), { timeout: 15_000 });
  far[0]?.close(1012, "restart");
  expect(states.at(-1)).toBe("waiting");
  timers.advance(waits[0] ?? 0);
  await vi.waitFor(() => expect(far).toHaveLength(2), { timeout: 15_000 });
  await vi.waitFor(() => expect(states.at(-1)).toBe("open"), { timeout: 15_000 });
  far[1]?.close(4000, "banned");
  expect(states.at(-1)).toBe("ended");
  timers.advance(60_000);
  expect(far).toHaveLength(2);
});

test("a connection that held is forgiven its earlier failures", async () => {
  const far: FrameSocket[] = [];
  const { timers, states, waits } = start(() => {
    const [near, other] = socketPair();
    far.push(other);
    return far.length === 1 ? Promise.reject(new Error("once")) : Promise.resolve(near);
  });
  await vi.waitFor(() => expect(states.at(-1)).toBe("waiting"), { timeout: 15_000 });
  timers.advance(waits[0] ?? 0);
  await vi.waitFor(() => expect(states.at(-1)).toBe("open"), { timeout: 15_000 });
  timers.advance(5_000);
  far[1]?.close(1006, "");
  expect(waits).toEqual([300, 300]);
});

test("stopping while waiting leaves no timer and never opens again", async () => {
  const open = vi.fn(() => Promise.reject(new Error("no server")));
  const { link, timers, states } = start(open);
  await vi.waitFor(() => expect(states.at(-1)).toBe("waiting"), { timeout: 15_000 });
  link.stop();
  timers.advance(60_000);
  expect(open).toHaveBeenCalledOnce();
  expect(states.at(-1)).toBe("ended");
  expect(timers.waiting).toBe(0);
});

test("retryNow skips the wait", async () => {
  const open = vi.fn(() => Promise.reject(new Error("no server")));
  const { link, states } = start(open);
  await vi.waitFor(() => expect(states.at(-1)).toBe("waiting"), { timeout: 15_000 });
  link.retryNow();
  expect(open).toHaveBeenCalledTimes(2);
});
