/*
 * One process that calls an HTTP server over connections that stay open, at a fixed rate or as fast as it is answered. It gets its commands over
 * its IPC channel. Sockets of its own instead of Node's client: that one costs more than the server that is measured.
 */
import type { Socket } from "node:net";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { CallsAsk, CallTimes } from "./callers.ts";
import { answerHead } from "./callers.ts";

/** Addresses that connections come from in turns: a platform limits what one address may ask. Loopback has 16 million. */
const ADDRESSES = 32;
/** Answers that come within this after the last call still count, ms. */
const GRACE_MS = 1_000;

type Line = { call(text: string, onStatus: (status: number) => void): void; end(): void };

async function openLine(port: number, number: number): Promise<Line> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const from = process.platform === "linux" ? { localAddress: `127.0.0.${2 + (number % ADDRESSES)}` } : {};
  const socket = connect({ host: "127.0.0.1", port, noDelay: true, ...from }, () => resolve(socket));
  let report: ((status: number) => void) | undefined;
  let text = "";
  socket.setEncoding("latin1");
  socket.on("error", (error) => {
    reject(error);
    report?.(0);
  });
  socket.on("close", () => report?.(0));
  socket.on("data", (part: string) => {
    text += part;
    const head = answerHead(text);
    if (head === undefined || text.length < head.bytes) return;
    text = "";
    const answered = report;
    report = undefined;
    answered?.(head.status);
  });
  await promise;
  return {
    call(request, onStatus) {
      report = onStatus;
      socket.write(request, "latin1");
    },
    end: () => void socket.destroy(),
  };
}

/** Times of answers from the moment each call was meant for, whether or not a connection was free then. */
async function callAll({ port, requests, connections, seconds, rate }: CallsAsk): Promise<CallTimes> {
  const lines = await Promise.all(Array.from({ length: connections }, (_, number) => openLine(port, number)));
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const times: number[] = [];
  const free = [...lines];
  const waiting: number[] = [];
  let first = 0;
  let failed = 0;
  let called = 0;
  const startsAt = performance.now();
  const endsAt = startsAt + seconds * 1_000;
  const meant = rate === null ? Number.POSITIVE_INFINITY : Math.floor(rate * seconds);

  function call(line: Line, intendedAt: number): void {
    line.call(requests[called++ % requests.length] ?? "", (status) => {
      if (status === 200) times.push(performance.now() - intendedAt);
      else failed += 1;
      const now = performance.now();
      const next = rate === null && now < endsAt ? now : waiting[first];
      if (next === undefined || status === 0) free.push(line);
      else {
        if (rate !== null) first += 1;
        call(line, next);
      }
      if (times.length + failed === (rate === null ? called : meant)) end();
    });
  }

  if (rate === null) for (const line of free.splice(0)) call(line, performance.now());
  for (let due = 0; rate !== null && due < meant; ) {
    const now = performance.now();
    for (; due < meant && startsAt + (due * 1_000) / rate <= now; due += 1) {
      const intendedAt = startsAt + (due * 1_000) / rate;
      const line = free.pop();
      if (line === undefined) waiting.push(intendedAt);
      else call(line, intendedAt);
    }
    // What has been given up cannot be answered in time any more.
    if (now > endsAt + GRACE_MS) break;
    await pause(1);
  }
  await Promise.race([over, pause(Math.max(0, endsAt - performance.now()) + GRACE_MS)]);
  for (const line of lines) line.end();
  return {
    times: Float64Array.from(times),
    failed,
    unanswered: (rate === null ? called : meant) - times.length - failed,
    seconds: (performance.now() - startsAt) / 1_000,
  };
}

process.on("message", (ask: CallsAsk) => {
  callAll(ask).then(
    (message) => process.send?.(message),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
process.on("disconnect", () => process.exit(0));
