import { describe, expect, test } from "vitest";
import { createEncoderGain } from "./encoder-gain.ts";

const WANTED = 1_200_000;

/** So many looks at an encoder that makes `share` of what it is told; answers what it was told last. */
function follow(gain: ReturnType<typeof createEncoderGain>, looks: number, share: number): number {
  for (let picture = 0; picture < looks * 15; picture += 1) gain.made((gain.told(WANTED) * share) / 8 / 30);
  return gain.told(WANTED);
}

describe("what the encoder is told", () => {
  test("an encoder that makes too little is told more, until it makes what is wanted", () => {
    const gain = createEncoderGain(30, 3_000_000);
    expect(gain.told(WANTED)).toBe(WANTED);
    expect(follow(gain, 10, 0.8) * 0.8).toBeCloseTo(WANTED, -4);
  });

  test("rest changes nothing, and an encoder that makes what it is told is told no more within a second", () => {
    const gain = createEncoderGain(30, 3_000_000);
    const told = follow(gain, 10, 0.75);
    expect(follow(gain, 20, 0.05)).toBe(told);
    expect(follow(gain, 2, 1)).toBeCloseTo(WANTED, -4);
  });

  test("never a third as much again, and never beyond the most", () => {
    expect(follow(createEncoderGain(30, 3_000_000), 40, 0.55)).toBe(WANTED * 1.3);
    expect(follow(createEncoderGain(30, 1_300_000), 40, 0.55)).toBe(1_300_000);
    expect(createEncoderGain(30, 1_000_000).told(WANTED)).toBe(WANTED);
  });
});
