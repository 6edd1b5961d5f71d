import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { epochOf, systemClock } from "../../../system-clock.ts";
import { FrameReader, frameMessage, versionNote } from "../carriers/framing.ts";
import { withCrc } from "../protocol/bytes.ts";
import { describeExchange } from "../protocol/describe.ts";
import type { SasEvent } from "../protocol/events.ts";
import { currentCredits, handPay, selectedGame } from "../protocol/polls.ts";
import type { LineState } from "./line.ts";
import { LINE_TIMING } from "./line.ts";
import { TRACE_FILES } from "./trace-file.ts";
import { WorkerLine } from "./worker-line.ts";

/* The line in its own thread, over a real socket. */

let server: Server;
let folder: string;
let line: WorkerLine;
let queue: number[];
let acknowledged: number;

/** The least that a machine does: an exception until another poll follows, and the credit meter. */
function machineBehind(socket: Socket): void {
  const reader = new FrameReader();
  let message: number[] = [];
  let answered = false;
  const answer = (...bytes: number[]): void => {
    const framed = frameMessage(Uint8Array.from(bytes));
    // A machine's ninth bit is clear.
    framed[0] = (framed[0] ?? 0) & ~2;
    socket.write(framed);
  };
  const receive = (): void => {
    if (message[0] !== 0x81 && answered) {
      queue.shift();
      acknowledged += 1;
      answered = false;
    }
    if (message[0] === 0x81) {
      answered = queue.length > 0;
      answer(queue[0] ?? 0);
    }
    if (message[0] === 1 && message[1] === 0x1a) answer(...withCrc(Uint8Array.of(1, 0x1a, 0, 0, 0x12, 0x34)));
    // Not BCD: it arrives whole and breaks the protocol.
    if (message[0] === 1 && message[1] === 0x55) answer(...withCrc(Uint8Array.of(1, 0x55, 0xff, 0xff)));
  };
  socket.write(versionNote());
  socket.on("error", () => undefined);
  socket.on("data", (bytes) => {
    for (const unit of reader.read(bytes)) {
      if (unit.is !== "byte") continue;
      if (unit.wakeup) message = [];
      message.push(unit.byte);
      const whole = message[0] === undefined || message[0] >= 0x80 || message.length === 2;
      if (whole) receive();
    }
  });
}

beforeEach(async () => {
  [queue, acknowledged] = [[], 0];
  folder = await mkdtemp(join(tmpdir(), "sas-line-"));
  server = createServer(machineBehind);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
});
afterEach(async () => {
  await line.close();
  await new Promise((closed) => server.close(closed));
  await rm(folder, { recursive: true });
});

function open(accept: (event: SasEvent) => Promise<void>, states: LineState[] = []): WorkerLine {
  const { port } = server.address() as { port: number };
  line = new WorkerLine({
    carrier: { kind: "tcp", host: "127.0.0.1", port },
    ...{ address: 1, timing: { ...LINE_TIMING, pollMs: 40 }, epochMs: epochOf(systemClock()), traceFolder: folder },
    accept,
    changed: (state) => void states.push(state),
  });
  return line;
}

test("answers polls, reads them here, and writes its trace", async () => {
  const states: LineState[] = [];
  open(async () => undefined, states);
  expect(await line.poll(currentCredits())).toEqual({ is: "down" });
  await expect.poll(() => line.state().up).toBe(true);
  expect(await line.poll(currentCredits())).toEqual({ is: "answered", answer: 1_234 });
  expect(await line.poll(selectedGame())).toEqual({ is: "garbled", why: "ffff is not BCD" });
  expect(await line.poll(handPay())).toEqual({ is: "silent" });
  await expect.poll(() => line.counters().answered).toBeGreaterThan(2);
  await line.close();
  expect(states.at(-1)).toEqual({ up: false, why: "The line is closed." });
  expect(await line.poll(currentCredits())).toEqual({ is: "down" });
  const trace = await readFile(join(folder, TRACE_FILES[0]), "utf8");
  const credits = trace.split("\n").find((one) => one.includes(" 011a 011a")) ?? "";
  const [, sent = "", received = ""] = credits.split(" ");
  expect(describeExchange(Buffer.from(sent, "hex"), Buffer.from(received, "hex"))).toEqual({
    ...{ poll: "current credits", answer: "1234" },
  });
});

test("acknowledges an exception only when it is stored", async () => {
  queue = [0x11, 0x12];
  const stored: number[] = [];
  let release: () => void = () => undefined;
  open((event) => {
    expect(acknowledged).toBe(stored.length);
    stored.push(event.code);
    return new Promise((resolve) => {
      release = resolve;
    });
  });
  await expect.poll(() => stored).toEqual([0x11]);
  release();
  await expect.poll(() => stored).toEqual([0x11, 0x12]);
  expect(acknowledged).toBe(1);
  release();
  await expect.poll(() => acknowledged).toBe(2);
});
