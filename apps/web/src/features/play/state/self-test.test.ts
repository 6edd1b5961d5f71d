import { expect, test } from "vitest";
import { LinkHistory } from "./media/link-meter.ts";
import type { TrialResult } from "./media/media-link.ts";
import { LOST_READOUT } from "./media/readout.ts";
import type { MediaPath } from "./media/rtc-port.ts";
import { NO_PATH } from "./media/rtc-port.ts";
import { FIRST_STATE } from "./play-state.ts";
import type { BrowserChecks, Finding, SelfTestDeps } from "./self-test.ts";
import { PARTS, runSelfTest, supportFile } from "./self-test.ts";

const TURN = [{ urls: "turn:relay.example?transport=tcp", username: "who", credential: "secret" }];
const tried = (is: TrialResult["is"], own = 2, theirs = 2): TrialResult => ({ is, own, theirs });

/** The world of a test: what browser and link do. */
type World = BrowserChecks &
  Pick<SelfTestDeps, "video"> &
  SelfTestDeps["media"] & { readonly protocol: MediaPath["protocol"] };

const WORKING: World = {
  browser: () => "fine",
  gather: async () => ({ addresses: 2 }),
  protocol: "udp",
  iceServers: async () => [],
  tryTransport: async () => tried("connected"),
  video: async () => true,
};

/** Runs the test in a world in which everything works except that no video arrives, and with what a test changes in it. */
async function selfTest(change: Partial<World> = {}, state: Partial<typeof FIRST_STATE> = {}) {
  const findings: Finding[] = [];
  const world = { ...WORKING, ...change };
  const path = { ...NO_PATH, protocol: world.protocol };
  await runSelfTest(
    {
      browser: world,
      media: world,
      meter: { report: { readout: LOST_READOUT, press: undefined, path, sourceDelayMs: 0, samples: [], events: [] } },
      state: () => ({ ...FIRST_STATE, online: true, ...state }),
      video: world.video,
    },
    (finding) => findings.push(finding),
    () => false,
  );
  return Object.fromEntries(findings.map(({ part, is, found }) => [part, `${is} ${found}`]));
}

test("tests every part in order, and reports what works", async () => {
  const found = await selfTest();
  expect(Object.keys(found)).toEqual([...PARTS]);
  expect(found).toMatchObject({ udp: "ok fine", tcp: "ok fine", turn: "skipped turnNone", picture: "ok fine" });
});

test.each<[string, Partial<World>, Partial<typeof FIRST_STATE>, object]>([
  [
    "a browser without WebRTC",
    { browser: () => "noWebRtc" },
    {},
    { browser: "fail noWebRtc", udp: "skipped notNeeded" },
  ],
  ["a browser without the codecs", { browser: () => "noCodec" }, {}, { browser: "fail noCodec" }],
  [
    "a blocked permission",
    { gather: async () => ({ addresses: 0 }) },
    {},
    { permission: "fail webRtcBlocked", tcp: "skipped notNeeded", picture: "skipped notNeeded" },
  ],
  ["the server", {}, { online: false }, { socket: "fail serverAway", agent: "skipped notNeeded" }],
  ["the agent", {}, { agentAway: true }, { agent: "fail agentAway", machine: "skipped notNeeded" }],
  [
    "UDP",
    { tryTransport: async (way) => tried(way === "udp" ? "failed" : "connected") },
    {},
    { udp: "fail udpBlocked", tcp: "ok fine", picture: "ok fine" },
  ],
  ["UDP in the browser", { tryTransport: async () => tried("failed", 0) }, {}, { udp: "fail udpBlockedHere" }],
  [
    "TCP",
    { tryTransport: async (way) => tried(way === "tcp" ? "failed" : "connected") },
    {},
    { tcp: "fail tcpBlocked", udp: "ok fine" },
  ],
  ["TCP that is not offered", { tryTransport: async () => tried("failed", 1, 0) }, {}, { tcp: "fail tcpNotOffered" }],
  [
    "TURN that is away",
    { iceServers: async () => TURN, gather: async (_, relayOnly) => ({ addresses: relayOnly ? 0 : 2 }) },
    {},
    { turn: "fail turnAway" },
  ],
  [
    "TURN that leads nowhere",
    { iceServers: async () => TURN, tryTransport: async () => tried("failed"), video: async () => false },
    {},
    { turn: "fail turnBlocked", picture: "fail noWay" },
  ],
  ["an agent without an answer", { tryTransport: async () => tried("refused", 0, 0) }, {}, { udp: "fail noAnswer" }],
  ["the camera", { video: async () => false }, {}, { udp: "ok fine", picture: "fail pictureAway" }],
])("names %s when it fails", async (_, change, state, expected) => {
  expect(await selfTest(change, state)).toMatchObject(expected);
});

test("names a locked machine, and still tries the transports", async () => {
  const meters = {
    inGame: false,
    credit: 0,
    bet: 0,
    win: 0,
    freeSpins: 0,
    bonus: false,
    gamesPlayed: 0,
    activeBand: null,
  };
  const found = await selfTest({}, { meters: { ...meters, lockup: "door" } });
  expect(found).toMatchObject({ machine: "fail machineLocked", udp: "ok fine" });
});

test("tries no transport while video arrives, and only gathers an address from a TURN server", async () => {
  const ways: string[] = [];
  const tryTransport = async (way: string): Promise<TrialResult> => {
    ways.push(way);
    return tried("failed");
  };
  const found = await selfTest({ tryTransport, iceServers: async () => TURN, protocol: "tcp" }, { live: true });
  expect(found).toMatchObject({ udp: "skipped notNeeded", tcp: "ok inUse", turn: "ok fine", picture: "ok fine" });
  expect(ways).toEqual([]);
});

test("keeps the last minute second by second, with the recovery steps", () => {
  const history = new LinkHistory();
  const stats = (videoBytes: number) => ({
    ...{ videoBytes, linkBytes: 0, packetsReceived: 0, packetsLost: 0, framesDecoded: 0 },
    ...{ roundTripMs: 1, jitterBufferMs: 1, decodeMs: 1, jitterMs: 0, framesDropped: 0, path: NO_PATH },
  });
  const now = { delayMs: 20, framesPerSecond: 30, lossShare: 0 };
  for (let half = 0; half <= 180; half += 1) history.add(half * 500, stats(half * 50_000), now);
  expect(history.samples).toHaveLength(60);
  expect(history.samples.at(-1)).toEqual({ at: 90_000, ...now, jitterMs: 0, droppedShare: 0, bitsPerSecond: 800_000 });
  history.add(91_000, stats(1_000), now);
  expect(history.samples.at(-1)?.bitsPerSecond).toBe(8_000);
  history.event(91_000, "restart");
  expect(history.events).toEqual([{ at: 91_000, what: "restart" }]);
});

test("the file for support carries figures and kinds, and neither token nor address nor name", () => {
  const samples = [
    { at: 58_000, delayMs: 20, framesPerSecond: 30, lossShare: 0, bitsPerSecond: 1, jitterMs: 2, droppedShare: 0 },
  ];
  const path = { ...NO_PATH, protocol: "tcp", own: "host", theirs: "host" } as const;
  const text = supportFile(
    {
      ...{ readout: LOST_READOUT, press: undefined, path, sourceDelayMs: 83, samples },
      events: [{ at: 59_500, what: "renew" }],
    },
    {
      machineId: "m_3",
      now: 60_000,
      userAgent: "Browser",
      findings: [{ part: "udp", is: "fail", found: "udpBlocked" }],
    },
  );
  expect(JSON.parse(text)).toMatchObject({
    machineId: "m_3",
    sourceDelayMs: 83,
    path: { protocol: "tcp", own: "host" },
    samples: [{ secondsAgo: 2, delayMs: 20 }],
    events: [{ secondsAgo: 0.5, what: "renew" }],
    selfTest: [{ part: "udp", is: "fail" }],
  });
  expect(text).not.toMatch(/token|credential|candidate|\d+\.\d+\.\d+\.\d+/);
});
