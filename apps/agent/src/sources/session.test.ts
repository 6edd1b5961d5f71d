import type { Frame } from "node-av";
import { AV_PIX_FMT_YUV420P, Frame as AvFrame } from "node-av";
import { expect, test } from "vitest";
import { fakeClock } from "../testing/fake-clock.ts";
import type { InputSpec } from "./inputs.ts";
import type { InputSink } from "./open-input.ts";
import { startSession } from "./session.ts";

const size = { width: 64, height: 64 };
const picture: InputSpec = { format: "rtsp", url: "", options: {}, stamps: "stream", said: "the camera" };

const stamp = (atMs: number) => ({ atMs, zeroAtMs: undefined });

function frame(): Frame {
  const data = Buffer.alloc(64 * 64 * 1.5, 100);
  return AvFrame.fromVideoBuffer(data, { ...size, format: AV_PIX_FMT_YUV420P, timeBase: { num: 1, den: 1000 } });
}

/** Open, with the first frames of the camera behind it: they say that it is live. */
async function session() {
  const clock = fakeClock(1_700_000_000_000 - 100);
  const times: number[] = [];
  const taken: (number | undefined)[] = [];
  const ended: string[] = [];
  let input: InputSink | undefined;
  const open = await startSession(
    { video: picture, size, rate: 10, delayMs: 0, sound: undefined },
    {
      clock,
      wallNow: () => 0,
      openInput: async (_, __, sink) => {
        input = sink;
        return { hasAudio: false, close: async () => undefined };
      },
      problem: () => undefined,
    },
    {
      video({ capturedAtMs, takenAtMs }) {
        times.push(capturedAtMs - 1_700_000_000_000);
        taken.push(takenAtMs && takenAtMs - 1_700_000_000_000);
      },
      audio: () => undefined,
      ended: (reason) => ended.push(reason),
    },
  );
  input?.video(frame(), stamp(-200));
  clock.advance(100);
  const show = async (stampMs: number) => {
    const before = times.length;
    input?.video(frame(), stamp(stampMs));
    await expect.poll(() => times.length > before || ended.length > 0).toBe(true);
  };
  return { clock, times, taken, ended, open, show, input: () => input };
}

test("a device that pauses has its last picture repeated for a second, then nothing, then it has failed", async () => {
  const { clock, times, taken, ended, open, show } = await session();
  clock.advance(100);
  await show(0);
  expect(times).toEqual([100]);
  clock.advance(1_000);
  const repeated = times.length;
  expect(repeated).toBeGreaterThanOrEqual(3);
  // A recording has a repeat at the time of the frame that it repeats.
  expect(new Set(taken.slice(1))).toEqual(new Set([100]));
  clock.advance(2_500);
  expect(times.length).toBeLessThanOrEqual(repeated + 1);
  expect(ended).toEqual([]);
  clock.advance(2_000);
  expect(ended).toEqual(["The camera gives no picture any more."]);
  await open.close();
});

test("pictures that come ever later are ended with advice; one pause of our own is not", async () => {
  const { clock, ended, open, show, input } = await session();
  await show(0);
  for (let count = 1; count <= 20; count += 1) {
    clock.advance(100);
    await show(count * 100);
  }
  clock.advance(2_500);
  for (const at of [2_100, 2_300, 4_500]) input()?.video(frame(), stamp(at));
  expect(ended).toEqual([]);
  for (let count = 1; count <= 120 && ended.length === 0; count += 1) {
    clock.advance(100);
    await show(4_500 + count * 40);
  }
  expect(ended).toEqual(["The camera sends more than this computer can read. Choose a smaller size or rate."]);
  await open.close();
});

test("a picture that comes after its repeat is told as later than it", async () => {
  const { clock, times, open, show, input } = await session();
  await show(0);
  clock.advance(100);
  await show(100);
  // It was taken in time and comes late, after a repeat of the one before.
  clock.advance(310);
  const repeated = times.length;
  expect(repeated).toBeGreaterThan(2);
  clock.advance(60);
  input()?.video(frame(), stamp(200));
  await expect.poll(() => times.length).toBeGreaterThan(repeated);
  for (const [at, time] of times.slice(1).entries()) expect(time).toBeGreaterThan(times[at] ?? 0);
  await open.close();
});
