import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Decoder, Demuxer } from "node-av/api";
import { afterEach, describe, expect, test } from "vitest";
import { OptionProblem, readOptions } from "./options.ts";
import type { RunningCabinet } from "./program.ts";
import { startCabinet } from "./program.ts";
import { fromHex, hex } from "./sas/bytes.ts";
import type { Clock } from "./sas/link-layer.ts";
import { createDecoder, encodeUnit } from "./sas/nine-bit.ts";
import { nalUnits, payloadsOf } from "./screen/rtp.ts";
import { answerTo, takeMessage } from "./screen/rtsp.ts";

const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function start(...args: string[]): Promise<RunningCabinet> {
  const folder = await mkdtemp(join(tmpdir(), "longarm-cabinet-"));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  const ports = ["--sas", "0", "--buttons", "0", "--control", "0", "--cycle", "200"];
  const options = readOptions([
    "--data",
    folder,
    ...ports,
    ...(args.includes("--screen") ? [] : ["--screen", "none"]),
    ...args,
  ]);
  if (options === "help") throw new Error("no help was wanted");
  const cabinet = await startCabinet(options, systemClock, () => undefined);
  ends.push(cabinet.close);
  return cabinet;
}

const framed = (text: string): Buffer =>
  Buffer.from(fromHex(text).flatMap((byte, index) => encodeUnit({ is: "character", byte, wakeup: index === 0 })));

/** Everything that arrives until it matches. */
async function until(socket: Socket, seen: { bytes: number[] }, wanted: RegExp): Promise<string> {
  while (!wanted.test(hex(seen.bytes))) await once(socket, "data");
  return hex(seen.bytes);
}

async function open(port: number): Promise<{ socket: Socket; seen: { bytes: number[] } }> {
  const socket = connect(port, "127.0.0.1");
  ends.push(() => void socket.destroy());
  socket.on("error", () => undefined);
  const seen = { bytes: [] as number[] };
  const decoder = createDecoder();
  socket.on("data", (data: Buffer) => {
    for (const unit of decoder.push(data)) if (unit.is === "character") seen.bytes.push(unit.byte);
  });
  await once(socket, "connect");
  return { socket, seen };
}

const control = (cabinet: RunningCabinet, init: RequestInit = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${cabinet.ports.control}/`, init);
const order = (cabinet: RunningCabinet, body: unknown): Promise<Response> =>
  control(cabinet, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

describe("the SAS line", () => {
  test("on TCP answers one host and refuses a second", async () => {
    const cabinet = await start();
    const { socket, seen } = await open(cabinet.ports.sas ?? 0);
    socket.write(framed("80"));
    socket.write(framed("011a"));
    await until(socket, seen, /^011a.{12}$/);
    const second = await open(cabinet.ports.sas ?? 0);
    if (!second.socket.destroyed) await once(second.socket, "close");
    socket.destroy();
    await expect
      .poll(async () => {
        const third = await open(cabinet.ports.sas ?? 0);
        third.socket.write(framed("80"));
        third.socket.write(framed("81"));
        await Promise.race([once(third.socket, "data"), once(third.socket, "close")]);
        return third.socket.bytesRead > 0;
      })
      .toBe(true);
  });
  test("on a pseudo terminal carries every byte", async () => {
    const cabinet = await start("--pty");
    const file = openSync(cabinet.pty ?? "", constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
    ends.push(() => closeSync(file));
    writeSync(file, framed("80"));
    writeSync(file, framed("0154"));
    const decoder = createDecoder();
    const bytes: number[] = [];
    const piece = Buffer.alloc(256);
    await expect
      .poll(() => {
        try {
          const read = readSync(file, piece);
          for (const unit of decoder.push(piece.subarray(0, read))) if (unit.is === "character") bytes.push(unit.byte);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
        }
        return hex(bytes);
      })
      .toMatch(/^01540f3630324c43.{24}$/);
  });
});

describe("the relay board", () => {
  test("presses the panel by a pulse on Modbus TCP, and cuts a client that breaks the frame", async () => {
    const cabinet = await start();
    await order(cabinet, { do: "bill", value: 100 });
    const { socket } = await open(cabinet.ports.buttons);
    socket.write(Buffer.from("000100000006010502000001", "hex"));
    await expect.poll(() => cabinet.powered.report()["inGame"]).toBe(true);
    socket.write(Buffer.from("000100010006010502000001", "hex"));
    await once(socket, "close");
  });
});

describe("the control", () => {
  test("reports, orders, and refuses what is no order", async () => {
    const cabinet = await start();
    expect(await (await order(cabinet, { do: "bill", value: 20 })).json()).toEqual({ done: true });
    expect(await (await control(cabinet)).json()).toMatchObject({ power: true, creditsSum: 2_000 });
    expect((await order(cabinet, { do: "explode" })).status).toBe(400);
    expect((await order(cabinet, { do: "tilt", words: "x".repeat(5_000) })).status).toBe(413);
    expect((await control(cabinet, { method: "POST", body: "{}" })).status).toBe(415);
    expect((await control(cabinet, { method: "DELETE" })).status).toBe(405);
  });
});

/** Starts the program itself on a memory. @returns its process and the port of its control. */
async function spawn(folder: string): Promise<{ child: ChildProcess; href: string }> {
  const args = [
    "--data",
    folder,
    "--sas",
    "0",
    "--buttons",
    "0",
    "--control",
    "0",
    "--screen",
    "none",
    "--cycle",
    "50",
  ];
  const child = fork(join(import.meta.dirname, "main.ts"), args, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  ends.push(() => void child.kill("SIGKILL"));
  const [{ ports }] = (await once(child, "message")) as [{ ports: { control: number } }];
  return { child, href: `http://127.0.0.1:${ports.control}/` };
}

test("a program that is killed while it writes continues with meters that agree with its credits", async () => {
  const folder = await mkdtemp(join(tmpdir(), "longarm-cabinet-"));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  for (let round = 0; round < 3; round += 1) {
    const { child, href } = await spawn(folder);
    const report = (await (await fetch(href)).json()) as { creditsSum: number; meters: Record<string, number> };
    const meter = (code: string): number => report.meters[code] ?? 0;
    expect(report.creditsSum / 10).toBe(meter("0b") + meter("01") - meter("00") - meter("03"));
    const headers = { "content-type": "application/json" };
    const one = (body: unknown): Promise<unknown> =>
      fetch(href, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => undefined);
    const orders: Promise<unknown>[] = [];
    for (let n = 0; n < 10 + round * 7; n += 1) {
      orders.push(one({ do: "bill", value: 20 }), one({ do: "press", button: "spin" }));
      if (n === 5) await orders[0];
    }
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
    await Promise.all(orders);
  }
});

describe("the screen", () => {
  test("is a camera that FFmpeg opens by RTSP", async () => {
    const cabinet = await start("--screen", "0");
    const url = `rtsp://127.0.0.1:${cabinet.ports.screen}/screen`;
    const input = await Demuxer.open(url, { format: "rtsp", options: { rtsp_transport: "tcp" } });
    ends.push(() => input.close());
    const video = input.video();
    if (video === undefined) throw new Error("the camera has no video");
    const decoder = await Decoder.create(video);
    ends.push(() => decoder.close());
    for await (const frame of decoder.frames(input.packets(video.index))) {
      expect([frame?.width, frame?.height]).toEqual([1_280, 720]);
      break;
    }
  });
  test("cuts a frame into whole units and fragments, which make the frame again", () => {
    const large = Buffer.concat([Buffer.from([0x65]), Buffer.alloc(5_000, 0x11)]);
    const unit = Buffer.concat([Buffer.from("0000000167aabb00000168cc000001", "hex"), large]);
    expect(nalUnits(unit).map(({ length }) => length)).toEqual([3, 2, 5_001]);
    const [sps, pps, ...pieces] = payloadsOf(unit);
    expect([sps, pps].map((one) => one?.toString("hex"))).toEqual(["67aabb", "68cc"]);
    expect(pieces.map((piece) => (piece[1] ?? 0) & 0xc0)).toEqual([0x80, 0x00, 0x00, 0x40]);
    expect(Buffer.concat(pieces.map((piece) => piece.subarray(2)))).toEqual(large.subarray(1));
  });
  test("reads requests in pieces, skips packets, and refuses what it cannot do", () => {
    const request = "OPTIONS rtsp://a/b RTSP/1.0\r\nCSeq: 1\r\n\r\n";
    expect(takeMessage(Buffer.from(request.slice(0, 20)))).toBeUndefined();
    expect(takeMessage(Buffer.from(`${request}rest`))?.used).toBe(request.length);
    expect(takeMessage(Buffer.from([0x24, 0, 0, 2, 9, 9, 9]))).toEqual({ request: null, used: 6 });
    expect(
      answerTo("SETUP rtsp://a/b RTSP/1.0\r\nCSeq: 2\r\nTransport: RTP/AVP;unicast;client_port=1-2").reply,
    ).toMatch(/ 461 /);
    expect(answerTo("NONSENSE").reply).toMatch(/ 400 /);
    expect(answerTo("RECORD rtsp://a/b RTSP/1.0\r\nCSeq: 2").reply).toMatch(/ 501 /);
  });
});

describe("the command line", () => {
  test.each([
    ["--denomination", "3"],
    ["--address", "128"],
    ["--brand", "other"],
    ["--lacks", "zz"],
    ["--host", "0.0.0.0"],
    ["--sas", "x"],
    ["--nonsense", "1"],
  ])("%s %s is refused with a sentence", (name, value) => {
    expect(() => readOptions([name, value])).toThrow(OptionProblem);
  });
  test("has defaults for everything", () => {
    expect(readOptions([])).toMatchObject({ sas: 7_601, screen: 7_604, wakeup: "required", model: { address: 1 } });
    expect(readOptions(["--help"])).toBe("help");
  });
});
