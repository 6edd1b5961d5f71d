import { AV_CHANNEL_LAYOUT_MONO, AV_PIX_FMT_YUV420P, AV_SAMPLE_FMT_FLT, Frame } from "node-av";
import { expect, test } from "vitest";
import { readingThreads } from "../config/machines.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { createCaptureTimes } from "./capture-times.ts";
import { createFrameConverter } from "./frame-converter.ts";
import { withoutCredentials } from "./inputs.ts";
import { createSoundBlocks } from "./session.ts";

function grey(width: number, height: number, luma: number): Frame {
  const data = Buffer.alloc((width * height * 3) / 2, 128).fill(luma, 0, width * height);
  return Frame.fromVideoBuffer(data, { width, height, format: AV_PIX_FMT_YUV420P, timeBase: { num: 1, den: 1000 } });
}

const stamp = (atMs: number | null, zeroAtMs?: number) => ({ atMs, zeroAtMs });

test("a stamp of the wall clock tells how old a picture is, whatever the agent's clock says", () => {
  const clock = fakeClock(5_000);
  let wall = 1_000_000;
  const times = createCaptureTimes("wall", clock.now, () => wall);
  expect(times.of(stamp(wall - 30))?.capturedAtMs).toBe(4_970);
  clock.advance(33);
  wall += 33;
  expect(times.of(stamp(wall - 40))?.capturedAtMs).toBe(4_993);
  expect(times.behindMs()).toBe(40);
  expect(times.of(stamp(wall - 30))?.clock).toEqual({ by: "computer", delayMs: 0 });
});

test("a wall clock that cannot be right, and a count, are laid so that the quickest picture took no time", () => {
  for (const [stamps, wall] of [
    ["stream", 0],
    ["wall", 9e12],
  ] as const) {
    const clock = fakeClock(5_000);
    const times = createCaptureTimes(stamps, clock.now, () => wall);
    times.of(stamp(-40));
    clock.advance(40);
    expect(times.of(stamp(0))?.capturedAtMs).toBeCloseTo(5_040, 0);
    clock.advance(60);
    expect(times.of(stamp(40))?.capturedAtMs).toBeCloseTo(5_080, 0);
    expect(times.behindMs()).toBeCloseTo(20, 0);
    clock.advance(10);
    expect(times.of(stamp(80))?.capturedAtMs).toBe(5_110);
    clock.advance(40);
    // The camera was started anew.
    expect(times.of(stamp(3))?.capturedAtMs).toBe(5_150);
    expect(times.of(stamp(null))?.capturedAtMs).toBe(5_151);
  }
});

test("frames that waited while the camera was opened are not shown, and the first shown one is not late", () => {
  const clock = fakeClock(5_000);
  const times = createCaptureTimes("stream", clock.now, () => 0);
  // Ten frames that were read before, at once; then the camera's own pace.
  for (let n = 0; n < 10; n += 1) expect(times.of(stamp(n * 33))).toBeUndefined();
  clock.advance(30);
  expect(times.of(stamp(10 * 33))?.capturedAtMs).toBeCloseTo(5_030, 0);
  clock.advance(33);
  expect(times.of(stamp(11 * 33))?.capturedAtMs).toBeCloseTo(5_063, 0);
});

test("frames that a busy computer reads no faster than they are taken are not shown while the camera's clock says that they waited", () => {
  const clock = fakeClock(5_700);
  const times = createCaptureTimes("stream", clock.now, () => clock.now() + 1_000_000);
  // Taken from 5,000 on, and read each 20 ms: by its own clock a frame is 700 ms old, then 13 ms less with each.
  const found = Array.from({ length: 30 }, (_, n) => {
    clock.advance(5_700 + n * 20 - clock.now());
    return times.of(stamp(n * 33, 1_005_000));
  });
  const shown = found.findIndex((taken) => taken !== undefined);
  expect(shown).toBe(16);
  for (const [n, taken] of found.entries())
    if (n >= shown)
      expect(taken).toMatchObject({ capturedAtMs: expect.closeTo(5_000 + n * 33, 0), clock: { by: "camera" } });
});

test("a source without stamps is shown after a second", () => {
  const clock = fakeClock(5_000);
  const times = createCaptureTimes("stream", clock.now, () => 0);
  expect(times.of(stamp(null))).toBeUndefined();
  clock.advance(999);
  expect(times.of(stamp(null))).toBeUndefined();
  clock.advance(1);
  expect(times.of(stamp(null))?.capturedAtMs).toBe(6_000);
});

/** Frames each 33 ms, the quickest of which are here after 40 ms; `zeroAtMs`: what the camera says of its stamp 0, which it took at 5,000. */
function filmed(zeroAtMs: number | undefined, setDelayMs?: number) {
  const clock = fakeClock(5_000);
  const times = createCaptureTimes("stream", clock.now, () => clock.now() + 1_000_000, setDelayMs);
  const found = Array.from({ length: 40 }, (_, n) => {
    clock.advance(5_000 + n * 33 + 40 + (n % 4) * 3 - clock.now());
    return times.of(stamp(n * 33, zeroAtMs));
  });
  const off = found.map((taken, n) => Math.round((taken?.capturedAtMs ?? 5_000 + n * 33) - (5_000 + n * 33)));
  return { off, frameClock: found.at(-1)?.clock };
}

test("a camera that says its time is believed, and a frame was taken when it says", () => {
  const { off, frameClock } = filmed(1_005_000);
  expect(new Set(off)).toEqual(new Set([0]));
  expect(frameClock).toEqual({ by: "camera", delayMs: expect.closeTo(40, 0) });
  // A little ahead: its frames are not from the future.
  const ahead = filmed(1_005_050);
  expect(new Set(ahead.off.slice(1))).toEqual(new Set([40]));
  expect(ahead.frameClock).toEqual({ by: "camera", delayMs: 0 });
});

test("a camera's clock that cannot be right is not believed; what was set counts, as where a camera says nothing", () => {
  for (const zeroAtMs of [1_005_000 - 700, 1_005_000 + 90, 0, Number.NaN]) {
    const { off, frameClock } = filmed(zeroAtMs, 40);
    expect(new Set(off.slice(1))).toEqual(new Set([0]));
    expect(frameClock).toMatchObject({ by: "arrival", delayMs: 40, cameraMs: expect.any(Number) });
  }
  expect(filmed(undefined).off.at(-1)).toBe(40);
  expect(filmed(undefined, 40).frameClock).toEqual({ by: "arrival", delayMs: 40 });
});

test("where the delay was measured, a camera's clock is believed only near it", () => {
  expect(filmed(1_005_000, 70).frameClock).toEqual({ by: "camera", delayMs: expect.closeTo(40, 0) });
  const late = filmed(1_005_000, 150);
  expect(late.frameClock).toEqual({ by: "arrival", delayMs: 150, cameraMs: expect.closeTo(40, 0) });
  expect(new Set(late.off.slice(1))).toEqual(new Set([-110]));
});

test("a picture of another shape stands in the middle of black, and its times are kept", async () => {
  const made: { data: Uint8Array; capturedAtMs: number }[] = [];
  const converter = createFrameConverter(
    { width: 64, height: 32 },
    ({ data, capturedAtMs }) => made.push({ data: data.slice(), capturedAtMs }),
    (error) => {
      throw error;
    },
  );
  converter.take(grey(64, 64, 200), { capturedAtMs: 7 });
  await expect.poll(() => made.length).toBe(1);
  const [picture] = made;
  expect(picture?.capturedAtMs).toBe(7);
  const row = [...(picture?.data.subarray(64 * 16, 64 * 17) ?? [])];
  expect([row[0], row[15], row[16], row[47], row[48]]).toEqual([16, 16, 200, 200, 16]);
  expect(picture?.data.length).toBe(64 * 32 * 1.5);
  converter.take(grey(128, 64, 90), { capturedAtMs: 8 });
  await expect.poll(() => made.length).toBe(2);
  expect(made[1]?.data[64 * 16]).toBe(90);
  await converter.close();
});

test("while a picture is made only the newest waits", async () => {
  const times: number[] = [];
  const converter = createFrameConverter(
    { width: 64, height: 64 },
    (picture) => times.push(picture.capturedAtMs),
    () => undefined,
  );
  for (const at of [1, 2, 3, 4]) converter.take(grey(640, 640, 100), { capturedAtMs: at });
  await expect.poll(() => times).toEqual([1, 4]);
  expect(converter.dropped).toBe(2);
  await converter.close();
  converter.take(grey(64, 64, 100), { capturedAtMs: 5 });
  expect(times).toEqual([1, 4]);
});

test("any sound becomes blocks of 960 pairs whose times go on from block to block", () => {
  const blocks: { left: number; right: number; at: number }[] = [];
  const sounds = createSoundBlocks(
    ({ samples, capturedAtMs }) => blocks.push({ left: samples[200] ?? 0, right: samples[201] ?? 0, at: capturedAtMs }),
    (error) => {
      throw error;
    },
  );
  const frame = (at: number) => {
    const samples = new Float32Array(1_200).fill(0.5);
    const made = Frame.fromAudioBuffer(Buffer.from(samples.buffer), {
      nbSamples: 1_200,
      format: AV_SAMPLE_FMT_FLT,
      sampleRate: 48_000,
      channelLayout: AV_CHANNEL_LAYOUT_MONO,
      timeBase: { num: 1, den: 48_000 },
    });
    sounds.take(made, at);
  };
  for (const at of [1_000, 1_025, 1_050, 1_075]) frame(at);
  expect(blocks.map(({ at }) => Math.round(at))).toEqual([1_000, 1_020, 1_040, 1_060, 1_080]);
  for (const { left, right } of blocks) {
    expect(left).toBeGreaterThan(8_000);
    expect(right).toBe(left);
  }
  sounds.close();
});

test("every input that may wait for its device has a thread of its own", () => {
  const machine = { driver: "simulated", id: "a", name: "A", brand: "nar", own: {} } as const;
  const size = { width: 640, height: 480 };
  const picture = { kind: "test", size, rate: 30 } as const;
  expect(readingThreads([machine])).toBe(4);
  expect(
    readingThreads([
      { ...machine, picture, sound: { kind: "test" }, roomCamera: { kind: "none" } },
      { ...machine, roomCamera: picture },
    ]),
  ).toBe(7);
});

test("an address is told without what may be a password, wherever a camera takes it", () => {
  const said = [
    "rtsp://eye:secret@camera.lan:554/live",
    "rtsp://camera.lan/live?password=secret",
    "rtsp://camera.lan/user=eye_password=secret_channel=1.sdp",
  ].map(withoutCredentials);
  expect(said).toEqual(["rtsp://camera.lan:554/live", "rtsp://camera.lan/live", "rtsp://camera.lan/…"]);
});
