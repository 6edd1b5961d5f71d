import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Clock } from "./clock.ts";
import type { OpenSource, Source, SourceSink, VideoFrame } from "./source.ts";

/** One source to try, put there by its own test. */
export type SourceUnderTest = {
  readonly source: Source;
  /** The clock its times are of; real, because devices are. */
  readonly clock: Clock;
  /** Takes the device away while it is open; it is back when this resolves. Absent: it cannot be taken away. */
  unplug?(): Promise<void>;
  end(): Promise<void>;
};

/** What a source has told, copied. */
type Heard = { frames: VideoFrame[]; sounds: { values: number; at: number }[]; ended: string[]; sink: SourceSink };

function listen(): Heard {
  const heard: Omit<Heard, "sink"> = { frames: [], sounds: [], ended: [] };
  const sink: SourceSink = {
    video: (frame) => heard.frames.push({ ...frame, data: frame.data.slice() }),
    audio: ({ samples, capturedAtMs }) => heard.sounds.push({ values: samples.length, at: capturedAtMs }),
    ended: (reason) => heard.ended.push(reason),
  };
  return { ...heard, sink };
}

const until = (what: string, holds: () => boolean) => expect.poll(holds, { timeout: 25_000, message: what }).toBe(true);

/** A real frame: the right size, and not one grey. */
function expectPicture(frame: VideoFrame, source: Source): void {
  const { width, height } = source.format;
  expect([frame.width, frame.height]).toEqual([width, height]);
  expect(frame.data.length).toBe((width * height * 3) / 2);
  const luma = frame.data.subarray(0, width * height);
  expect(new Set(luma).size).toBeGreaterThan(8);
}

/** What every source of frames must do; run it from its own test file. `pullable`: its device can be taken away. */
export function sourceConformance(name: string, make: () => Promise<SourceUnderTest>, pullable = false): void {
  describe(`${name}: Source conformance`, { timeout: 120_000 }, () => {
    let it: SourceUnderTest;
    const opened: OpenSource[] = [];
    const open = async (heard: Heard): Promise<OpenSource> => {
      const one = await it.source.open(heard.sink);
      opened.push(one);
      return one;
    };
    beforeEach(async () => {
      it = await make();
    });
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close();
      await it.end();
    });

    test("promises a size with even edges, a rate, and sound or none", () => {
      const { width, height, frameRate } = it.source.format;
      for (const edge of [width, height]) expect(edge % 2 === 0 && edge >= 16 && edge <= 4096).toBe(true);
      expect(frameRate).toBeGreaterThanOrEqual(1);
      expect(frameRate).toBeLessThanOrEqual(60);
    });

    test("gives frames of its size whose times grow and are never of the future", async () => {
      const heard = listen();
      await open(heard);
      await until("ten frames", () => heard.frames.length >= 10);
      for (const frame of heard.frames) expectPicture(frame, it.source);
      const times = heard.frames.map(({ capturedAtMs }) => capturedAtMs);
      for (const [at, time] of times.slice(1).entries()) expect(time).toBeGreaterThan(times[at] ?? 0);
      expect(times.at(-1)).toBeLessThanOrEqual(it.clock.now() + 20);
    });

    test("gives sound in whole blocks exactly when it has some", async () => {
      const heard = listen();
      await open(heard);
      await until(
        "frames and sound",
        () => heard.frames.length >= 10 && (!it.source.format.audio || heard.sounds.length >= 10),
      );
      expect(heard.sounds.every(({ values }) => values === 1_920)).toBe(true);
      if (!it.source.format.audio) expect(heard.sounds).toEqual([]);
    });

    test("is open once at a time, says nothing after its end, and opens again", async () => {
      const heard = listen();
      const one = await open(heard);
      await expect(it.source.open(listen().sink)).rejects.toThrow(/./);
      await until("a frame", () => heard.frames.length > 0);
      await one.close();
      await one.close();
      const count = heard.frames.length + heard.sounds.length;
      const again = listen();
      await open(again);
      await until("a frame of the second opening", () => again.frames.length > 2);
      expect(heard.frames.length + heard.sounds.length).toBe(count);
      expect(heard.ended).toEqual([]);
    });

    test("has a still while it is closed and while it is open, and the still is the caller's", async () => {
      expectPicture(await it.source.still(), it.source);
      const heard = listen();
      await open(heard);
      const still = await it.source.still();
      expectPicture(still, it.source);
      const copy = still.data.slice();
      await until("more frames", () => heard.frames.length > 5);
      expect(still.data).toEqual(copy);
      expect(heard.ended).toEqual([]);
    });

    if (!pullable) return;
    test("says once why it stopped, and opens again when its device is back", async () => {
      const heard = listen();
      const one = await open(heard);
      await until("a frame", () => heard.frames.length > 0);
      await it.unplug?.();
      await until("it says that it ended", () => heard.ended.length > 0);
      const count = heard.frames.length;
      await one.close();
      const again = listen();
      await open(again);
      await until("frames again", () => again.frames.length > 2);
      expect(heard.ended).toHaveLength(1);
      expect(heard.frames.length).toBe(count);
    });
  });
}
