import fc from "fast-check";
import { expect, test } from "vitest";
import type { Sign, Step } from "./ladder.ts";
import {
  CONNECT_MS,
  HIDDEN_NOTICE_MS,
  KEY_FRAMES_MS,
  Ladder,
  LOOK_MS,
  NOTICE_MS,
  PATIENCE_MS,
  POOR_MS,
  RENEWALS,
} from "./ladder.ts";

/** A ladder over a link that a test turns on and off. */
function climbing() {
  let now = 1_000_000;
  const link = {
    stands: true,
    pictures: true,
    packets: true,
    hidden: false,
    poor: false,
    udp: true,
    bytes: 0,
    frames: 0,
  };
  const told: { at: number; what: string }[] = [];
  const taken: { at: number; step: Step }[] = [];
  const tell = (what: string) => void told.push({ at: now, what });
  const ladder = new Ladder({
    now: () => now,
    live: (live) => tell(live ? "live" : "missing"),
    step: (step) => tell(step ?? "none"),
    stands: () => link.stands,
    take: (step) => void taken.push({ at: now, step }),
  });
  const look = (): void => {
    now += LOOK_MS;
    if (link.packets) link.bytes += 1_000;
    if (link.packets && link.pictures) link.frames += 3;
    const { bytes, frames, hidden, poor, udp } = link;
    ladder.look({ bytes, frames, linkBytes: bytes, hidden, poor, udp } satisfies Sign);
  };
  return {
    ...{ ladder, link, told, taken },
    now: () => now,
    pass(ms: number): void {
      for (let passed = 0; passed < ms; passed += LOOK_MS) look();
    },
    /** The page itself was held up: no looks at all. */
    stall: (ms: number) => {
      now += ms;
    },
    steps: () => taken.filter(({ step }, index) => step !== "keyFrame" || taken[index - 1]?.step !== "keyFrame"),
  };
}

function playing() {
  const made = climbing();
  made.ladder.begin();
  made.pass(300);
  expect(made.told.map(({ what }) => what)).toEqual(["live"]);
  made.told.length = 0;
  return made;
}

test("missing pictures are noticed within 500 ms, and a key frame is asked for at once, then again", () => {
  const { link, pass, told, taken, now } = playing();
  const cutAt = now();
  link.packets = false;
  pass(500);
  expect(told.map(({ what }) => what)).toEqual(["missing", "keyFrame"]);
  expect(told[0]!.at - cutAt).toBeLessThanOrEqual(500);
  pass(400);
  expect(taken.map(({ step }) => step)).toEqual(["keyFrame", "keyFrame"]);
});

test("step after step is climbed until pictures come: another way, another connection, TCP, and on", () => {
  const { link, pass, told, steps, now } = playing();
  link.packets = false;
  pass(19_000);
  const taken = steps();
  expect(taken.map(({ step }) => step)).toEqual(["keyFrame", "restart", "renew", "tcp", "renew", "tcp"]);
  for (const [index, { at, step }] of taken.entries()) {
    const next = taken[index + 1];
    if (next !== undefined) expect(next.at - at).toBe(PATIENCE_MS[step]);
  }
  link.packets = true;
  const backAt = now();
  pass(LOOK_MS);
  expect(told.slice(-2)).toEqual([
    { at: backAt + LOOK_MS, what: "none" },
    { at: backAt + LOOK_MS, what: "live" },
  ]);
});

test("a connection that does not even come about is renewed more often before UDP is left out", () => {
  const { link, pass, steps } = playing();
  link.packets = false;
  link.stands = false;
  pass(21_500);
  const expected = ["keyFrame", "restart", ...Array<Step>(RENEWALS).fill("renew"), "tcp", "renew"];
  expect(steps().map(({ step }) => step)).toEqual(expected);
});

test("packets without pictures ask for key frames, and for no other way; a new connection comes in the end", () => {
  const { link, pass, taken, steps } = playing();
  link.pictures = false;
  pass(KEY_FRAMES_MS);
  expect(new Set(taken.map(({ step }) => step))).toEqual(new Set(["keyFrame"]));
  expect(taken.length).toBeGreaterThan(5);
  pass(1_000);
  expect(steps().map(({ step }) => step)).toEqual(["keyFrame", "renew"]);
});

test("a connection just begun has its time, and then is mended as well", () => {
  const { ladder, link, pass, steps } = climbing();
  link.packets = false;
  ladder.begin();
  pass(CONNECT_MS - LOOK_MS);
  expect(steps()).toEqual([]);
  pass(1_000);
  expect(steps().map(({ step }) => step)).toEqual(["keyFrame", "restart"]);
});

test("a connection that begins again brings no picture by that: it stays missing for as long as it was", () => {
  const { ladder, link, pass } = playing();
  link.packets = false;
  pass(2_000);
  ladder.begin();
  expect(ladder.missingMs()).toBe(2_000);
  link.packets = true;
  pass(LOOK_MS);
  expect(ladder.missingMs()).toBe(0);
});

test("a page that was held up itself has missed nothing", () => {
  const { ladder, link, pass, stall, told } = playing();
  stall(5_000);
  link.packets = false;
  ladder.look({ ...link, linkBytes: link.bytes });
  expect(told).toEqual([]);
  link.packets = true;
  pass(1_000);
  expect(told).toEqual([]);
});

test("on a hidden page anything that comes is enough, and nobody is in a hurry; seen again it has a moment", () => {
  const { link, pass, told, taken } = playing();
  link.hidden = true;
  link.pictures = false;
  pass(10_000);
  expect(told).toEqual([]);
  link.hidden = false;
  pass(1_400);
  expect([told.map(({ what }) => what), taken]).toEqual([["missing"], []]);
  link.pictures = true;
  pass(200);
  link.hidden = true;
  link.packets = false;
  told.length = 0;
  pass(HIDDEN_NOTICE_MS - LOOK_MS);
  expect(told).toEqual([]);
  pass(200);
  expect(told.map(({ what }) => what)).toEqual(["missing", "keyFrame"]);
});

test("after a change of the network nothing is waited for", () => {
  const { ladder, link, pass, steps } = playing();
  ladder.hurry();
  expect(steps()).toEqual([]);
  link.packets = false;
  pass(500);
  expect(steps().map(({ step }) => step)).toEqual(["restart"]);
  pass(3_000);
  expect(steps().map(({ step }) => step)).toEqual(["restart", "renew"]);
  pass(1_000);
  ladder.hurry();
  ladder.hurry();
  expect(steps().map(({ step }) => step)).toEqual(["restart", "renew", "renew"]);
});

test("a connection that the browser gave up is renewed at once", () => {
  const { ladder, steps, told } = playing();
  ladder.failed();
  expect(steps().map(({ step }) => step)).toEqual(["renew"]);
  expect(told.map(({ what }) => what)).toEqual(["missing", "renew"]);
});

test("UDP that lets through drops only is left for TCP, and TCP is not", () => {
  const { link, pass, steps } = playing();
  link.poor = true;
  pass(POOR_MS);
  expect(steps().map(({ step }) => step)).toEqual(["tcp"]);
  link.udp = false;
  pass(POOR_MS * 3);
  expect(steps()).toHaveLength(1);
});

test("a picture now and then is no way to play: the way is left though each one ends the climb", () => {
  const { link, pass, taken } = playing();
  for (let round = 0; round < 40 && !taken.some(({ step }) => step === "tcp"); round += 1) {
    link.packets = false;
    pass(900);
    link.packets = true;
    pass(100);
  }
  expect(taken.some(({ step }) => step === "tcp")).toBe(true);
});

test("whatever the link does: noticed in time, no step before its turn, and quiet while pictures come", () => {
  const stretch = fc.record({
    ms: fc.integer({ min: 1, max: 80 }).map((looks) => looks * LOOK_MS),
    pictures: fc.boolean(),
    packets: fc.boolean(),
    hidden: fc.boolean(),
    hurry: fc.boolean(),
    begin: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(stretch, { maxLength: 30 }), (stretches) => {
      const { ladder, link, pass, told, taken, now } = playing();
      for (const { ms, hurry, begin, ...next } of stretches) {
        Object.assign(link, next);
        if (hurry) ladder.hurry();
        if (begin) ladder.begin();
        const before = taken.length;
        pass(ms);
        const noticeMs = link.hidden ? HIDDEN_NOTICE_MS : NOTICE_MS;
        const flows = link.packets && (link.pictures || link.hidden);
        if (flows) {
          expect(told.findLast(({ what }) => what === "live" || what === "missing")?.what ?? "live").toBe("live");
          expect(taken.slice(before)).toEqual([]);
        } else if (ms >= noticeMs + LOOK_MS) {
          expect(told.findLast(({ what }) => what === "live" || what === "missing")?.what).toBe("missing");
        }
      }
      expect(ladder.missingMs()).toBeLessThanOrEqual(now());
      // The platform lets one offer through each two seconds; hurrying may add a few, which it allows at once.
      const offers = taken.filter(({ step }) => step !== "keyFrame");
      const hurried = stretches.filter(({ hurry }) => hurry).length;
      for (const [index, offer] of offers.entries()) {
        const later = offers[index + 1 + hurried];
        if (later !== undefined) expect(later.at).toBeGreaterThan(offer.at);
      }
      for (const [index, { what }] of told.entries()) {
        if (what === "live" || what === "missing") {
          const last = told.slice(0, index).findLast((one) => one.what === "live" || one.what === "missing");
          expect(last?.what ?? "live").not.toBe(what);
        }
      }
    }),
    { numRuns: 200 },
  );
});
