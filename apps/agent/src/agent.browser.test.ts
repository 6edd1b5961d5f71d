import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Agent } from "./agent.ts";
import { buildAgent } from "./agent.ts";
import { readConfig } from "./config/config.ts";
import type { Journal } from "./journal/journal.ts";
import { openJournal } from "./journal/journal.ts";
import { dialPlatform } from "./link/dial.ts";
import { until } from "./media/testing/real-clock.ts";
import type { WatchingPage } from "./media/testing/watching-page.ts";
import { openWatchingPage } from "./media/testing/watching-page.ts";
import { MediaProcess } from "./media-process/media-process.ts";
import { machinePlans, mediaMachines } from "./plans.ts";
import { epochOf, systemClock } from "./system-clock.ts";
import { systemFiles } from "./system-files.ts";
import type { FakePlatform } from "./testing/fake-platform.ts";
import { fakePlatform } from "./testing/fake-platform.ts";

const clock = systemClock();
/** A machine whose pictures and sound are captured, not painted. */
const REAL = {
  driver: "simulated",
  id: "pera-07",
  name: "Pera 07",
  brand: "pera",
  picture: { kind: "test", size: "640x480", rate: 25 },
  sound: { kind: "test" },
  roomCamera: { kind: "test", size: "320x240", rate: 10 },
  videoType: "camera",
  cutScreen: { x: 0.125, y: 0, width: 0.75, height: 1 },
};
let folder: string;
let platform: FakePlatform;
let watching: WatchingPage;
let journal: Journal;
let media: MediaProcess;
let agent: Agent;

const inPage = <T>(expression: string): Promise<T> => watching.page.evaluate(expression) as Promise<T>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "longarm-agent-"));
  [platform, watching] = await Promise.all([fakePlatform(), openWatchingPage()]);
  const { url, key } = platform;
  const environment = {
    PLATFORM_URL: url,
    AGENT_KEY: key,
    DATA_FOLDER: folder,
    MACHINES: JSON.stringify([{ driver: "simulated", floor: 1 }, REAL]),
    FLOOR_SEED: "test",
  };
  const local = { EXTRA_HOSTS: "127.0.0.1", ONLY_EXTRA_HOSTS: "yes", CANDIDATES_OPEN: "127.0.0.0/8" };
  const config = readConfig({ ...environment, ...local }, () => "");
  journal = await openJournal({ files: systemFiles, folder });
  media = new MediaProcess({
    start: { machines: mediaMachines(config), media: config.media, epochMs: epochOf(clock) },
    clock,
    // On a busy computer it may be held up for longer than on an agent's own; what becomes of a hung one is tested elsewhere.
    silentMsMax: 60_000,
    environment: process.env,
    problem: () => undefined,
  });
  const quiet = (): void => undefined;
  agent = buildAgent({
    agentId: "ag_1",
    version: "1",
    machines: machinePlans(config, { clock, seed: "test", problem: () => undefined }),
    journal,
    clock,
    random: () => 0.5,
    dial: () => dialPlatform({ url, key, clock }),
    putStill: async () => undefined,
    makeBroadcast: media.makeBroadcast,
    steps: quiet,
    log: { info: quiet, warn: quiet, error: quiet },
  });
  await until("the link", () => agent.linked());
  await until("the media process", () => media.serves(), 60_000);
});

afterAll(async () => {
  await agent.end();
  await media.end();
  await journal.close();
  await Promise.all([platform.close(), watching.close()]);
  await rm(folder, { recursive: true, force: true });
});

type Page = { frames: number; open: string[]; press: { seq: number; outcome: string; reason?: string }[] };
const viewer = (name: string) =>
  inPage<Page>(`(({ frames, open, press }) => ({ frames, open, press }))(viewers.${name})`);

async function watch(
  viewerId: string,
  role: "player" | "spectator",
  epoch?: number,
  machineId = "nar-01",
): Promise<void> {
  const sdp = await inPage<string>(`startViewer("${viewerId}", { roomCamera: "recvonly" })`);
  const offer = { machineId, viewerId, role, sdp, iceServers: [], ...(epoch === undefined ? {} : { epoch }) };
  const answer = await platform.peer()!.request("rtc.offer", offer);
  if (answer.is !== "done") throw new Error(`The offer was not answered: ${JSON.stringify(answer)}`);
  await inPage(`answerViewer("${viewerId}", ${JSON.stringify(answer.data.sdp)})`);
  await until(`the picture of ${viewerId}`, async () => (await viewer(viewerId)).frames > 5, 60_000);
}

async function press(viewerId: string, fields: object): Promise<Page["press"][number]> {
  const before = (await viewer(viewerId)).press.length;
  const frame = JSON.stringify({ button: "spin", at: clock.now(), stake: 1_200, ...fields });
  await inPage(`viewers.${viewerId}.channels.press.send(${JSON.stringify(frame)})`);
  return await until("an answer", async () => (await viewer(viewerId)).press[before]);
}

test("a real browser watches a simulated machine and presses it, until the seat is somebody else's", async () => {
  const peer = platform.peer()!;
  const seat = { machineId: "nar-01", epoch: 1, playSessionId: "ps_1", leaseMs: 60_000 };
  await peer.request("seat.grant", seat);
  const money = { machineId: "nar-01", epoch: 1, transferId: "tr_00000001", amount: 50_000 };
  expect(await peer.request("egm.cashIn", money)).toMatchObject({ data: { outcome: "done" } });
  await watch("player", "player", 1);
  await watch("spectator", "spectator");
  await until("the channels", async () => (await viewer("player")).open.length === 2);
  expect(await press("player", { epoch: 1, seq: 1 })).toMatchObject({ seq: 1, outcome: "started" });
  expect(await press("player", { epoch: 1, seq: 1 })).toMatchObject({ seq: 1, outcome: "started" });
  await until(
    "the game's end",
    () => platform.told.find(({ data }) => "phase" in data && data.phase === "ended"),
    30_000,
  );
  expect(platform.told.filter(({ data }) => "phase" in data && data.phase === "started").length).toBe(1);

  await peer.request("seat.grant", { ...seat, epoch: 2 });
  const { frames } = await viewer("spectator");
  await until("the spectator's picture", async () => (await viewer("spectator")).frames > frames + 5);
  expect(
    await peer.request("rtc.offer", { ...seat, viewerId: "old", role: "player", sdp: "v=0", iceServers: [] }),
  ).toMatchObject({
    is: "refused",
    refusal: { code: 60016 },
  });
});

test("a machine with real pictures beside a simulated one: picture, sound and room are those of its configuration", async () => {
  const facts = platform.hellos.at(-1)?.machines.find(({ id }) => id === REAL.id);
  expect(facts).toMatchObject({ videoType: "camera", cutScreen: REAL.cutScreen, webcam: true });
  expect(platform.hellos.at(-1)?.machines.find(({ id }) => id === "nar-01")).toMatchObject({ videoType: "screen" });
  const peer = platform.peer()!;
  const seat = { machineId: REAL.id, epoch: 1, playSessionId: "ps_9", leaseMs: 60_000 };
  await peer.request("seat.grant", seat);
  await watch("real", "player", 1, REAL.id);
  const size = () => inPage<number[]>(`[viewers.real.element.videoWidth, viewers.real.element.videoHeight]`);
  expect(await size()).toEqual([640, 480]);
  await until("the room", async () => (await inPage<number>(`viewers.real.roomFrames`)) > 5, 60_000);
  type Stats = { audio?: { packetsReceived: number } };
  await until(
    "the sound",
    async () => ((await inPage<Stats>(`readStats("real")`)).audio?.packetsReceived ?? 0) > 20,
    60_000,
  );
  await watch("guest", "spectator", undefined, REAL.id);
  expect(await inPage<number>(`viewers.guest.roomFrames`)).toBe(0);
});
