import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../../system-clock.ts";
import { openCarrier } from "../carriers/carriers.ts";
import type { ByteReader } from "../protocol/bytes.ts";
import type { LongPoll } from "../protocol/polls.ts";
import { Line } from "./line.ts";
import { TraceFile } from "./trace-file.ts";
import type { FromLine, LineStart, SentPoll, ToLine } from "./worker-line.ts";

/* The thread of one line: carrier, polls and trace. It knows neither money nor games. */

const COUNTERS_MS = 1_000;

/** Encoders use whole cores; a line needs little of one, at its moment. */
const NICE = -10;
try {
  // On Linux 0 is this thread alone.
  setPriority(0, NICE);
} catch {
  // Needs root, or the limit of nice that our unit for systemd sets. Without it polls are late on a computer that is full.
}

const { carrier, address, timing, epochMs, traceFolder, unacknowledged } = workerData as LineStart;
const clock = systemClock(epochMs);
const send = (message: FromLine): void => parentPort?.postMessage(message);
const trace = traceFolder === undefined ? undefined : new TraceFile(traceFolder, clock);
/** Resolvers of exceptions that wait to be stored. */
const storing = new Map<number, () => void>();
let events = 0;

const line = new Line({
  ...{ carrier: await openCarrier(carrier, clock), clock, address, timing, unacknowledged },
  accept: (event) =>
    new Promise((stored) => {
      events += 1;
      storing.set(events, stored);
      send({ is: "event", number: events, event });
    }),
  acknowledged: () => send({ is: "acknowledged" }),
  romSignature: (signature) => send({ is: "romSignature", signature }),
  changed: (state) => send({ is: "state", state }),
  awaitsPlayer: (awaits) => send({ is: "awaitsPlayer", awaits }),
  ...(trace !== undefined && { trace: (exchange) => trace.add(exchange) }),
});

parentPort?.on("message", (message: ToLine) => {
  if (message.is === "poll") void poll(message);
  else if (message.is === "pollMs") line.setPollMs(message.pollMs);
  else if (message.is === "close") void close();
  else {
    storing.get(message.number)?.();
    storing.delete(message.number);
  }
});
clock.every(COUNTERS_MS, () => send({ is: "counters", counters: line.counters() }));

async function poll({ number, poll: sent, options }: Extract<ToLine, { is: "poll" }>): Promise<void> {
  send({ is: "outcome", number, outcome: await line.poll(rawPoll(sent), options) });
}

/** The bytes of the answer; the sender of the poll reads them. */
const rawPoll = (sent: SentPoll): LongPoll<Uint8Array> => ({
  ...sent,
  read: (reader: ByteReader) => reader.take(reader.left).slice(),
});

async function close(): Promise<void> {
  await line.close();
  await trace?.close();
  send({ is: "closed" });
  parentPort?.close();
}
