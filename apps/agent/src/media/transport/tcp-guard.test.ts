import { once } from "node:events";
import { connect, createServer, Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { goodOffer } from "../testing/offers.ts";
import { realClock } from "../testing/real-clock.ts";
import { limitListener } from "./werift/stranger-guard.ts";
import { createWeriftTransport } from "./werift/transport.ts";

const SOON = { timeout: 20_000, interval: 20 };
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

function knock(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}).resume();
  sockets.push(socket);
  return socket;
}

test("strangers cannot pile up connections at a viewer's TCP listener", async () => {
  const transport = createWeriftTransport(realClock, { extraAddresses: ["127.0.0.1"], onlyExtraAddresses: true });
  const nothing = (): void => undefined;
  const events = {
    ...{ connected: nothing, interrupted: nothing, closed: nothing, candidate: nothing },
    ...{ channelOpen: nothing, data: nothing, rtcp: nothing },
  };
  const { sdp } = await transport.addViewer({ viewerId: "v", sdp: goodOffer(), iceServers: [] }, events);
  try {
    const [, port] = / 127\.0\.0\.1 (\d+) typ host tcptype passive/.exec(sdp) ?? [];
    expect(port).toBeDefined();
    for (let count = 0; count < 40; count += 1) knock(Number(port));
    const held = () => sockets.filter(({ destroyed, readyState }) => !destroyed && readyState === "open").length;
    await vi.waitFor(() => expect(sockets.filter(({ destroyed }) => destroyed).length).toBe(24), SOON);
    expect(held()).toBe(16);
  } finally {
    await transport.close();
  }
});

test("a connection on which nothing goes is closed", async () => {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  limitListener(listener, 50);
  const silent = knock((listener.address() as { port: number }).port);
  await once(silent, "close");
  listener.close();
});

test("no packet waits for the acknowledgement of the one before it", async () => {
  const listener = createServer();
  const accepted = once(listener, "connection") as Promise<[Socket]>;
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const noDelay = vi.spyOn(Socket.prototype, "setNoDelay");
  limitListener(listener);
  knock((listener.address() as { port: number }).port);
  await accepted;
  expect(noDelay).toHaveBeenCalledWith(true);
  noDelay.mockRestore();
  listener.close();
});
