import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FakeClock } from "../../../testing/fake-clock.ts";
import { fakeClock } from "../../../testing/fake-clock.ts";
import type { Carrier, LineUnit } from "../line/carrier.ts";
import { onSilence } from "../line/silence.ts";
import { tcpCarrier } from "./carriers.ts";
import { frameMessage, versionNote } from "./framing.ts";
import { framedDeviceCarrier, MarkReader, SerialCarrier } from "./serial.ts";
import { openPty } from "./testing/pty.ts";

let clock: FakeClock;
let units: LineUnit[];
let carrier: Carrier | undefined;
const reasons = (): string[] => units.flatMap((unit) => (unit.is === "disconnected" ? [unit.why] : []));
const connections = (): number => units.filter(({ is }) => is === "connected").length;
const open = (one: Carrier): Carrier => {
  carrier = one;
  one.open((unit) => units.push(unit));
  return one;
};

beforeEach(() => {
  clock = fakeClock();
  units = [];
});
afterEach(() => carrier?.close());

describe("the framed stream over TCP", () => {
  let server: Server;
  let sockets: Socket[];
  let received: Buffer;
  const port = (): number => (server.address() as { port: number }).port;

  beforeEach(async () => {
    sockets = [];
    received = Buffer.alloc(0);
    server = createServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => undefined);
      socket.on("data", (bytes) => {
        received = Buffer.concat([received, bytes]);
      });
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const dial = async (): Promise<Carrier> => {
    const one = open(tcpCarrier({ host: "127.0.0.1", port: port() }, clock));
    await expect.poll(connections).toBe(1);
    await expect.poll(() => sockets.length).toBe(1);
    return one;
  };

  test("begins with the version, and carries messages both ways", async () => {
    const one = await dial();
    one.send(Uint8Array.of(0x81));
    await expect.poll(() => [...received]).toEqual([...versionNote(), ...frameMessage(Uint8Array.of(0x81))]);
    sockets[0]?.write(Uint8Array.of(...versionNote(), 0x8a, 20, 0x80, 0x51));
    await expect
      .poll(() => units.slice(1))
      .toEqual([
        { is: "gap", ms: 20 },
        { is: "byte", byte: 0x51, wakeup: false },
      ]);
  });
  test("what had reached this computer is delivered before the line counts as silent", async () => {
    const one = await dial();
    const judged: number[] = [];
    onSilence({ carrier: one, clock, timing: { slackMs: 0 } }, 5, () =>
      judged.push(units.filter(({ is }) => is === "byte").length),
    );
    sockets[0]?.write(frameMessage(Uint8Array.of(1, 0x1a)));
    // The computer was busy: its clock rings before it reads.
    clock.advance(10_000);
    await expect.poll(() => judged).toEqual([2]);
  });
  test("is opened again when the front end closes it, later each time that nothing came of it", async () => {
    await dial();
    sockets[0]?.destroy();
    await expect.poll(reasons).toEqual(["The front end closed the connection without a word: it has another host."]);
    await clock.pass(249);
    expect(sockets.length).toBe(1);
    await clock.pass(1);
    await expect.poll(connections).toBe(2);
    await expect.poll(() => sockets.length).toBe(2);
    sockets[1]?.destroy();
    await expect.poll(() => reasons().length).toBe(2);
    await clock.pass(499);
    expect(connections()).toBe(2);
    await clock.pass(1);
    await expect.poll(connections).toBe(3);
  });
  test.each<[string, (socket: Socket | undefined) => unknown]>([
    ["closes", (socket) => socket?.end()],
    ["resets the connection", (socket) => socket?.resetAndDestroy()],
  ])("a front end that %s without a word has another host", async (_how, leave) => {
    await dial();
    leave(sockets[0]);
    await expect
      .poll(reasons)
      .toEqual([expect.stringMatching(/^The front end closed .* without a word: it has another host/)]);
  });
  test("a front end that is away is named, and dialled again", async () => {
    const gone = port();
    await new Promise((closed) => server.close(closed));
    open(tcpCarrier({ host: "127.0.0.1", port: gone }, clock));
    await expect.poll(reasons).toEqual([expect.stringMatching(/^The front end 127\.0\.0\.1:\d+ cannot be reached: /)]);
    await new Promise<void>((listening) => server.listen(gone, "127.0.0.1", listening));
    await clock.pass(250);
    await expect.poll(connections).toBe(1);
  });
  test.each([
    ["speaks another version", Buffer.of(0x88, 9), /version 9/],
    ["is a web server", Buffer.from(`HTTP/1.1 400 Bad Request\r\n${"x".repeat(300)}`), /does not speak the framing/],
    ["sends more than a line can", Buffer.alloc(100_000, Buffer.of(0x80, 0x01)), /more than a serial line/],
  ])("one that %s is left", async (_what, bytes, sentence) => {
    await dial();
    sockets[0]?.write(bytes);
    await expect.poll(reasons).toEqual([expect.stringMatching(sentence)]);
    await expect.poll(() => sockets[0]?.destroyed).toBe(true);
  });
  test("one that reads nothing is left", async () => {
    const one = await dial();
    sockets[0]?.pause();
    for (let n = 0; n < 100_000 && reasons().length === 0; n += 1) one.send(new Uint8Array(80));
    expect(reasons()).toEqual(["The front end does not read what it is sent."]);
  });
  test("after its end it does nothing more", async () => {
    const one = await dial();
    await one.close();
    await clock.pass(60_000);
    expect(connections()).toBe(1);
    one.send(Uint8Array.of(0x81));
    expect(reasons()).toEqual([]);
  });
});

describe("a serial device", () => {
  test.each([
    ["/dev/null", "/dev/null cannot be used: it is no serial port."],
    ["/dev/longarm-none", "/dev/longarm-none cannot be opened: there is no such device; is the adapter plugged in."],
    [tmpdir(), `${tmpdir()} cannot be opened: it is a folder.`],
  ])("%s is refused with a sentence", async (device, sentence) => {
    open(new SerialCarrier(device, clock));
    expect(reasons()).toEqual([sentence]);
    await clock.pass(1_000);
    expect(reasons()).toEqual([sentence, sentence]);
  });
  test("that has no mark and space parity is refused for the machine's own line", () => {
    const { device, other } = openPty();
    open(new SerialCarrier(device, clock));
    expect(reasons()).toEqual([
      `${device} cannot be used: the port cannot send mark and space parity, which carries the ninth bit.`,
    ]);
    other.destroy();
  });
  test("carries the framed stream, and is opened again when it went away", async () => {
    const { device, other } = openPty();
    let received = Buffer.alloc(0);
    other.on("error", () => undefined);
    other.on("data", (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
    });
    const one = open(framedDeviceCarrier(device, clock));
    await expect.poll(connections).toBe(1);
    one.send(Uint8Array.of(0x01, 0x1a));
    await expect.poll(() => [...received]).toEqual([...versionNote(), 0x82, 0x01, 0x80, 0x1a]);
    (other as unknown as NodeJS.WritableStream).write(Buffer.of(0x80, 0x51, 0x81, 0x7f, 0x80, 0x0d, 0x80, 0x03));
    await expect
      .poll(() => units.slice(1))
      .toEqual([0x51, 0xff, 0x0d, 0x03].map((byte) => ({ is: "byte", byte, wakeup: false })));
    other.destroy();
    await expect.poll(() => reasons().length).toBe(1);
    await clock.pass(250);
    expect(reasons()[1]).toMatch(/cannot be opened/);
  });
});

describe("characters with marked errors", () => {
  const read = (...bytes: number[]) => {
    const reader = new MarkReader();
    return bytes.flatMap((byte) => reader.read(Uint8Array.of(byte)));
  };
  test("keep their value and their ninth bit", () => {
    expect(read(0x01, 0xff, 0xff, 0xff, 0x00, 0x07, 0x02)).toEqual([
      { is: "byte", byte: 0x01, wakeup: false },
      { is: "byte", byte: 0xff, wakeup: false },
      { is: "byte", byte: 0x07, wakeup: true },
      { is: "byte", byte: 0x02, wakeup: false },
    ]);
  });
  test("a break, and what cannot be, is damage", () => {
    expect(read(0xff, 0x00, 0x00, 0x05, 0xff, 0x33)).toEqual([
      { is: "damage", what: "framing" },
      { is: "byte", byte: 0x05, wakeup: false },
      { is: "damage", what: "framing" },
    ]);
  });
});
