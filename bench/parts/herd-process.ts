import { setTimeout as pause } from "node:timers/promises";
import { SUBPROTOCOL } from "@longarm/contract/envelope";
import WebSocket from "ws";
import type { HerdReport, HerdRequest } from "./sockets.ts";

/*
 * One process full of notification sockets, as pages open them. It gets its commands over its IPC channel and notes, by the computer's
 * monotonic clock, when each socket receives a status.
 */

/** Handshakes under way at once. */
const AT_ONCE = 50;

const sockets: WebSocket[] = [];
/** When each socket received the awaited status, ms of the monotonic clock. */
let received: number[] = [];
let wanted: { readonly machineId: string; readonly status: number } | undefined;

const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
const report = (message: HerdReport): void => void process.send?.(message);

async function open(url: string, playerId: string, token: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = new WebSocket(`${url}/notifications?token=${token}`, SUBPROTOCOL, { perMessageDeflate: false });
  sockets.push(socket);
  socket.on("error", reject);
  socket.on("close", (code) => {
    reject(new Error(`a socket was closed with ${code}`));
    report({ is: "lost", code });
  });
  socket.on("open", () =>
    socket.send(JSON.stringify({ request: true, id: 1, method: "init", data: { id: playerId } })),
  );
  socket.on("message", (data: Buffer) => {
    const frame = JSON.parse(data.toString("utf8")) as {
      readonly response?: boolean;
      readonly method?: string;
      readonly data?: { readonly id?: string; readonly status?: number };
    };
    if (frame.response) resolve();
    if (frame.method !== "machine" || wanted === undefined) return;
    if (frame.data?.id === wanted.machineId && frame.data.status === wanted.status) received.push(monotonicMs());
  });
  await promise;
}

const doing: { readonly [Is in HerdRequest["is"]]: (ask: Extract<HerdRequest, { is: Is }>) => Promise<void> } = {
  async open({ url, callers }) {
    for (let done = 0; done < callers.length; done += AT_ONCE) {
      await Promise.all(callers.slice(done, done + AT_ONCE).map(({ playerId, token }) => open(url, playerId, token)));
    }
    report({ is: "open", count: sockets.length });
  },
  async listen({ machineId, status }) {
    received = [];
    wanted = { machineId, status };
    report({ is: "listening" });
  },
  async count({ limitMs }) {
    const endsAt = monotonicMs() + limitMs;
    while (received.length < sockets.length && monotonicMs() < endsAt) await pause(10);
    report({ is: "received", at: received });
  },
};

process.on("message", (ask: HerdRequest) => {
  doing[ask.is](ask as never).catch((error: unknown) => report({ is: "failed", sentence: String(error) }));
});
process.on("disconnect", () => process.exit(0));
