import { fakeTimers } from "@longarm/link/testing";
import { expect, test } from "vitest";
import { isDecoderGrey, keepLastFrame } from "./last-frame.ts";

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
  const stop = keepLastFrame(
    {
      kept: {
        canvas: { width: 640, height: 360 },
        drawImage: () => {
          kept = shown;
        },
      },
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
