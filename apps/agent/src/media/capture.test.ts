import { expect, test } from "vitest";
import type { Source, SourceSink } from "../ports/source.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { createCapture } from "./capture.ts";

const PICTURE = { width: 16, height: 16, data: new Uint8Array(384), capturedAtMs: 1 };

test("a device that stays away is tried ever more rarely, and at once again after a frame or a new viewer", async () => {
  const clock = fakeClock();
  let tries = 0;
  let here = false;
  let sink: SourceSink | undefined;
  const source: Source = {
    format: { width: 16, height: 16, frameRate: 30, audio: false },
    async open(on) {
      tries += 1;
      if (!here) throw new Error("unplugged");
      sink = on;
      return { close: async () => undefined };
    },
    still: () => Promise.reject(new Error("no still")),
  };
  const problems: string[] = [];
  const capture = createCapture(source, clock, { video: () => undefined, audio: () => undefined }, (said) =>
    problems.push(said),
  );
  const triesBecome = (count: number) => expect.poll(() => [tries, problems.length]).toEqual([count, count]);

  capture.want(true);
  await triesBecome(1);
  for (const [count, waitMs] of [2_000, 4_000, 8_000, 15_000, 15_000].entries()) {
    clock.advance(waitMs - 1);
    expect(tries).toBe(count + 1);
    clock.advance(1);
    await triesBecome(count + 2);
  }
  here = true;
  clock.advance(15_000);
  await expect.poll(() => sink).toBeDefined();
  sink?.video(PICTURE);
  here = false;
  sink?.ended("pulled again");
  clock.advance(2_000);
  await expect.poll(() => tries).toBe(8);

  capture.want(false);
  capture.want(true);
  await expect.poll(() => tries).toBe(9);
  await capture.close();
});

test("a source that ends while its opening is still being told is closed and opened again", async () => {
  const clock = fakeClock();
  let opens = 0;
  let closes = 0;
  const source: Source = {
    format: { width: 16, height: 16, frameRate: 30, audio: false },
    async open(on) {
      opens += 1;
      if (opens === 1) on.ended("pulled at once");
      return {
        close: async () => {
          closes += 1;
        },
      };
    },
    still: () => Promise.reject(new Error("no still")),
  };
  const problems: string[] = [];
  const sink = { video: () => undefined, audio: () => undefined };
  const capture = createCapture(source, clock, sink, (said) => problems.push(said));
  capture.want(true);
  await expect.poll(() => closes).toBe(1);
  clock.advance(2_000);
  await expect.poll(() => opens).toBe(2);
  expect(problems).toEqual(["The source stopped: pulled at once"]);
  await capture.close();
  expect(closes).toBe(2);
});
