import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable, Writable } from "node:stream";
import { simulatedFloor } from "@longarm/reels/brands";
import { WebSocketServer } from "ws";
import type { SimulatedMachine } from "../../apps/agent/src/drivers/simulated/index.ts";
import { createSimulatedFloor } from "../../apps/agent/src/drivers/simulated/index.ts";
import { paintedPictures } from "../../apps/agent/src/drivers/simulated/painter.ts";
import { systemClock } from "../../apps/agent/src/system-clock.ts";
import type { FeedReport, FeedRequest } from "./feed.ts";
import { ffmpegLine } from "./feed.ts";

/*
 * The peer's side of the machine, in a process of its own as the agent is: the same machine with the same painter and games, whose
 * pictures FFmpeg encodes and sends. Presses come over a WebSocket straight from the page.
 */

/** Minor units; enough for every game of a measurement. */
const CREDIT = 100_000;
const clock = systemClock();
const FLOOR = simulatedFloor(4).slice(0, 1);
const report = (message: FeedReport): void => void process.send?.(message);

async function openMachine({ folder, seed, minCycleMs }: FeedRequest): Promise<SimulatedMachine> {
  const [machine] = await createSimulatedFloor({ folder, seed, minCycleMs, machines: FLOOR, clock });
  if (machine === undefined) throw new Error("There is no machine.");
  await machine.egm.enable();
  await machine.egm.cashIn({ transferId: "bench", amount: CREDIT });
  return machine;
}

/** Gives FFmpeg each picture whole; one that comes while the last is still being taken is left out, as the agent does. */
async function feed({ source }: Pick<ReturnType<typeof paintedPictures>, "source">, encoder: Writable) {
  let handedMs: number[] = [];
  let left = 0;
  let busy = false;
  await source.open({
    video({ data, capturedAtMs }) {
      if (busy) {
        left += 1;
        return;
      }
      busy = true;
      // The painter paints the next picture into the same memory.
      encoder.write(Buffer.from(data), () => {
        busy = false;
        handedMs.push(clock.now() - capturedAtMs);
      });
    },
    audio: () => undefined,
    ended: (reason) => report({ is: "failed", sentence: reason }),
  });
  return () => {
    const handed = { handedMs, left };
    [handedMs, left] = [[], 0];
    return handed;
  };
}

const EMPTY_PAGE = "<!doctype html><title>The peer</title><body></body>";

/** An empty page for the viewer, and a WebSocket for its presses. */
async function takePresses({ egm }: SimulatedMachine, minCycleMs: number): Promise<number> {
  const http = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(EMPTY_PAGE));
  const server = new WebSocketServer({ server: http, perMessageDeflate: false });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  let turning = false;
  let begunAt = 0;
  const look = async (): Promise<void> => {
    const { inGame } = await egm.meters();
    // A press that comes sooner would be refused.
    const soonMs = begunAt + minCycleMs - clock.now();
    if (inGame === turning) return;
    if (!inGame && soonMs > 0) return void clock.after(soonMs, () => void look());
    turning = inGame;
    if (turning) begunAt = clock.now();
    for (const socket of server.clients) socket.send(turning ? "turning" : "rests");
  };
  egm.onActivity(() => void look());
  server.on("connection", (socket) => {
    socket.send(turning ? "turning" : "rests");
    socket.on("message", () => void egm.press({ button: "spin" }).then(look));
  });
  return (http.address() as AddressInfo).port;
}

function startEncoder({ ffmpeg, rtpPort }: FeedRequest): ChildProcessByStdio<Writable, null, Readable> {
  const child = spawn(ffmpeg.executablePath, [...ffmpeg.args, ...ffmpegLine(rtpPort)], {
    env: { ...process.env, ...ffmpeg.env },
    stdio: ["pipe", "ignore", "pipe"],
  });
  let words = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    words = (words + part).slice(-2_000);
  });
  // Its exit says why; a broken pipe adds nothing.
  child.stdin.on("error", () => undefined);
  child.on("error", (error) => report({ is: "failed", sentence: error.message }));
  child.on("exit", () => report({ is: "failed", sentence: `FFmpeg has ended: ${words.trim()}` }));
  return child;
}

async function start(ask: FeedRequest): Promise<void> {
  const machine = await openMachine(ask);
  const encoder = startEncoder(ask);
  process.on("disconnect", () => {
    encoder.kill("SIGKILL");
    process.exit(0);
  });
  const { brand = "" } = FLOOR[0] ?? {};
  const painted = { brand, minCycleMs: ask.minCycleMs, timeCode: true };
  const taken = await feed(paintedPictures(painted, machine.glass, clock), encoder.stdin);
  process.on("message", (question) => {
    if (question === "handed") report({ is: "handed", ...taken() });
  });
  report({ is: "feeding", port: await takePresses(machine, ask.minCycleMs) });
}

process.once("message", (ask: FeedRequest) => {
  start(ask).catch((error: unknown) => report({ is: "failed", sentence: String(error) }));
});
