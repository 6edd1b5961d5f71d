import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { MachineConfig } from "../config/entry.ts";
import { readMachines } from "../config/machines.ts";
import { lockFolder } from "../journal/folder-lock.ts";
import { realClock } from "../media/testing/real-clock.ts";
import type { OpenInput } from "../sources/open-input.ts";
import { openInput } from "../sources/open-input.ts";
import { startRtspCamera } from "../sources/testing/rtsp-camera.ts";
import { wallNow } from "../system-clock.ts";
import type { FakePlatform } from "../testing/fake-platform.ts";
import { fakePlatform } from "../testing/fake-platform.ts";
import { asJson, asText, checkRelay, runDoctor } from "./doctor.ts";
import type { Finding } from "./finding.ts";
import { checkSources, listDevices } from "./media.ts";
import { checkNetwork, clockFinding } from "./network.ts";

let folder: string;
let platform: FakePlatform;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "longarm-doctor-"));
  platform = await fakePlatform();
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
});
afterAll(async () => {
  await platform.close();
  rmSync(folder, { recursive: true, force: true });
});

const nar = { driver: "simulated", id: "nar-01", name: "Nar 01", brand: "nar", demonstration: true };
const environment = (more: Record<string, string> = {}): Record<string, string> => ({
  PLATFORM_URL: platform.url,
  AGENT_KEY: platform.key,
  DATA_FOLDER: join(folder, "agent"),
  ...more,
});

async function doctor(
  given: readonly string[],
  env = environment(),
): Promise<{ code: number; text: string; findings: Finding[] }> {
  let text = "";
  const readFile = () => {
    throw new Error("no file");
  };
  const write = (part: string): void => {
    text += part;
  };
  const code = await runDoctor(given, { environment: env, readFile, clock: realClock, wallNow, write });
  const findings = given[0] === "--json" ? (JSON.parse(text) as { findings: Finding[] }).findings : [];
  return { code, text, findings };
}

const machines = (...list: object[]): readonly MachineConfig[] => {
  const read = readMachines(JSON.stringify(list));
  expect(read.complaints).toEqual([]);
  return read.machines;
};
const trial = (list: readonly MachineConfig[], open: OpenInput = openInput) =>
  checkSources(list, { clock: realClock, wallNow, openInput: open, measureMs: 1_000 });

test("a whole examination names each part, what is wrong and what to do, and no key", async () => {
  const camera = await startRtspCamera("eye:s3cret");
  const machinesList = JSON.stringify([
    { ...nar, roomCamera: { kind: "rtsp", url: `rtsp://eye:wr0ng@127.0.0.1:${camera.port}/live` } },
    { ...nar, id: "nar-02", roomCamera: { kind: "none" } },
  ]);
  const { code, text, findings } = await doctor(["--json"], environment({ MACHINES: machinesList }));
  await camera.close();
  expect(code).toBe(1);
  const of = (part: string) => findings.filter((finding) => finding.part === part);
  expect([...new Set(findings.map(({ part }) => part))]).toEqual([
    "configuration",
    "platform",
    "network",
    "relay",
    "codecs",
    "nar-01",
    "nar-02",
    "devices here",
  ]);
  expect(of("platform")[0]).toMatchObject({ state: "good" });
  expect(of("codecs").map(({ says }) => says.split(" ", 3).join(" "))).toEqual([
    expect.stringMatching(/^H\.264 takes/),
    expect.stringMatching(/^VP8 takes/),
    "Opus carries the",
    "WebP carries the",
    "The encoder qsv",
  ]);
  expect(of("nar-01")[1]).toMatchObject({
    state: "bad",
    says: expect.stringContaining("wants another name or password"),
    change: expect.stringContaining("Correct them in the address"),
  });
  expect(text).not.toMatch(/s3cret|wr0ng/);
  expect(text).not.toContain(platform.key);
  expect(platform.hellos).toEqual([]);
});

test("in words it is read by people; a bad configuration is told with everything that can be told without one", async () => {
  const { code, text } = await doctor([], environment({ AGENT_KEY: "short", MACHINES: "[1]" }));
  expect(code).toBe(1);
  expect(text).toMatch(/^configuration\n {2}WRONG {2}AGENT_KEY must be the key/);
  expect(text).toMatch(/WRONG {2}MACHINES at 0/);
  expect(text).toMatch(/Do: Correct it/);
  expect(text).toMatch(/\ncodecs\n/);
  expect(text).toMatch(/\ndevices here\n/);
  expect(text).toMatch(/\d things are wrong\.\n$/);
});

test("its command line", async () => {
  expect((await doctor(["--jason"])).code).toBe(2);
  expect(await doctor(["--help"])).toMatchObject({ code: 0, text: expect.stringContaining("npm run agent -- doctor") });
});

test("a simulated machine is commissioned as a real one is, and its report is written to be signed", async () => {
  const env = environment({
    DATA_FOLDER: join(folder, "commissioned"),
    MACHINES: JSON.stringify([{ ...nar, demonstration: false, minCycleMs: 10 }]),
  });
  const reports = join(folder, "reports");
  const { code, text } = await doctor(["--machine", "nar-01", "--by", "Ayşe Kaya", "--report", reports], env);
  const outcomes = text
    .split("\n")
    .flatMap((line) => /^(ok|note|skip|WRONG) +(.+?): /.exec(line)?.slice(1).join(" ") ?? []);
  // It has no credit, so that no game can be started; everything else is looked at.
  expect(outcomes).toEqual([
    "note Simulated machine",
    "ok Identity",
    "ok Meters",
    "ok State",
    "ok Disable and enable",
    "WRONG Button SPIN",
    "ok Picture",
    "skip From button to light",
    ...Array<unknown>(8).fill(expect.stringMatching(/^(ok|note) Button /)),
    "skip Button ATTENDANT",
    "ok Meters after play",
  ]);
  expect(text).toMatch(/There is no credit on the machine\. Check: Put credit on the machine/);
  expect(code).toBe(1);
  const [page = "", json = ""] = readdirSync(reports).sort();
  expect(page).toMatch(/^nar-01-\d{8}T\d{6}Z\.html$/);
  expect(readFileSync(join(reports, page), "utf8")).toContain("Ayşe Kaya");
  const report = JSON.parse(readFileSync(join(reports, json), "utf8"));
  expect(report).toMatchObject({ version: 1, verdict: "faulty", by: "Ayşe Kaya", machine: { simulated: true } });
  // The machine's events wait in the journal for the platform.
  const looked = await doctor(["--machine", "nar-01", "--look", "--json"], env);
  expect(JSON.parse(looked.text)).toMatchObject({ verdict: "incomplete" });
  expect(looked.code).toBe(0);
});

test("a machine is not commissioned while an agent runs, and the command line is checked", async () => {
  const env = environment({ DATA_FOLDER: join(folder, "taken"), MACHINES: JSON.stringify([nar]) });
  mkdirSync(join(folder, "taken"));
  const unlock = await lockFolder(join(folder, "taken"));
  expect(await doctor(["--machine", "nar-01"], env)).toMatchObject({
    code: 1,
    text: expect.stringMatching(/^The agent runs: stop it/),
  });
  await unlock();
  expect(await doctor(["--machine", "nar-02"], env)).toMatchObject({
    code: 2,
    text: expect.stringMatching(/^There is no machine "nar-02"\. There are: nar-01\./),
  });
  expect(await doctor(["--by", "x"], env)).toMatchObject({
    code: 2,
    text: expect.stringMatching(/^--look, --by, --report, --only, --polls and --blink go with --machine/),
  });
  expect((await doctor(["--machine"], env)).code).toBe(2);
  for (const wrong of [["led0"], ["page", "--look"], ["page", "--json"]])
    expect((await doctor(["--machine", "nar-01", "--blink", ...wrong], env)).code).toBe(2);
  expect(await doctor(["--machine", "nar-01", "--blink", "page"], env)).toMatchObject({
    code: 1,
    text: expect.stringMatching(/^Its picture is made on this computer/),
  });
});

test("the agent's own program is the doctor's, and ends by itself", async () => {
  const main = fileURLToPath(new URL("../main.ts", import.meta.url));
  const env = {
    PATH: process.env["PATH"],
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    ...environment({ AGENT_KEY: "another-key-of-16-letters", FLOOR_MACHINES: "1" }),
  };
  const child = spawn(process.execPath, [main, "doctor"], { env, stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  let said = "";
  child.stdout.on("data", (part: Buffer) => {
    said += String(part);
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  children.delete(child);
  expect(code).toBe(1);
  expect(said).toMatch(/The platform does not know this agent's key \(HTTP 401\)\.\n +Do: Enrol the agent/);
});

describe("the platform and the folder", () => {
  test("clocks that are apart are told before the platform refuses them", () => {
    expect(clockFinding(-1_200, 300).state).toBe("good");
    expect(clockFinding(2_500, 3_600)).toMatchObject({
      state: "bad",
      says: expect.stringContaining("3 s or more apart"),
    });
    expect(clockFinding(-9_000, -8_000)).toMatchObject({ state: "bad", change: expect.stringContaining("set-ntp") });
  });

  test("a running agent is noticed, a platform that is away is told", async () => {
    const unlock = await lockFolder(folder);
    const away = environment({ DATA_FOLDER: folder, PLATFORM_URL: "ws://127.0.0.1:9/agent", FLOOR_MACHINES: "1" });
    const { findings } = await doctor(["--json"], away);
    await unlock();
    expect(findings.find(({ says }) => says.startsWith("An agent works in the data folder"))?.state).toBe("note");
    expect(findings.find(({ part }) => part === "platform")).toMatchObject({
      state: "bad",
      says: expect.stringContaining("cannot be reached"),
    });
  });
});

describe("the network", () => {
  const media = {
    extraAddresses: [],
    onlyExtraAddresses: false,
    portRange: null,
    candidates: { open: [], closed: [] },
    relay: "no",
  } as const;
  const lan = { eth0: [{ address: "192.168.1.5", internal: false }] } as never;

  test("tells used ports, private addresses, and none at all", async () => {
    const socket = createSocket("udp4");
    await new Promise<void>((bound) => socket.bind(0, bound));
    const { port } = socket.address();
    const used = await checkNetwork({ ...media, portRange: [port, port] }, lan);
    expect(used[0]).toMatchObject({ state: "bad", says: `No port of PORT_RANGE ${port}-${port} is free.` });
    await new Promise<void>((closed) => socket.close(closed));
    expect(used.map(({ state }) => state)).toEqual(["bad", "good", "note"]);
    const open = await checkNetwork({ ...media, extraAddresses: ["203.0.113.7"], relay: "only" }, {});
    expect(open.map(({ state }) => state)).toEqual(["good", "good"]);
    expect((await checkNetwork(media, {}))[1]).toMatchObject({
      state: "bad",
      change: expect.stringContaining("EXTRA_HOSTS"),
    });
  });
});

describe("the relay", () => {
  const turnServers = { TURN_URLS: "turn:", TURN_SECRET: "a-secret-of-the-platform" };

  test("is tried when the doctor is told the servers, and wrong only for an agent that uses it", async () => {
    expect(await checkRelay("no", { environment: {}, clock: realClock })).toMatchObject([{ state: "note" }]);
    expect(await checkRelay("yes", { environment: {}, clock: realClock })).toMatchObject([
      { state: "note", change: expect.stringContaining("TURN_SECRET") },
    ]);
    const unused = await checkRelay("no", { environment: turnServers, clock: realClock });
    expect(unused).toMatchObject([{ state: "note", says: expect.stringContaining("no TURN address") }]);
    const used = await checkRelay("only", { environment: turnServers, clock: realClock });
    expect(used).toMatchObject([{ state: "bad", change: expect.stringContaining("ICE_RELAY") }]);
    expect(JSON.stringify([unused, used])).not.toContain("a-secret");
  });
});

describe("the pictures", () => {
  test("a good picture with its sound is told with what is really reached", async () => {
    const test1 = { kind: "test", size: "320x240", rate: 10 };
    const found = await trial(
      machines({ ...nar, picture: test1, sound: { kind: "test" }, roomCamera: { kind: "none" } }),
    );
    expect(found.map(({ says }) => says)).toEqual([
      expect.stringMatching(
        /^Its picture: The test pattern gives 320x240 at \d+\.\d of 10 pictures a second, \d+ ms old/,
      ),
      "Its sound comes.",
    ]);
  });

  test.each([
    {
      reports: undefined,
      state: "note",
      says: /does not say when it took a frame/,
      change: /--machine nar-01 --blink page/,
    },
    { reports: 0, state: "good", says: /the quickest was here \d+ ms later/, change: undefined },
    { reports: -90_000, state: "note", says: /was here 90\.\d s after it had been taken/, change: /time server/ },
    { reports: 5_000, state: "note", says: /was here [45]\.\d s before it was taken/, change: /time server/ },
  ])("a network camera whose clock is $reports ms off", async ({ reports, state, says, change }) => {
    const camera = await startRtspCamera(undefined, { clockOffMs: reports });
    const picture = { kind: "rtsp", url: `rtsp://127.0.0.1:${camera.port}/live`, size: "320x240", rate: 25 };
    const found = await trial(machines({ ...nar, picture, roomCamera: { kind: "none" } }));
    await camera.close();
    expect(found[1]).toMatchObject({ state, says: expect.stringMatching(says) });
    if (change !== undefined) expect(found[1]?.change).toMatch(change);
  });

  test("a device that is slower than asked is told with what it gives", async () => {
    const slow: OpenInput = (order, wants, sink) => {
      let count = 0;
      const url = "testsrc2=size=320x240:rate=20,realtime";
      return openInput({ ...order, format: "lavfi", url, options: {} }, wants, {
        ...sink,
        video: (frame, stamp) => {
          count += 1;
          if (count % 2 === 0) frame.free();
          else sink.video(frame, stamp);
        },
      });
    };
    const picture = { kind: "v4l2", device: "/dev/video0", size: "640x480", rate: 60 };
    const [found] = await trial(machines({ ...nar, picture, roomCamera: { kind: "none" } }), slow);
    expect(found).toMatchObject({
      state: "bad",
      says: expect.stringMatching(/\/dev\/video0 gives 320x240 at \d+\.\d of 60 pictures a second/),
      change: expect.stringContaining('format "mjpeg"'),
    });
  });

  test("a painted picture needs nothing; a missing device and a missing sound are told", async () => {
    const found = await trial(
      machines(
        { ...nar, id: "a" },
        { ...nar, id: "b", picture: { kind: "v4l2", device: "/dev/video999" }, roomCamera: { kind: "none" } },
        {
          ...nar,
          id: "c",
          picture: { kind: "test", size: "320x240", rate: 10 },
          sound: { kind: "alsa", device: "hw:77" },
        },
      ),
    );
    expect(found.map(({ part }) => part)).toEqual(["a", "b", "c", "c"]);
    expect([found[0]?.state, found[1]?.state, found[3]?.state]).toEqual(["good", "bad", "bad"]);
    expect(found[1]).toMatchObject({ change: "Plug it in, or correct its name" });
    expect(found[3]?.says).toMatch(/^Its sound: The sound device hw:77 /);
  });
});

test("the devices of a computer are listed with their names", () => {
  const root = `${join(folder, "root")}/`;
  for (const path of ["dev", "sys/class/video4linux/video0", "tmp/.X11-unix", "proc/asound"])
    mkdirSync(root + path, { recursive: true });
  writeFileSync(`${root}dev/video0`, "");
  writeFileSync(`${root}dev/null0`, "");
  writeFileSync(`${root}sys/class/video4linux/video0/name`, "HD Grabber\n");
  writeFileSync(`${root}tmp/.X11-unix/X7`, "");
  writeFileSync(
    `${root}proc/asound/cards`,
    " 1 [Grabber        ]: USB-Audio - HD Grabber\n                      in slot 3\n",
  );
  expect(listDevices(root).map(({ says }) => says)).toEqual([
    "The capture device /dev/video0 (HD Grabber).",
    "The screen :7.",
    "The sound card hw:1 (USB-Audio - HD Grabber).",
  ]);
  expect(listDevices(`${root}nowhere/`)[0]?.says).toMatch(/No capture device/);
});

test("what a device calls itself cannot steer the terminal", () => {
  const root = `${join(folder, "hostile")}/`;
  for (const path of ["dev", "sys/class/video4linux/video0"]) mkdirSync(root + path, { recursive: true });
  writeFileSync(`${root}dev/video0`, "");
  writeFileSync(
    `${root}sys/class/video4linux/video0/name`,
    "\u001b]0;owned\u0007\u001b[2J\u202eGood\n  ok     All is well\r",
  );
  const words = asText(listDevices(root));
  expect(words.replaceAll("\n", "")).not.toMatch(/\p{C}/u);
  expect(words.split("\n")).toHaveLength(5);
  expect(asJson(listDevices(root))).not.toContain("\u001b");
});
