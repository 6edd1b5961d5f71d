import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { fakeClock } from "../testing/fake-clock.ts";
import { openDecoder } from "./encoder/promises.ts";
import type { VideoEncoder } from "./encoder/video-encoder.ts";
import { videoProfile } from "./encoder/video-encoder.ts";
import { createFollowers } from "./followers.ts";
import { FOLLOWERS_KEY_FRAME_GAP_MS } from "./lane.ts";
import type { LaneViewer } from "./lanes.ts";
import { createLanes } from "./lanes.ts";
import type { FramePackets } from "./rtp/frame-packets.ts";
import { until } from "./testing/real-clock.ts";
import type { ViewerRole, ViewerSender } from "./viewer/sender.ts";

const format = { width: 320, height: 192, frameRate: 30, audio: false };
const PIXELS = format.width * format.height;
const FRAMES = 90;
/** More than the frames need: within a rate buffer x264 divides bits between its threads as these come along. */
const BITRATE = 8_000_000;

/** Fields of light and dark with some grain; a band of them moves, up to a frame. */
function imageAt(index: number, stillFrom = FRAMES): Uint8Array {
  const data = new Uint8Array(PIXELS * 1.5).fill(128);
  for (let at = 0; at < PIXELS; at += 1) {
    const [x, y] = [at % format.width, Math.floor(at / format.width)];
    const moved = y >= 64 && y < 128 ? Math.min(index, stillFrom) * 5 : 0;
    data[at] = ((((x + moved) >> 5) + (y >> 5)) % 2 === 0 ? 180 : 60) + ((at * 7_919) % 13);
  }
  return data;
}

/** A player and others see so many frames; `each` is called before each frame. */
async function show(
  roles: readonly Exclude<ViewerRole, "player">[],
  each: (lanes: ReturnType<typeof createLanes>, others: readonly LaneViewer[], index: number) => void,
  { bitrate = BITRATE, stillFrom = FRAMES } = {},
) {
  const clock = fakeClock(1_700_000_000_000);
  const seen = new Map<ViewerRole, FramePackets[]>();
  const viewer = (role: ViewerRole): LaneViewer => {
    const frames: FramePackets[] = [];
    seen.set(role, frames);
    const frame = (one: FramePackets) => void frames.push(one);
    return { role, sender: { codec: "h264", bitrate, refused: false, frame } as unknown as ViewerSender };
  };
  const others = roles.map(viewer);
  const viewers = [...others, viewer("player")];
  const problems: string[] = [];
  const lanes = createLanes({
    ...{ clock, format, profile: { ...videoProfile(format), bitrateStart: bitrate, preset: "ultrafast" } },
    viewers: () => viewers,
    problem: (sentence) => problems.push(sentence),
  });
  const count = (role: ViewerRole) => seen.get(role)?.length ?? 0;
  for (let index = 0; index < FRAMES; index += 1) {
    each(lanes, others, index);
    const image = { ...format, data: imageAt(index, stillFrom) };
    // The encoder opens with the first one.
    await until("the frame came to all", () => {
      if (count("player") <= index) {
        if (index === 0) clock.advance(40);
        lanes.frame({ ...image, capturedAtMs: clock.now() });
      }
      return [...seen.keys()].every((role) => count(role) > index);
    });
    clock.advance(40);
  }
  await lanes.close();
  expect(problems).toEqual([]);
  return (role: ViewerRole) => seen.get(role) ?? [];
}

/** How far each frame as shown is from its image, of 255, on average. */
async function offBy(frames: readonly FramePackets[], first: number, stillFrom = FRAMES): Promise<number[]> {
  using decoder = openDecoder();
  const off: number[] = [];
  for (const [at, { unit }] of frames.entries()) {
    const [image, shown] = [imageAt(first + at, stillFrom), await decoder.shows(Buffer.from(unit))];
    if (shown === null) throw new Error(`A decoder shows nothing of frame ${at} when it comes.`);
    let sum = 0;
    for (let pixel = 0; pixel < PIXELS; pixel += 1) sum += Math.abs((image[pixel] ?? 0) - (shown[pixel] ?? 0));
    off.push(sum / PIXELS);
  }
  return off;
}

const keysOf = (frames: readonly FramePackets[]): number[] =>
  frames.flatMap(({ keyFrame }, index) => (keyFrame ? [index] : []));

test("a flood of wishes for key frames, from the crowd and from spectators, changes no bit of the player's video", async () => {
  const quiet = await show(["crowd", "spectator"], () => undefined);
  const flooded = await show(["crowd", "spectator"], (lanes, others) => {
    for (const viewer of others) for (let n = 0; n < 20; n += 1) lanes.wantKeyFrame(viewer);
  });
  const bits = (frames: readonly FramePackets[]) => frames.map(({ unit }) => Buffer.from(unit).toString("base64"));
  expect(bits(flooded("player"))).toEqual(bits(quiet("player")));
  expect(keysOf(flooded("player"))).toEqual([0]);
  const keys = keysOf(flooded("crowd"));
  expect(keys.length).toBeGreaterThan(3);
  expect(keys.length).toBeLessThanOrEqual(1 + (FRAMES * 40) / FOLLOWERS_KEY_FRAME_GAP_MS);
  expect(keysOf(flooded("spectator"))).toEqual(keys);
}, 60_000);

test("who joins while somebody plays has a key frame soon, and from there on a whole and sharp video", async () => {
  const JOINS = 20;
  const seen = await show(["crowd"], (lanes, [crowd], index) => {
    if (index === JOINS && crowd) lanes.wantKeyFrame(crowd);
  });
  const [, key = Number.NaN] = keysOf(seen("crowd"));
  expect(key).toBeGreaterThanOrEqual(JOINS);
  // Its encoder opens meanwhile.
  expect(key).toBeLessThan(JOINS + 40);
  const joined = await offBy(seen("crowd").slice(key), key);
  const player = await offBy(seen("player"), 0);
  expect(joined).toHaveLength(FRAMES - key);
  // Of 255, also half a hundred frames later.
  expect(Math.max(...joined)).toBeLessThan(6);
  expect(joined.at(-1)).toBeLessThan((player.at(-1) ?? 0) + 2);
  const stamps = (role: ViewerRole) => seen(role).map(({ timestamp }) => timestamp);
  expect(stamps("crowd")).toEqual(stamps("player"));
}, 60_000);

test("a key frame of the player's own goes to all, who count from there", async () => {
  const seen = await show(["crowd", "staff"], (lanes, [crowd], index) => {
    if (index === 10 && crowd) lanes.wantKeyFrame(crowd);
    const player = { role: "player", sender: undefined } as unknown as LaneViewer;
    if (index === 60 && crowd) lanes.wantKeyFrame({ ...player, sender: crowd.sender });
  });
  const [, own = 0] = keysOf(seen("player"));
  expect(own).toBeGreaterThanOrEqual(60);
  for (let index = own; index < FRAMES; index += 1) expect(seen("crowd")[index]).toBe(seen("player")[index]);
  expect(Math.max(...(await offBy(seen("staff").slice(own), own)))).toBeLessThan(20);
}, 60_000);

test("who joins while the player's narrow link has not made the picture sharp gets another key frame once it has", async () => {
  const narrow = { bitrate: 150_000, stillFrom: 30 };
  const seen = await show(
    ["crowd"],
    (lanes, [crowd], index) => {
      if (index >= 4 && index < 20 && crowd) lanes.wantKeyFrame(crowd);
    },
    narrow,
  );
  const keys = keysOf(seen("crowd"));
  expect(keys.at(-1)).toBeGreaterThan(narrow.stillFrom);
  expect(keysOf(seen("player"))).toEqual([0]);
  const [crowd, player] = [
    await offBy(seen("crowd"), 0, narrow.stillFrom),
    await offBy(seen("player"), 0, narrow.stillFrom),
  ];
  expect(crowd.at(-1)).toBeLessThan((player.at(-1) ?? 0) + 2);
}, 60_000);

test("an encoder that hangs at a key frame costs those who follow two seconds, and its late result nothing more", async () => {
  const hung = Promise.withResolvers<Awaited<ReturnType<VideoEncoder["encode"]>>>();
  const encoder = { encode: () => hung.promise } as unknown as VideoEncoder;
  const [followed, failures]: [FramePackets[], string[]] = [[], []];
  const followers = createFollowers({
    ...{ frameBytes: () => 1_000, again: () => {}, follow: (frame: FramePackets) => void followed.push(frame) },
    failed: (_, error) => failures.push(String(error)),
  });
  const seen = await show([], () => {});
  const [first, ...rest] = seen("player");
  if (first === undefined) throw new Error("There is no frame.");
  followers.add(first);
  const image = { ...format, data: imageAt(0), capturedAtMs: 0 };
  for (const [at, frame] of rest.entries()) {
    followers.add(frame, at === 0 ? { encoder, image } : undefined);
    if (at === 59) expect(followed).toEqual([first]);
  }
  expect(failures).toEqual(["Error: A key frame took too long."]);
  expect(followed).toEqual([first, ...rest]);
  hung.resolve({ unit: Buffer.from(first.unit), keyFrame: true, capturedAtMs: 0 });
  await setImmediate();
  const [last = first] = rest.slice(-1);
  followers.add(last);
  expect(followed.slice(FRAMES)).toEqual([last]);
}, 60_000);
