import { spawnSync } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase } from "@longarm/database/connection";
import { silentLog } from "@longarm/database/log";
import { preload } from "@longarm/link/testing";
import { enrolAgent } from "@longarm/platform/modules/play/agents/index";
import type { PlayDb } from "@longarm/platform/modules/play/tables";
import { systemRandom } from "@longarm/platform/random";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Child } from "../launcher/child.ts";
import { startChild } from "../launcher/child.ts";
import { ROOT } from "../launcher/venue.ts";
import type { Player } from "../rig/player.ts";
import { allOf, signIn } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";

/* Agents that are wrong in some way: each gets a sentence that says so, and no player loses anything by it. */

const SOON = { timeout: 30_000, interval: 50 };
const MACHINE = "nar-01";
/** Of util-linux: changes the limits of a process that runs. */
const LIMITER = "prlimit";
let venue: TestVenue;
let player: Player;
let all: number;
const others: Child[] = [];

beforeAll(async () => {
  venue = await openTestVenue({ machines: 1 });
  player = await signIn(venue.href);
  all = allOf(await player.balance());
});
afterEach(async () => {
  for (const other of others.splice(0)) await other.kill();
});
afterAll(() => venue?.close());

async function enrol(name: string): Promise<string> {
  const db = openDatabase<unknown>({ url: venue.databaseUrl, maxConnections: 1, log: silentLog });
  try {
    return (await enrolAgent(db.kysely as unknown as PlayDb, systemRandom, name)).key;
  } finally {
    await db.close();
  }
}

/** Another real agent process with a key of its own. Answers what it writes down. */
async function startOther(name: string, env: Record<string, string>): Promise<() => Promise<string>> {
  const logFile = join(venue.dataFolder, `logs/${name}.log`);
  const other = startChild({
    name,
    main: join(ROOT, "apps/agent/src/main.ts"),
    logFile,
    env: {
      PLATFORM_URL: `${venue.href.replace(/^http/, "ws")}/agent`,
      AGENT_ID: name,
      AGENT_KEY: await enrol(name),
      DATA_FOLDER: join(venue.dataFolder, name),
      FLOOR_SEED: name,
      ...env,
    },
  });
  other.ready.catch(() => {});
  others.push(other);
  return async () => await readFile(logFile, "utf8").catch(() => "");
}

/** Plays on to see that seat, machine and money still work. */
async function playsOn(id: string): Promise<void> {
  const page = await player.open(MACHINE);
  await expect.poll(() => page.init(), SOON).toMatchObject({ is: "done" });
  expect(await page.peer.request("cashIn", { id, amount: 20_000 })).toMatchObject({ data: { outcome: "done" } });
  expect(await page.peer.request("leave", {})).toMatchObject({ data: { outcome: "done", amount: 20_000 } });
  await expect.poll(() => player.balance(), SOON).toEqual({ balance: all });
  expect(await venue.ledger.verify()).toEqual([]);
}

test("a second agent that claims a machine of a connected one is refused with a sentence; the first one keeps it", async () => {
  const log = await startOther("rival", { FLOOR_MACHINES: "1" });
  await expect
    .poll(log, SOON)
    .toMatch(/The machine nar-01 is held by another live link: stop the other agent, or give each its own machines/);
  await playsOn("beside-the-rival");
});

test.each([
  ["ahead of", 3_600_000],
  ["behind", -3_600_000],
])(
  "an agent whose clock is %s the platform's is refused with the difference, and its machines stay out of the lobby",
  async (way, offMs) => {
    const machines = JSON.stringify([{ id: "kuzey-77", name: "Kuzey 77", brand: "kuzey", driver: "simulated" }]);
    const wrongClock = `Object.defineProperty(performance, "timeOrigin", { value: performance.timeOrigin + ${offMs} });`;
    const log = await startOther(`clock-${way.split(" ")[0]}`, {
      ...preload(wrongClock),
      MACHINES: machines,
    });
    await expect
      .poll(log, SOON)
      .toMatch(new RegExp(`clock is 3[56]\\d{5} ms ${way} the platform's: set it by NTP, at most 2000 ms may be off`));
    expect(await player.statusOf("kuzey-77")).toBeUndefined();
    await playsOn(`while-a-clock-is-${way.split(" ")[0]}`);
  },
);

test("two agents serve one lobby, each with machines of its own kinds; when one goes the other's play on", async () => {
  const machine = (id: string, more: object = {}) => ({ driver: "simulated", id, name: id, brand: "kuzey", ...more });
  const picture = { kind: "test", size: "640x360", rate: 10 };
  const gone = { kind: "x11", display: ":977", region: { x: 0, y: 0, width: 640, height: 360 } };
  const mixed = [
    machine("kuzey-81"),
    machine("kuzey-82", { picture, sound: { kind: "test" }, roomCamera: { kind: "none" } }),
    // Its screen is not there: the machine is played all the same.
    machine("kuzey-83", { picture: gone, videoType: "camera", demonstration: true }),
  ];
  const log = await startOther("mixed", { MACHINES: JSON.stringify(mixed) });
  for (const { id } of mixed) await expect.poll(() => player.statusOf(id), SOON).toBe(1);
  expect(await player.statusOf(MACHINE)).toBe(1);

  const facts = [
    ["kuzey-81", { videoType: "screen" }, true],
    ["kuzey-82", { videoType: "screen" }, false],
    ["kuzey-83", { videoType: "camera" }, true],
  ] as const;
  for (const [id, shown, webcam] of facts) {
    const page = await player.open(id);
    await expect.poll(() => page.init(), SOON).toMatchObject({ is: "done", data: { machine: shown, webcam } });
    expect(await page.peer.request("cashIn", { id: `into-${id}`, amount: 20_000 })).toMatchObject({
      data: { outcome: "done" },
    });
    expect(await page.peer.request("leave", {})).toMatchObject({ data: { outcome: "done", amount: 20_000 } });
  }
  expect(await log()).not.toMatch(/could not be opened/);
  for (const other of others.splice(0)) await other.kill();
  await expect.poll(() => player.statusOf("kuzey-81"), SOON).not.toBe(1);
  await playsOn("beside-an-agent-that-went");
});

test("a full disk for the journal: the cash-in is refused, the wallet keeps everything, and it works again with room", async () => {
  const page = await player.open(MACHINE);
  await expect.poll(() => page.init(), SOON).toMatchObject({ is: "done" });
  const journal = await stat(join(venue.dataFolder, "agent/journal/journal.jsonl"));
  limitFiles(venue.agent.pid(), String(journal.size));
  const ask = { id: "into-a-full-disk", amount: 20_000 };
  // The player learns that nothing moved; what is wrong, and where, is for the operator's log.
  expect(await page.peer.request("cashIn", ask)).toMatchObject({
    is: "refused",
    refusal: { code: 60043, reason: expect.not.stringContaining("journal") },
  });
  await expect
    .poll(() => readFile(join(venue.dataFolder, "logs/platform.log"), "utf8"), SOON)
    .toMatch(/journal in \S+ cannot be written .* Check the disk\./);
  await expect.poll(() => player.balance(), SOON).toEqual({ balance: all, onMachine: 0 });
  limitFiles(venue.agent.pid(), "unlimited");
  expect(await page.peer.request("cashIn", { ...ask, id: "with-room-again" })).toMatchObject({
    data: { outcome: "done", amount: 20_000 },
  });
  expect(await page.peer.request("leave", {})).toMatchObject({ data: { outcome: "done", amount: 20_000 } });
  await expect.poll(() => player.balance(), SOON).toEqual({ balance: all });
});

/** No file of the process may grow beyond this: what a full disk is to a process, without filling one. */
function limitFiles(pid: number, bytes: string): void {
  const { status, stderr } = spawnSync(LIMITER, ["--pid", String(pid), `--fsize=${bytes}:unlimited`], {
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
}
