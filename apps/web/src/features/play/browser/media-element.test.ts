import { fakeTimers } from "@longarm/link/testing";
import { describe, expect, test } from "vitest";
import type { Player } from "./media-element.ts";
import { isDecoderGrey, keepLastFrame, startMedia } from "./media-element.ts";

const settle = async () => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

describe("a media element", () => {
  class FakePlayer extends EventTarget implements Player {
    allowed = false;
    paused = true;
    plays = 0;
    play(): Promise<void> {
      this.plays += 1;
      if (!this.allowed) return Promise.reject(new DOMException("a gesture first", "NotAllowedError"));
      this.paused = false;
      return Promise.resolve();
    }
  }

  test.each(["pointerup", "keydown", "touchend", "click"])(
    "that the browser holds back is said, and a %s plays it",
    async (gesture) => {
      const page = new EventTarget();
      const player = new FakePlayer();
      const told: boolean[] = [];
      const stop = startMedia(player, page, (locked) => told.push(locked));
      await settle();
      expect(told).toEqual([true]);
      page.dispatchEvent(new Event(gesture));
      await settle();
      expect(told.at(-1)).toBe(true);
      player.allowed = true;
      page.dispatchEvent(new Event(gesture));
      await settle();
      expect(told.at(-1)).toBe(false);
      const { plays } = player;
      page.dispatchEvent(new Event(gesture));
      expect(player.plays).toBe(plays);
      stop();
    },
  );

  test("that the browser paused by itself plays on, or is reported as locked", async () => {
    const player = new FakePlayer();
    player.allowed = true;
    const told: boolean[] = [];
    const stop = startMedia(player, new EventTarget(), (locked) => told.push(locked));
    await settle();
    player.paused = true;
    player.allowed = false;
    player.dispatchEvent(new Event("pause"));
    await settle();
    expect(told).toEqual([false, true]);
    stop();
    player.dispatchEvent(new Event("pause"));
    expect(player.plays).toBe(2);
  });

  test("with a newer source reports nothing of the old one", async () => {
    const told: boolean[] = [];
    const player = new FakePlayer();
    player.play = () => Promise.reject(new DOMException("a new load request", "AbortError"));
    startMedia(player, new EventTarget(), (locked) => told.push(locked));
    await settle();
    expect(told).toEqual([]);
  });
});

/** Forty points of one colour, with another one at the end. */
function frame(colour: readonly [number, number, number], last = colour): number[] {
  return Array.from({ length: 40 }, (_, index) => [...(index === 39 ? last : colour), 255]).flat();
}
const GREY = frame([130, 130, 130]);
const MACHINE = frame([130, 130, 130], [200, 40, 30]);

test.each([
  ["the decoder's grey", GREY, true],
  ["grey with the rounding of a decoder", frame([130, 130, 130], [126, 133, 131]), true],
  ["a frame of the machine", MACHINE, false],
  ["a dark screen, which is the machine's own", frame([0, 0, 0]), false],
  ["a white screen", frame([255, 255, 255]), false],
  ["a plain colour", frame([130, 90, 130]), false],
])("player 14: %s is judged", (_, data, grey) => {
  expect(isDecoderGrey(data)).toBe(grey);
});

test("player 14: a grey frame is not kept; the one before it stays until the machine is seen again", () => {
  const timers = fakeTimers();
  let shown = MACHINE;
  let kept: number[] | undefined;
  const said: boolean[] = [];
  const canvas = { width: 640, height: 360 } as HTMLCanvasElement;
  const stop = keepLastFrame(
    {
      kept: {
        canvas,
        drawImage: () => {
          kept = shown;
        },
      },
      latest: { canvas, drawImage: () => {} },
      sample: { drawImage: () => {}, getImageData: () => ({ data: shown }) },
      video: { readyState: 4 } as HTMLVideoElement,
    },
    timers,
    (grey) => said.push(grey),
  );
  expect(kept).toBe(MACHINE);
  shown = GREY;
  timers.advance(1_000);
  expect([kept, said]).toEqual([MACHINE, [true]]);
  const next = frame([10, 20, 30], [200, 200, 0]);
  shown = next;
  timers.advance(1_000);
  expect([kept, said]).toEqual([next, [true, false]]);
  stop();
  expect(timers.waiting).toBe(0);
});
