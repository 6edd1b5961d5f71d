import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { realClock } from "../../media/testing/real-clock.ts";
import type { Source, SourceSink } from "../../ports/source.ts";
import { seededDice } from "../../testing/dice.ts";
import type { FakeClock } from "../../testing/fake-clock.ts";
import { fakeClock } from "../../testing/fake-clock.ts";
import type { Mark } from "./blink.ts";
import { BLINKS, blinkStep } from "./blink.ts";
import { passed, runSteps } from "./commissioning.ts";
import { fileMark, pageMark } from "./mark.ts";

const WIDTH = 128;
const HEIGHT = 72;

interface Manner {
  readonly delayMs: number;
  readonly rate: number;
  /** Brightness that the mark adds where the camera sees it; 0: it does not see it. */
  readonly contrast?: number;
  /** What else the picture does. */
  readonly scene?: "still" | "moving" | "blinking";
  /** The mark is hidden from the camera at some of the time. */
  readonly hidden?: (atMs: number) => boolean;
  /** A frame comes up to so much later than the quickest. */
  readonly jitterMs?: number;
}

/** A camera that sees the mark as it is at the moment of each frame, which is here `delayMs` later. */
function camera(clock: FakeClock, lit: () => boolean, manner: Manner): Source {
  const { delayMs, rate, contrast = 60, scene = "still", hidden = () => false, jitterMs = 0 } = manner;
  const random = seededDice(7);
  return {
    format: { width: WIDTH, height: HEIGHT, frameRate: rate, audio: false },
    still: () => Promise.reject(new Error("not used")),
    open: async (sink: SourceSink) => {
      let level = 90;
      const stop = clock.every(1_000 / rate, () => {
        const data = new Uint8Array((WIDTH * HEIGHT * 3) / 2).fill(90);
        if (scene === "moving") level = Math.min(200, Math.max(30, level + (random() - 0.5) * 120));
        if (scene === "blinking") level = Math.floor(clock.now() / 500) % 2 === 0 ? 60 : 160;
        data.fill(level, WIDTH * 24, WIDTH * 48);
        const isSeen = lit() && !hidden(clock.now());
        if (isSeen) for (let y = 60; y < 68; y += 1) data.fill(90 + contrast, y * WIDTH + 16, y * WIDTH + 24);
        const show = () => sink.video({ width: WIDTH, height: HEIGHT, data, capturedAtMs: clock.now() });
        clock.after(delayMs + random() * jitterMs, show);
      });
      return { close: async () => stop() };
    },
  };
}

async function measure(manner: Manner, show?: Mark["show"]) {
  const clock = fakeClock();
  let lit = false;
  const stored: number[] = [];
  const mark: Mark = {
    says: "Look.",
    ready: async () => undefined,
    show:
      show ??
      (async (on) => {
        lit = on;
        return clock.now();
      }),
    close: async () => undefined,
  };
  const step = blinkStep({
    ...{ source: camera(clock, () => lit, manner), clock, random: seededDice(3), openMark: async () => mark },
    ...{ say: () => undefined, encode: async () => Buffer.from("a WebP") },
    found: async (delayMs) => void stored.push(delayMs),
  });
  const before = { id: "picture", title: "Picture", needs: [], run: async () => passed("Frames come.") };
  let ended = false;
  const run = runSteps([before, step], clock).finally(() => {
    ended = true;
  });
  while (!ended) await clock.pass(200);
  return { result: (await run)[1], stored };
}

test.each([
  { delayMs: 0, rate: 30 },
  { delayMs: 40, rate: 30, scene: "moving" as const },
  { delayMs: 83, rate: 60, jitterMs: 15 },
  { delayMs: 250, rate: 15, contrast: 10 },
  { delayMs: 700, rate: 25, scene: "blinking" as const },
  { delayMs: 1_900, rate: 25 },
])("a camera that is $delayMs ms late at $rate frames a second is found within one frame", async (manner) => {
  const { result, stored } = await measure(manner);
  expect(result).toMatchObject({ outcome: "passed", evidence: { blinks: BLINKS } });
  const periodMs = 1_000 / manner.rate;
  expect(Math.abs((stored[0] ?? -1) - manner.delayMs)).toBeLessThanOrEqual(periodMs);
  const { medianMs, p95Ms } = result?.evidence ?? {};
  expect(medianMs).toBeGreaterThanOrEqual(manner.delayMs);
  expect(p95Ms).toBeLessThanOrEqual(manner.delayMs + 2 * periodMs);
  // The field of the mark.
  expect(result?.picture?.mark).toMatchObject({ x: expect.closeTo(4.5 / 32, 1), y: expect.closeTo(15.5 / 18, 1) });
});

test.each([
  { contrast: 0, fault: "delay.unseen" },
  { contrast: 0, scene: "moving" as const, fault: /^delay\.uns/ },
  { contrast: 0, scene: "blinking" as const, fault: /^delay\.uns/ },
  { contrast: 2, fault: "delay.unseen" },
  { hidden: (atMs: number) => Math.floor(atMs / 3_700) % 2 === 0, fault: "delay.unsure" },
  { jitterMs: 290, fault: "delay.unsure" },
])("a mark that cannot be followed gives no delay: %j", async ({ fault, ...manner }) => {
  const { result, stored } = await measure({ delayMs: 80, rate: 30, ...manner });
  expect(result).toMatchObject({ outcome: "failed" });
  expect(result?.outcome === "failed" && result.fault).toMatch(fault);
  expect(stored).toEqual([]);
});

test("a mark that cannot be switched is no fault of the camera", async () => {
  const { result } = await measure({ delayMs: 80, rate: 30 }, () => Promise.reject(new Error("no right to write")));
  expect(result).toMatchObject({ outcome: "failed", fault: "mark.away", says: "no right to write" });
});

describe("the page that blinks", () => {
  let mark: Mark | undefined;
  afterEach(async () => await mark?.close());
  const open = async () => {
    mark = await pageMark(realClock, "5ec2e7");
    const base = /http:\/\/127\.0\.0\.1:\d+\/5ec2e7/.exec(mark.says)?.[0] ?? "";
    const light = await fetch(`${base}/light`);
    const events = light.body?.pipeThrough(new TextDecoderStream()).getReader();
    const next = async (): Promise<{ n: number; on: boolean }> => {
      for (;;) {
        const { value = "", done } = (await events?.read()) ?? { done: true };
        if (value.startsWith("data: ")) return JSON.parse(value.slice(6)) as { n: number; on: boolean };
        if (done) throw new Error("the page was left");
      }
    };
    const shown = (body: string) => fetch(`${base}/shown`, { method: "POST", body });
    return { mark, base, next, shown };
  };

  test("is switched, and says since when it shows it", async () => {
    const { mark, base, next, shown } = await open();
    await mark.ready();
    expect(await (await fetch(base)).text()).toContain("EventSource");
    const sentAtMs = realClock.now();
    const switched = mark.show(true);
    const { n, on } = await next();
    expect(on).toBe(true);
    const calledAtMs = realClock.now();
    await shown(JSON.stringify({ n, agoMs: 0, tripMs: 0 }));
    const atMs = await switched;
    expect(atMs).toBeGreaterThanOrEqual(calledAtMs);
    expect(atMs).toBeLessThanOrEqual(realClock.now());
    // What a page claims does not come before it was switched.
    const again = mark.show(false);
    await shown(JSON.stringify({ n: (await next()).n, agoMs: 4_000, tripMs: 4_000 }));
    expect(await again).toBeGreaterThan(sentAtMs);
  });

  test("refuses calls without its secret, and what is no answer", async () => {
    const { mark, base, next, shown } = await open();
    expect((await fetch(base.replace("5ec2e7", "000000"))).status).toBe(404);
    expect((await fetch(base, { method: "POST" })).status).toBe(404);
    const switched = mark.show(true);
    const { n } = await next();
    for (const wrong of ["", "[]", "{", JSON.stringify({ n, agoMs: -1, tripMs: 0 }), " ".repeat(10_000)])
      expect((await shown(wrong)).status).toBe(400);
    await shown(JSON.stringify({ n: n + 1, agoMs: 0, tripMs: 0 }));
    expect(await Promise.race([switched, "waits"])).toBe("waits");
    await shown(JSON.stringify({ n, agoMs: 0, tripMs: 0 }));
    expect(await switched).toBeGreaterThan(0);
  });
});

test("a light is switched by its file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "longarm-led-"));
  const path = join(folder, "brightness");
  const mark = fileMark(path, realClock);
  await mark.ready();
  expect(await readFile(path, "utf8")).toBe("0");
  await mark.show(true);
  expect(await readFile(path, "utf8")).toBe("255");
  await mark.close();
  expect(await readFile(path, "utf8")).toBe("0");
  await rm(folder, { recursive: true });
  await expect(fileMark(join(folder, "no", "led"), realClock).show(true)).rejects.toThrow("ENOENT");
});
