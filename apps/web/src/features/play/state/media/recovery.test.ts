import fc from "fast-check";
import { expect, test } from "vitest";
import type { RecoveryStep, VideoSign } from "./recovery.ts";
import {
  CONNECT_MS,
  HELD_MS,
  HIDDEN_NOTICE_MS,
  KEY_FRAMES_MS,
  LOOK_MS,
  NOTICE_MS,
  PATIENCE_MS,
  POOR_MS,
  RENEWALS,
  RETURN_MS,
  RETURN_MS_MAX,
  Recovery,
  TRIED_MS,
  UdpReturn,
} from "./recovery.ts";

/** A recovery over a link that a test turns on and off. */
function recovering() {
  let now = 1_000_000;
  const link = {
    connected: true,
    asking: false,
    answered: true,
    pictures: true,
    packets: true,
    hidden: false,
    poor: false,
    udp: true,
    bytes: 0,
    frames: 0,
  };
  const reported: { at: number; what: string }[] = [];
  const run: { at: number; step: RecoveryStep }[] = [];
  const report = (what: string) => void reported.push({ at: now, what });
  const recovery = new Recovery(() => now, {
    live: (live) => report(live ? "live" : "missing"),
    step: (step) => report(step ?? "none"),
    isConnected: () => link.connected,
    isAsking: () => link.asking,
    isAnswered: () => link.answered,
    run: (step) => void run.push({ at: now, step }),
  });
  const look = (): void => {
    now += LOOK_MS;
    if (link.packets) link.bytes += 1_000;
    if (link.packets && link.pictures) link.frames += 3;
    const { bytes, frames, hidden, poor, udp } = link;
    recovery.look({ bytes, frames, linkBytes: bytes, hidden, poor, udp } satisfies VideoSign);
  };
  return {
    ...{ recovery, link, reported, run },
    now: () => now,
    pass(ms: number): void {
      for (let passed = 0; passed < ms; passed += LOOK_MS) look();
    },
    /** The page itself was held up: no looks at all. */
    stall: (ms: number) => {
      now += ms;
    },
    steps: () => run.filter(({ step }, index) => step !== "keyFrame" || run[index - 1]?.step !== "keyFrame"),
  };
}

function playing() {
  const made = recovering();
  made.recovery.begin();
  made.pass(300);
  expect(made.reported.map(({ what }) => what)).toEqual(["live"]);
  made.reported.length = 0;
  return made;
}

test("notices missing video within 500 ms, and requests a key frame at once, then again", () => {
  const { link, pass, reported, run, now } = playing();
  const cutAt = now();
  link.packets = false;
  pass(500);
  expect(reported.map(({ what }) => what)).toEqual(["missing", "keyFrame"]);
  expect(reported[0]!.at - cutAt).toBeLessThanOrEqual(500);
  pass(400);
  expect(run.map(({ step }) => step)).toEqual(["keyFrame", "keyFrame"]);
});

test("escalates step by step until video arrives: an ICE restart, another connection, TCP, and on", () => {
  const { link, pass, reported, steps, now } = playing();
  link.packets = false;
  pass(19_000);
  const run = steps();
  expect(run.map(({ step }) => step)).toEqual(["keyFrame", "restart", "renew", "tcp", "renew", "tcp"]);
  for (const [index, { at, step }] of run.entries()) {
    const next = run[index + 1];
    if (next !== undefined) expect(next.at - at).toBe(PATIENCE_MS[step]);
  }
  link.packets = true;
  const backAt = now();
  pass(LOOK_MS);
  expect(reported.slice(-2)).toEqual([
    { at: backAt + LOOK_MS, what: "none" },
    { at: backAt + LOOK_MS, what: "live" },
  ]);
});

test("a step has its time from the answer to its offer: no other is begun before", () => {
  const { link, pass, steps, now } = playing();
  link.packets = false;
  link.connected = false;
  pass(2_500);
  link.asking = true;
  pass(9_000);
  expect(steps().map(({ step }) => step)).toEqual(["keyFrame", "restart", "renew"]);
  link.asking = false;
  const answeredAt = now();
  pass(PATIENCE_MS.renew);
  expect(steps().at(-1)).toEqual({ at: answeredAt + PATIENCE_MS.renew, step: "renew" });
  expect(steps()).toHaveLength(4);
});

test("a connection that does not even come about is renewed more often before UDP is left out", () => {
  const { link, pass, steps } = playing();
  link.packets = false;
  link.connected = false;
  pass(21_500);
  const expected = ["keyFrame", "restart", ...Array<RecoveryStep>(RENEWALS).fill("renew"), "tcp", "renew"];
  expect(steps().map(({ step }) => step)).toEqual(expected);
});

test("packets without frames lead to key frame requests, and only in the end to a new connection", () => {
  const { link, pass, run, steps } = playing();
  link.pictures = false;
  pass(KEY_FRAMES_MS);
  expect(new Set(run.map(({ step }) => step))).toEqual(new Set(["keyFrame"]));
  expect(run.length).toBeGreaterThan(5);
  pass(1_000);
  expect(steps().map(({ step }) => step)).toEqual(["keyFrame", "renew"]);
});

test("gives a new connection its time, and then recovers it as well", () => {
  const { recovery, link, pass, steps } = recovering();
  link.packets = false;
  recovery.begin();
  pass(CONNECT_MS - LOOK_MS);
  expect(steps()).toEqual([]);
  pass(1_000);
  expect(steps().map(({ step }) => step)).toEqual(["keyFrame", "restart"]);
});

test("a connection that begins again brings no frame by itself: the time without video goes on", () => {
  const { recovery, link, pass } = playing();
  link.packets = false;
  pass(2_000);
  recovery.begin();
  expect(recovery.missingMs()).toBe(2_000);
  link.packets = true;
  pass(LOOK_MS);
  expect(recovery.missingMs()).toBe(0);
});

test("a page that was held up itself has missed nothing", () => {
  const { recovery, link, pass, stall, reported } = playing();
  stall(5_000);
  link.packets = false;
  recovery.look({ ...link, linkBytes: link.bytes });
  expect(reported).toEqual([]);
  link.packets = true;
  pass(1_000);
  expect(reported).toEqual([]);
});

test("on a hidden page any traffic is enough, and the limit is longer; a visible page has a moment again", () => {
  const { link, pass, reported, run } = playing();
  link.hidden = true;
  link.pictures = false;
  pass(10_000);
  expect(reported).toEqual([]);
  link.hidden = false;
  pass(1_400);
  expect([reported.map(({ what }) => what), run]).toEqual([["missing"], []]);
  link.pictures = true;
  pass(200);
  link.hidden = true;
  link.packets = false;
  reported.length = 0;
  pass(HIDDEN_NOTICE_MS - LOOK_MS);
  expect(reported).toEqual([]);
  pass(200);
  expect(reported.map(({ what }) => what)).toEqual(["missing", "keyFrame"]);
});

test("after a change of the network nothing is waited for", () => {
  const { recovery, link, pass, steps } = playing();
  recovery.hurry();
  expect(steps()).toEqual([]);
  link.packets = false;
  pass(500);
  expect(steps().map(({ step }) => step)).toEqual(["renew"]);
  pass(1_000);
  recovery.hurry();
  recovery.hurry();
  expect(steps().map(({ step }) => step)).toEqual(["renew", "renew"]);
});

test("a connection that the browser gave up is renewed at once", () => {
  const { recovery, steps, reported } = playing();
  recovery.failed();
  expect(steps().map(({ step }) => step)).toEqual(["renew"]);
  expect(reported.map(({ what }) => what)).toEqual(["missing", "renew"]);
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

test("gives UDP up when a frame arrives only now and then, though each one ends the escalation", () => {
  const { link, pass, run } = playing();
  for (let round = 0; round < 40 && !run.some(({ step }) => step === "tcp"); round += 1) {
    link.packets = false;
    pass(900);
    link.packets = true;
    pass(100);
  }
  expect(run.some(({ step }) => step === "tcp")).toBe(true);
});

test("keeps UDP however often the link is cut altogether", () => {
  const { recovery, link, pass, run } = playing();
  for (let cut = 0; cut < 20; cut += 1) {
    Object.assign(link, { packets: false, answered: false });
    pass(3_000);
    recovery.hurry();
    Object.assign(link, { packets: true, answered: true });
    pass(2_000);
  }
  expect(run.map(({ step }) => step)).not.toContain("tcp");
});

test("whatever the link does: notices in time, takes no step too early, and rests while video arrives", () => {
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
      const { recovery, link, pass, reported, run, now } = playing();
      for (const { ms, hurry, begin, ...next } of stretches) {
        Object.assign(link, next);
        if (hurry) recovery.hurry();
        if (begin) recovery.begin();
        const before = run.length;
        pass(ms);
        const noticeMs = link.hidden ? HIDDEN_NOTICE_MS : NOTICE_MS;
        const flows = link.packets && (link.pictures || link.hidden);
        if (flows) {
          expect(reported.findLast(({ what }) => what === "live" || what === "missing")?.what ?? "live").toBe("live");
          expect(run.slice(before)).toEqual([]);
        } else if (ms >= noticeMs + LOOK_MS) {
          expect(reported.findLast(({ what }) => what === "live" || what === "missing")?.what).toBe("missing");
        }
      }
      expect(recovery.missingMs()).toBeLessThanOrEqual(now());
      // The platform lets one offer through each two seconds; hurrying may add a few, which it allows at once.
      const offers = run.filter(({ step }) => step !== "keyFrame");
      const hurried = stretches.filter(({ hurry }) => hurry).length;
      for (const [index, offer] of offers.entries()) {
        const later = offers[index + 1 + hurried];
        if (later !== undefined) expect(later.at).toBeGreaterThan(offer.at);
      }
      for (const [index, { what }] of reported.entries()) {
        if (what === "live" || what === "missing") {
          const last = reported.slice(0, index).findLast((one) => one.what === "live" || one.what === "missing");
          expect(last?.what ?? "live").not.toBe(what);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test("tries UDP again later, with a longer wait after each try that did not hold, and the first wait after one that held", () => {
  let now = 0;
  const back = new UdpReturn(() => now);
  const dueAfter = (): number => {
    const from = now;
    for (; !back.isDue(); now += 1_000) if (now - from > RETURN_MS_MAX) return Number.POSITIVE_INFINITY;
    return now - from;
  };
  expect(dueAfter()).toBe(Number.POSITIVE_INFINITY);
  back.left();
  expect(dueAfter()).toBe(RETURN_MS);
  now += TRIED_MS;
  back.uses(false);
  expect(dueAfter()).toBe(RETURN_MS * 2);
  back.uses(true);
  now += 5_000;
  back.left();
  expect(dueAfter()).toBe(RETURN_MS * 4);
  now += HELD_MS;
  back.left();
  expect(dueAfter()).toBe(RETURN_MS);
  back.left();
  back.cancel();
  expect(dueAfter()).toBe(Number.POSITIVE_INFINITY);
  now += HELD_MS;
  back.left();
  back.trySoon();
  expect(dueAfter()).toBe(0);
});

test("also tries UDP again when ICE left it by itself, but not on a connection that never used it", () => {
  let now = 0;
  const back = new UdpReturn(() => now);
  for (; now < RETURN_MS * 2; now += 500) {
    back.uses(false);
    expect(back.isDue()).toBe(false);
  }
  back.uses(true);
  back.uses(false);
  now += RETURN_MS - 1;
  expect(back.isDue()).toBe(false);
  now += 1;
  expect(back.isDue()).toBe(true);
});
