import { expect, test } from "vitest";
import { fakeClock } from "../testing/fake-clock.ts";
import { deviceSource } from "./device-source.ts";
import type { InputSpec } from "./inputs.ts";
import type { InputSink, OpenInput } from "./open-input.ts";
import { SourceProblem } from "./open-input.ts";

const order: InputSpec = { format: "v4l2", url: "/dev/video0", options: {}, stamps: "wall", said: "the device" };
const settings = { video: order, size: { width: 64, height: 64 }, rate: 10, delayMs: 0, sound: undefined };
const sinkInto = (ended: string[]) => ({
  video: () => undefined,
  audio: () => undefined,
  ended: (reason: string) => ended.push(reason),
});

function device(close: () => Promise<void>) {
  const clock = fakeClock();
  const inputs: InputSink[] = [];
  const openInput: OpenInput = async (_, __, sink) => {
    inputs.push(sink);
    return { hasAudio: false, close };
  };
  const source = deviceSource(settings, { clock, wallNow: () => 0, openInput, problem: () => undefined });
  return { clock, inputs, source };
}

test("a driver that hangs at its end does not keep its device from being tried again", async () => {
  const { clock, inputs, source } = device(() => new Promise(() => undefined));
  const ended: string[] = [];
  await source.open(sinkInto(ended));
  inputs[0]?.ended(new SourceProblem("The device is not there any more. Plug it in."));
  expect(ended).toEqual(["The device is not there any more. Plug it in."]);
  const again = source.open(sinkInto(ended));
  await Promise.resolve();
  expect(inputs).toHaveLength(1);
  clock.advance(3_000);
  await again;
  expect(inputs).toHaveLength(2);
});

test("a device that ends while it is being opened is not taken for open", async () => {
  let tries = 0;
  const openInput: OpenInput = async (_, __, sink) => {
    tries += 1;
    if (tries === 1) sink.ended(new SourceProblem("gone at once"));
    return { hasAudio: false, close: async () => undefined };
  };
  const source = deviceSource(settings, { clock: fakeClock(), wallNow: () => 0, openInput, problem: () => undefined });
  const ended: string[] = [];
  await expect(source.open(sinkInto(ended))).rejects.toThrow("gone at once");
  expect(ended).toEqual([]);
  await (await source.open(sinkInto(ended))).close();
  expect(tries).toBe(2);
});

test("viewers and stills share one opening, and the last one closes it", async () => {
  let closes = 0;
  const { inputs, source, clock } = device(async () => {
    closes += 1;
  });
  const open = await source.open(sinkInto([]));
  const still = source.still().catch((error: unknown) => String(error));
  await Promise.resolve();
  expect(inputs).toHaveLength(1);
  await open.close();
  expect(closes).toBe(0);
  clock.advance(10_000);
  expect(await still).toMatch(/no picture/);
  await expect.poll(() => closes).toBe(1);
});

test("the end of an opening that has failed takes nothing from the one after it", async () => {
  const { inputs, source } = device(async () => undefined);
  const first = await source.open(sinkInto([]));
  inputs[0]?.ended(new SourceProblem("The device is not there any more. Plug it in."));
  const second = await source.open(sinkInto([]));
  await first.close();
  await expect(source.open(sinkInto([]))).rejects.toThrow("open already");
  await second.close();
  await (await source.open(sinkInto([]))).close();
});
