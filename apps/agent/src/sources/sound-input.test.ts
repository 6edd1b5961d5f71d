import { expect, test } from "vitest";
import { fakeClock } from "../testing/fake-clock.ts";
import type { InputSpec } from "./inputs.ts";
import type { InputSink, OpenInput } from "./open-input.ts";
import { SourceProblem } from "./open-input.ts";
import { keepSoundOpen } from "./session.ts";

const order: InputSpec = { format: "alsa", url: "hw:1,0", options: {}, stamps: "wall", said: "the sound device" };

test("a sound device that fails again and again is opened once each while, and told once each time", async () => {
  const clock = fakeClock();
  const inputs: InputSink[] = [];
  const problems: string[] = [];
  let open = 0;
  const openInput: OpenInput = async (_, __, sink) => {
    inputs.push(sink);
    open += 1;
    return {
      hasAudio: true,
      close: async () => {
        open -= 1;
      },
    };
  };
  const deps = { clock, wallNow: () => 0, openInput, problem: (sentence: string) => problems.push(sentence) };
  const sound = keepSoundOpen(order, deps, { audio: () => undefined });
  await expect.poll(() => open).toBe(1);
  for (let failure = 0; failure < 5; failure += 1) inputs[0]?.ended(new SourceProblem("It is muted."));
  expect(problems).toEqual(["There is no sound. It is muted."]);
  clock.advance(5_000);
  await expect.poll(() => inputs.length).toBe(2);
  await expect.poll(() => open).toBe(1);
  clock.advance(60_000);
  await Promise.resolve();
  expect(inputs).toHaveLength(2);
  await sound.close();
  expect(open).toBe(0);
});
