import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readConfig } from "../config/config.ts";
import { createSimulatedMachine } from "../drivers/simulated/index.ts";
import type { MachineBroadcast } from "../media/broadcast.ts";
import type { ViewerRequest } from "../media/viewer/viewer.ts";
import { mediaMachines } from "../plans.ts";
import { OfferProblem, PlacesTaken } from "../ports/transport.ts";
import { epochOf, systemClock } from "../system-clock.ts";
import { settle } from "../testing/fake-clock.ts";
import type { MediaProcessDeps } from "./media-process.ts";
import { MediaProcess, mediaEnvironment } from "./media-process.ts";
import { openMessageStream } from "./message-stream.ts";
import type { CoreMessage, MediaAnswer } from "./messages.ts";
import type { MediaLink } from "./remote-broadcast.ts";
import { PRESSES_OPEN_MAX, RemoteBroadcast } from "./remote-broadcast.ts";

/* Attack 1 to 3: whatever a compromised media process sends or does, the core continues, and no viewer gains a right. */

const SOON = { timeout: 30_000, interval: 20 };
const clock = systemClock();

describe("frames", () => {
  const framed = (text: string): Buffer => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(Buffer.byteLength(text));
    return Buffer.concat([head, Buffer.from(text)]);
  };
  const reader = (bytesMax: number) => {
    const stream = new PassThrough();
    const read: unknown[] = [];
    const broken: string[] = [];
    openMessageStream(stream, { bytesMax, message: (one) => read.push(one), broken: (why) => broken.push(why) });
    return { stream, read, broken };
  };

  test("are whole however the bytes come", async () => {
    const { stream, read, broken } = reader(100);
    const bytes = Buffer.concat([framed(`{"is":"ü"}`), framed("[1]"), framed("2")]);
    for (const byte of bytes) stream.write(Buffer.of(byte));
    stream.write(Buffer.concat([framed("3"), framed("4")]));
    await settle();
    expect(read).toEqual([{ is: "ü" }, [1], 2, 3, 4]);
    expect(broken).toEqual([]);
  });

  test.each([
    ["one that is too large", framed("x".repeat(101)), /too large/],
    ["four gigabytes announced", Buffer.of(255, 255, 255, 255), /too large/],
    ["no JSON", framed("{"), /no JSON/],
  ])("%s: nothing behind it is read", async (_what, bytes, sentence) => {
    const { stream, read, broken } = reader(100);
    stream.write(Buffer.concat([framed("1"), bytes, framed("2")]));
    stream.write(framed("3"));
    await settle();
    expect(read).toEqual([1]);
    expect(broken).toEqual([expect.stringMatching(sentence)]);
  });
});

describe("a machine's broadcast in the core", () => {
  let said: CoreMessage[];
  let broadcast: RemoteBroadcast;
  let change: () => void;
  let answer: (request: CoreMessage) => MediaAnswer;
  let presses: string[];
  let numbers: number;
  let hold: Promise<void> | undefined;
  let problems: string[];

  beforeEach(() => {
    said = [];
    problems = [];
    presses = [];
    numbers = 0;
    hold = undefined;
    answer = () => ({ is: "answer", ask: 1, sdp: "answer" });
    const link: MediaLink = {
      send: (message) => void said.push(message),
      request: async (message) => {
        const request = message(1);
        said.push(request);
        return answer(request);
      },
      newViewer: () => {
        numbers += 1;
        return numbers;
      },
      problem: (sentence) => void problems.push(sentence),
      left: () => undefined,
    };
    let views = 0;
    const glass = {
      view: () => {
        views += 1;
        return { views };
      },
      onChange: (listener: () => void) => {
        change = listener;
        return () => undefined;
      },
    };
    broadcast = new RemoteBroadcast("m-1", glass, link);
  });

  const join = (more: Partial<ViewerRequest> = {}) =>
    broadcast.addViewer({
      viewerId: "v_1",
      role: "player",
      sdp: "offer",
      iceServers: [],
      presses: {
        receive: async (message) => {
          presses.push(Buffer.from(message).toString());
          await hold;
          return Buffer.from("reply");
        },
      },
      ...more,
    });
  const press = (viewer: number, press = 1, text = "spin") =>
    broadcast.receive({ is: "press", machine: "m-1", viewer, press, frame: Buffer.from(text).toString("base64") });
  const replies = () => said.filter((one) => one.is === "reply");

  test("a press is that of the viewer whom the core let in under its number, and is answered", async () => {
    await join();
    press(1, 7);
    await settle();
    expect(presses).toEqual(["spin"]);
    const frame = Buffer.from("reply").toString("base64");
    expect(replies()).toEqual([{ is: "reply", machine: "m-1", viewer: 1, press: 7, frame }]);
  });

  test("how old the newest picture is comes with each press of the player and each heartbeat, and goes with the process", async () => {
    const { viewer } = await join();
    expect(broadcast.picturedAt()).toBeUndefined();
    broadcast.receive({ is: "press", machine: "m-1", viewer: 1, press: 1, frame: "", picturedAt: 1_000 });
    expect(broadcast.picturedAt()).toBe(1_000);
    broadcast.receive({ is: "press", machine: "m-1", viewer: 2, press: 1, frame: "", picturedAt: 9_000 });
    expect(broadcast.picturedAt(), "of a number never given").toBe(1_000);
    broadcast.figures([], 2_000);
    expect(broadcast.picturedAt()).toBe(2_000);
    broadcast.lost();
    expect(broadcast.picturedAt()).toBeUndefined();
    await viewer.close();
  });

  test("a press of a spectator, of a number never given and of one that has gone reaches nothing", async () => {
    await join({ viewerId: "v_2", role: "spectator" });
    const { viewer } = await join();
    await viewer.close();
    for (const number of [0, 1, 2, 3, 4_000]) press(number);
    await settle();
    expect(presses).toEqual([]);
    expect(replies()).toEqual([]);
  });

  test("presses that wait for the machine have a bound", async () => {
    let go: () => void = () => undefined;
    hold = new Promise((resolve) => {
      go = resolve;
    });
    await join();
    for (let n = 0; n < 1_000; n += 1) press(1, n);
    expect(presses).toHaveLength(PRESSES_OPEN_MAX);
    go();
    await settle();
    expect(replies()).toHaveLength(PRESSES_OPEN_MAX);
  });

  test("what fails behind a press is answered with nothing", async () => {
    await join({ presses: { receive: () => Promise.reject(new Error("silent")) } });
    press(1);
    await settle();
    expect(replies()).toMatchObject([{ frame: null }]);
    expect(problems).toEqual(["A press could not be answered: silent"]);
  });

  test("only so many candidates of one connection are passed on", async () => {
    let heard = 0;
    await join({
      candidate: () => {
        heard += 1;
      },
    });
    for (let n = 0; n < 1_000; n += 1)
      broadcast.receive({ is: "candidate", machine: "m-1", viewer: 1, candidate: "candidate:1", sdpMid: "0" });
    expect(heard).toBe(256);
  });

  test("whoever joins again under one name: both are heard until the last one is closed", async () => {
    const closed: number[] = [];
    await join({ closed: () => closed.push(1) });
    await join({ closed: () => closed.push(2) });
    press(1, 1, "over the old one");
    press(2, 2, "over the new one");
    await settle();
    expect(presses).toEqual(["over the old one", "over the new one"]);
    broadcast.receive({ is: "state", machine: "m-1", viewer: 2, state: "closed" });
    press(1);
    press(2);
    await settle();
    expect([closed, presses.length, broadcast.viewers()]).toEqual([[2], 2, []]);
  });

  test("an ended media process closes everybody once, and the machine is opened in the next one", async () => {
    const closed: string[] = [];
    await join({ closed: (reason) => closed.push(reason) });
    broadcast.lost();
    broadcast.lost();
    press(1);
    expect(closed).toEqual(["The media process has ended."]);
    expect(presses).toEqual([]);
    broadcast.begin();
    expect(said.at(-1)).toEqual({ is: "open", machine: "m-1", view: { views: 1 } });
  });

  test("what changes in one go is shown once, as it is in the end", async () => {
    change();
    change();
    await settle();
    expect(said).toEqual([{ is: "view", machine: "m-1", view: { views: 1 } }]);
  });

  test("an offer without a free place is refused as one, whichever process counts the places", async () => {
    answer = () => ({ is: "full", ask: 1 });
    await expect(join()).rejects.toThrow(PlacesTaken);
  });

  test("a refused offer says why, and leaves no number behind", async () => {
    answer = () => ({ is: "refused", ask: 1, sentence: "The offer has no video." });
    await expect(join()).rejects.toThrow(new OfferProblem("The offer has no video."));
    expect(broadcast.viewers()).toEqual([]);
  });
});

/** The beginning of a program that speaks as the media process does. */
const SPEAKS = `
import { Socket } from "node:net";
const core = new Socket({ fd: 3 });
core.on("close", () => process.exit(0)).on("error", () => {}).resume();
const say = (message) => {
  const body = Buffer.from(typeof message === "string" ? message : JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  core.write(Buffer.concat([head, body]));
};
const beat = { is: "beat", memory: 1_000_000, lanes: [] };
say(beat);
say({ is: "ready" });
setInterval(() => say(beat), 100);
`;

describe("the media process", () => {
  let folder: string;
  let problems: string[];
  const open: MediaProcess[] = [];
  const config = readConfig(
    { PLATFORM_URL: "ws://127.0.0.1:1", AGENT_KEY: "k".repeat(32), FLOOR_MACHINES: "2", FLOOR_SEED: "the secret seed" },
    () => "",
  );

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "longarm-media-"));
    problems = [];
  });
  afterEach(async () => {
    for (const media of open.splice(0)) await media.end();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(lines: string | undefined, more: Partial<MediaProcessDeps> = {}): Promise<MediaProcess> {
    const program = join(folder, "program.mjs");
    if (lines !== undefined) await writeFile(program, `${SPEAKS}\n${lines}`);
    const media = new MediaProcess({
      start: { machines: mediaMachines(config), media: config.media, epochMs: epochOf(clock) },
      clock,
      silentMsMax: 60_000,
      environment: process.env,
      problem: (sentence) => problems.push(sentence),
      ...(lines !== undefined && { program }),
      ...more,
    });
    open.push(media);
    return media;
  }

  /** A machine of it with one who watches. */
  async function watched(media: MediaProcess): Promise<{ broadcast: MachineBroadcast; closed: string[] }> {
    const broadcast = media.makeBroadcast("nar-01", {});
    const closed: string[] = [];
    // Its offer gets no answer; it is lost with the process.
    broadcast
      .addViewer({
        viewerId: "v",
        role: "player",
        sdp: "o",
        iceServers: [],
        presses: null,
        closed: (why) => closed.push(why),
      })
      .catch((problem: Error) => closed.push(problem.message));
    return { broadcast, closed };
  }

  // attack 1, 2 and 3 in depth: what a watcher does to the media process ends there.
  test.each([
    ["sends what no schema knows", `say({ is: "grant", epoch: 9 });`, /cannot be read/],
    ["sends what is no JSON", `say("{");`, /no JSON/],
    ["sends a message that is too large", `say("x".repeat(600 * 1024));`, /too large/],
    ["sends too much", `setInterval(() => { for (let n = 0; n < 5000; n++) say(beat); }, 10);`, /sends too much/],
    [
      "lets viewers come and go too often",
      `for (let n = 0; n < 5000; n++) say({ is: "state", machine: "nar-01", viewer: 1, state: "closed" });`,
      /too often/,
    ],
    ["holds too much memory", `beat.memory = 2 ** 34;`, /it holds 16384 MB/],
    ["ends by itself", `setTimeout(() => process.exit(7), 200);`, /code 7/],
  ])("that %s is killed and started again, and whoever watched is closed", async (_what, lines, why) => {
    const media = await start(lines);
    const { closed } = await watched(media);
    const first = media.pid();
    await expect.poll(() => media.restarts(), SOON).toBeGreaterThan(0);
    expect(problems[0]).toMatch(why);
    expect(closed.length).toBeGreaterThan(0);
    await expectAnother(media, first);
  });

  // attack 1 and 3: a loop without an end.
  test.each(["while (true);", `process.kill(process.pid, "SIGSTOP");`])("that hangs (%s) is replaced", async (line) => {
    const media = await start(`setTimeout(() => { ${line} }, 300);`, { silentMsMax: 1_000 });
    const first = media.pid();
    await expect.poll(() => media.restarts(), SOON).toBeGreaterThan(0);
    expect(problems[0]).toMatch(/it was silent/);
    await expectAnother(media, first);
  });

  test("an agent that stood still itself does not blame it", async () => {
    let now = clock.now();
    const looks: (() => void)[] = [];
    const still = {
      ...clock,
      now: () => now,
      every: (_ms: number, run: () => void) => {
        looks.push(run);
        return () => undefined;
      },
    };
    const media = await start("", { clock: still, silentMsMax: 2_000 });
    await expect.poll(() => media.serves(), SOON).toBe(true);
    now += 3_600_000;
    for (const look of looks) look();
    expect([media.restarts(), problems]).toEqual([0, []]);
  });

  // What it was given, and what it dies of while it encodes by hardware.
  const CRASHES = `
core.once("data", (bytes) => {
  beat.encoder = JSON.parse(bytes.subarray(4, 4 + bytes.readUInt32BE(0))).encoder ?? "x264";
  say(beat);
  if (beat.encoder === "qsv") setTimeout(() => process.kill(process.pid, "SIGSEGV"), 300);
});`;

  test("that crashes with a hardware encoder encodes by x264 from then on, and the core knows", async () => {
    const media = await start(CRASHES, {
      start: { machines: mediaMachines(config), media: config.media, epochMs: epochOf(clock), encoder: "qsv" },
    });
    await expect.poll(() => media.fellBack(), SOON).toBe(false);
    await expect.poll(() => media.restarts(), SOON).toBe(1);
    expect(problems).toEqual([expect.stringMatching(/SIGSEGV.* From now on x264 encodes, not qsv\.$/)]);
    await expect.poll(() => media.serves(), SOON).toBe(true);
    expect([media.restarts(), media.fellBack()]).toEqual([1, true]);
  });

  test("sentences for the log are let through so far only", async () => {
    const flood = `for (let n = 0; n < 1000; n++) say({ is: "problem", machine: "nar-01", sentence: "again" });`;
    const media = await start(`${flood} setInterval(() => say({ is: "beat", memory: 77, lanes: [] }), 50);`);
    await expect.poll(() => media.memory(), SOON).toBe(77);
    expect(problems.length).toBeLessThan(100);
  });

  test("the real one takes a still of a machine and ends with the agent; it knows neither key nor seed", async () => {
    const cache = join(folder, "compile-cache");
    const media = await start(undefined, { environment: { ...process.env, NODE_COMPILE_CACHE: cache } });
    const machine = await createSimulatedMachine({
      id: "nar-01",
      name: "Nar 01",
      brand: "nar",
      seed: "s",
      folder,
      clock,
    });
    const broadcast = media.makeBroadcast("nar-01", machine);
    const still = await vi.waitFor(() => broadcast.still(), { timeout: 60_000 });
    expect(still.subarray(8, 12).toString()).toBe("WEBP");
    expect(JSON.stringify(mediaMachines(config))).not.toContain("seed");
    const pid = media.pid();
    // Kept while it lives: one that was killed begins again as quickly.
    await expect.poll(async () => (await readdir(cache, { recursive: true })).length, SOON).toBeGreaterThan(50);
    expect(alive(pid)).toBe(true);
    await media.end();
    expect(alive(pid)).toBe(false);
    await machine.close();
  });
});

test("of the agent's environment only what a program needs of its surroundings is given on", () => {
  const secret = { AGENT_KEY: "k", FLOOR_SEED: "s", MACHINES: "[]", DATABASE_URL: "postgres://", NATS_TOKEN: "t" };
  const given = { PATH: "/bin", NODE_OPTIONS: "--x", UV_THREADPOOL_SIZE: "6", DISPLAY: ":0", LC_ALL: "C" };
  const pools = { MALLOC_ARENA_MAX: "2" };
  expect(mediaEnvironment({ ...secret, ...given, HOME: undefined })).toEqual({ ...pools, ...given });
  expect(mediaEnvironment({ MALLOC_ARENA_MAX: "4" })).toEqual({ MALLOC_ARENA_MAX: "4" });
});

test("a clock made with another one's epoch has its time", () => {
  const off = { ...clock, now: () => clock.now() - 5_000 };
  const same = systemClock(epochOf(off));
  expect(Math.abs(same.now() - off.now())).toBeLessThan(50);
});

/** The first process is gone, and another one runs. */
async function expectAnother(media: MediaProcess, first: number | undefined): Promise<void> {
  await expect.poll(() => alive(first), SOON).toBe(false);
  await expect.poll(() => media.pid() !== first && alive(media.pid()), SOON).toBe(true);
}

function alive(pid: number | undefined): boolean {
  try {
    process.kill(pid ?? 0, 0);
    return pid !== undefined;
  } catch {
    return false;
  }
}
