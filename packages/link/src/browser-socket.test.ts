import { afterEach, expect, test, vi } from "vitest";
import { openBrowserSocket } from "./browser-socket.ts";
import { fakeTimers } from "./testing.ts";

afterEach(() => vi.unstubAllGlobals());

function fakeWebSocket() {
  vi.stubGlobal("WebSocket", { OPEN: 1 });
  return { readyState: 0, send: vi.fn(), close: vi.fn(), bufferedAmount: 0 } as unknown as WebSocket;
}

test("a server that takes the connection and never opens the socket is given up", async () => {
  const timers = fakeTimers();
  const socket = fakeWebSocket();
  const opening = openBrowserSocket("ws://127.0.0.1/", () => socket, timers);
  const failed = expect(opening).rejects.toThrow("did not open in time");
  timers.advance(10_000);
  await failed;
  expect(socket.close).toHaveBeenCalledOnce();
});

test("a socket that opened in time leaves no timer", async () => {
  const timers = fakeTimers();
  const socket = fakeWebSocket();
  const opening = openBrowserSocket("ws://127.0.0.1/", () => socket, timers);
  socket.onopen?.({} as Event);
  await opening;
  expect(timers.waiting).toBe(0);
  timers.advance(60_000);
  expect(socket.close).not.toHaveBeenCalled();
});
