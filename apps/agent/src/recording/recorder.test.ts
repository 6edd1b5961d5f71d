import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createBroadcast } from "../media/broadcast.ts";
import { paintedSource, TIME_BITS, TIME_BLOCK_PIXELS } from "../media/testing/painted-source.ts";
import { realClock, until } from "../media/testing/real-clock.ts";
import type { FrameClock, Source } from "../ports/source.ts";
import type { Transport } from "../ports/transport.ts";
import { systemFiles } from "../system-files.ts";
import type { ShownFrame } from "../testing/decode-clip.ts";
import { decodeClip } from "../testing/decode-clip.ts";
import { sha256 } from "./index-file.ts";
import type { Segment } from "./segment.ts";
import { partName, readSegment, segmentName } from "./segment.ts";

/*
 * The real encoder on a painted screen that shows the time of capture, recorded to a real disk and read by FFmpeg's own reader.
 */

const unwatched: Transport = {
  addViewer: () => Promise.reject(new Error("there is no viewer")),
  publish: () => Promise.reject(new Error("there is no crowd")),
  close: async () => undefined,
};
const sessionKey = randomBytes(32);
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function recording(files = systemFiles, clockOf = (): FrameClock => ({ by: "computer", delayMs: 0 })) {
  const folder = await mkdtemp(join(tmpdir(), "longarm-record-"));
  ends.push(() => rm(folder, { recursive: true }));
  const source = paintedSource(realClock);
  const filmed: Source = {
    ...source,
    open: (sink) => source.open({ ...sink, video: (frame) => sink.video({ ...frame, clock: clockOf() }) }),
  };
  const broadcast = createBroadcast({
    ...{ source: filmed, transport: unwatched, clock: realClock },
    disk: { files, random: randomBytes },
  });
  ends.push(() => broadcast.close());
  const sealed: Segment[] = [];
  const failures: string[] = [];
  await broadcast.record({
    ...{ folder, sessionKey, first: 1, lost: () => undefined },
    sealed: (segment) => void sealed.push(segment),
    failed: (why) => void failures.push(why),
  });
  return { folder, source, broadcast, sealed, failures };
}

/** The milliseconds that the picture shows, modulo 2^16. */
function shownTime({ data, width }: ShownFrame): number {
  let time = 0;
  for (let bit = 0; bit < TIME_BITS; bit += 1) {
    const middle = (TIME_BLOCK_PIXELS / 2) * width + bit * TIME_BLOCK_PIXELS + TIME_BLOCK_PIXELS / 2;
    if ((data[middle] ?? 0) > 125) time |= 1 << bit;
  }
  return time;
}

const apart = (a: number, b: number): number => Math.abs(((((a - b) % 65_536) + 98_304) % 65_536) - 32_768);

describe("a recorded segment", () => {
  test("is no more exact than its least exact frame, and ends when its camera has said its time", async () => {
    const camera = { by: "camera", delayMs: 30 } as const;
    let known: FrameClock = { by: "arrival", delayMs: 40 };
    const { folder, broadcast, sealed } = await recording(systemFiles, () => known);
    await until(
      "the first frames",
      async () => (await readFile(join(folder, partName(1))).catch(() => "")).length > 9_000,
    );
    known = camera;
    await until("the segment of the first frames", () => sealed.length > 0);
    await broadcast.record(undefined);
    const [first, ...others] = sealed;
    expect(first?.frameClock).toEqual({ by: "arrival", delayMs: 40 });
    // Else it lasts for six seconds.
    expect((first?.to ?? 0) - (first?.from ?? 0)).toBeLessThan(2_500);
    expect(others.map(({ frameClock }) => frameClock)).toEqual([camera]);
  });

  test("is a whole MP4 whose every frame lies where its picture says that it was captured", async () => {
    const { folder, broadcast, sealed, failures } = await recording();
    // A game each two seconds and a bit: each key frame there may end a segment.
    const stop = realClock.every(500, () => broadcast.gameBegan());
    ends.push(async () => stop());
    await until("two segments", () => sealed.length >= 2);
    await broadcast.record(undefined);
    expect(failures).toEqual([]);
    for (const segment of sealed) {
      const read = readSegment(sessionKey, segment.n, await readFile(join(folder, segmentName(segment.n))));
      expect(segment).toEqual({ ...read?.segment, frameClock: { by: "computer", delayMs: 0 } });
      const mp4 = read!.mp4;
      expect(sha256(mp4)).toBe(segment.sha256);
      const { frames, soundMs } = await decodeClip(mp4);
      expect(frames.length).toBe(segment.frames);
      for (const frame of frames) expect(apart(shownTime(frame), segment.from + frame.atMs)).toBeLessThan(2);
      if (segment.to - segment.from > 1_000) expect(soundMs.length).toBeGreaterThan(10);
      expect(soundMs.toSorted((a, b) => a - b)).toEqual(soundMs);
      expect((soundMs.at(-1) ?? 0) - (soundMs[0] ?? 0)).toBeLessThan(segment.to - segment.from + 40);
    }
    const [first, second] = sealed as [Segment, Segment];
    expect(second.from).toBe(first.to);
    expect(first.to - first.from).toBeGreaterThanOrEqual(2_000);
  });

  test("is playable up to its last fragment after a kill in the middle, and nothing of it can be read without its key", async () => {
    const { folder, broadcast } = await recording();
    const part = join(folder, partName(1));
    const bytes = await until("some fragments", async () => {
      const there = await readFile(part).catch(() => Buffer.alloc(0));
      return there.length > 40_000 ? there : undefined;
    });
    // What a dead process leaves: all that was written, with a torn end.
    const torn = bytes.subarray(0, bytes.length - 7);
    const read = readSegment(sessionKey, 1, torn);
    const { frames } = await decodeClip(read!.mp4);
    expect(frames.length).toBe(read!.segment.frames);
    expect(frames.length).toBeGreaterThan(0);
    expect(readSegment(randomBytes(32), 1, torn)).toBeUndefined();
    expect(bytes.includes(Buffer.from("moov"))).toBe(false);
    const changed = Buffer.from(bytes);
    changed[200]! ^= 1;
    expect(readSegment(sessionKey, 1, changed)).toBeUndefined();
    await broadcast.record(undefined);
    expect(await readdir(folder)).toEqual([segmentName(1)]);
  });
});

describe("a disk that fails", () => {
  test("is said, costs no frame of a player, and is tried again", async () => {
    let fails = true;
    const files = {
      ...systemFiles,
      open: async (path: string) => {
        if (fails) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
        return await systemFiles.open(path);
      },
    };
    const { folder, broadcast, failures, sealed, source } = await recording(files);
    await until("the failure", () => failures.length > 0);
    expect(failures[0]).toContain("no space left");
    expect(source.isOpen()).toBe(true);
    fails = false;
    await until("a fragment after it", async () => (await readdir(folder)).length > 0);
    await broadcast.record(undefined);
    expect(sealed.length).toBe(1);
    expect(source.isOpen()).toBe(false);
  });
});

test("a hostile file is no segment", async () => {
  const folder = await mkdtemp(join(tmpdir(), "longarm-record-"));
  ends.push(() => rm(folder, { recursive: true }));
  for (const bytes of [
    Buffer.alloc(0),
    randomBytes(10_000),
    Buffer.from("LARC\x01"),
    Buffer.concat([Buffer.from("LARC\x01", "latin1"), Buffer.alloc(5_000, 0xff)]),
  ]) {
    await writeFile(join(folder, "x"), bytes);
    expect(readSegment(sessionKey, 1, await readFile(join(folder, "x")))).toBeUndefined();
  }
});
