import { expect, test } from "vitest";
import { fakeClock } from "../testing/fake-clock.ts";
import { createEncoderChoice } from "./encoder/encoder-choice.ts";
import { createVideoEncoder, videoProfile } from "./encoder/video-encoder.ts";
import { SPARE_KEY_FRAME_GAP_MS } from "./lane.ts";
import type { LaneViewer } from "./lanes.ts";
import { createLanes, STAFF_BITRATE, STAFF_FRAME_RATE } from "./lanes.ts";
import { until } from "./testing/real-clock.ts";
import type { ViewerSender } from "./viewer/sender.ts";

const format = { width: 320, height: 180, frameRate: 30, audio: false };

test("a spectator on a bad link lowers neither the rate nor the frames of the player, whose packets leave first", async () => {
  const clock = fakeClock();
  const sent: { to: string; thinned: boolean }[] = [];
  const viewer = (to: string, role: LaneViewer["role"], bitrate: number): LaneViewer => {
    const frame = (_: unknown, thinned: boolean) => void sent.push({ to, thinned });
    return { role, sender: { codec: "h264", bitrate, refused: bitrate < 100_000, frame } as unknown as ViewerSender };
  };
  const player = viewer("player", "player", 2_000_000);
  // They came before the player.
  const viewers = [viewer("narrow", "spectator", 60_000), viewer("wide", "spectator", 9_000_000), player];
  const problems: string[] = [];
  const profile = videoProfile(format);
  const lanes = createLanes({ clock, format, profile, viewers: () => viewers, problem: (said) => problems.push(said) });
  const data = new Uint8Array((format.width * format.height * 3) / 2).fill(100);
  expect(lanes.picturedAt(), "before the first frame").toBeUndefined();
  await until("two frames went to all", () => {
    clock.advance(34);
    data.fill(clock.now() % 200, 0, 9_000);
    lanes.frame({ ...format, data, capturedAtMs: clock.now() });
    lanes.step();
    return sent.length >= 6;
  });
  expect(lanes.stats()).toMatchObject([{ codec: "h264", bitrate: 2_000_000 }]);
  expect(sent.slice(0, 3)).toEqual([
    { to: "player", thinned: false },
    { to: "narrow", thinned: true },
    { to: "wide", thinned: false },
  ]);
  expect(lanes.picturedAt()).toBeGreaterThan(clock.now() - 34 * 3);
  expect(problems).toEqual([]);
  await lanes.close();
});

test("the encoder receives the bitrate of the player's link, also after many frames without anything to encode", async () => {
  const clock = fakeClock();
  const sender = { codec: "h264", bitrate: 700_000, refused: true, frame: () => undefined };
  const viewers: LaneViewer[] = [{ role: "player", sender: sender as unknown as ViewerSender }];
  const lanes = createLanes({
    clock,
    format,
    profile: videoProfile(format),
    viewers: () => viewers,
    problem: () => {},
  });
  const data = new Uint8Array((format.width * format.height * 3) / 2).fill(100);
  await until("two seconds of frames were made", () => {
    clock.advance(34);
    lanes.frame({ ...format, data, capturedAtMs: clock.now() });
    lanes.step();
    return (lanes.stats()[0]?.encoded ?? 0) >= 60;
  });
  expect(lanes.stats()).toMatchObject([{ bitrate: 700_000 }]);
  await lanes.close();
});

test("a spectator with another codec than the player's gets its key frames no more often than any other spectator", async () => {
  const clock = fakeClock(0);
  const viewer = (role: LaneViewer["role"], codec: "h264" | "vp8"): LaneViewer => {
    const sender = { codec, bitrate: 1_000_000, refused: false, frame: () => undefined };
    return { role, sender: sender as unknown as ViewerSender };
  };
  const spectator = viewer("spectator", "vp8");
  const viewers = [viewer("player", "h264"), spectator];
  const lanes = createLanes({
    clock,
    format,
    profile: videoProfile(format),
    viewers: () => viewers,
    problem: () => {},
  });
  const data = new Uint8Array((format.width * format.height * 3) / 2).fill(100);
  const spare = () => lanes.stats().find(({ codec }) => codec === "vp8");
  let seen = 0;
  await until("thirty frames were made", () => {
    const { encoded = 0 } = spare() ?? {};
    clock.advance(encoded > seen ? 34 : 5);
    seen = encoded;
    lanes.wantKeyFrame(spectator);
    lanes.frame({ ...format, data, capturedAtMs: clock.now() });
    return encoded >= 30;
  });
  // The first one, and one each two seconds.
  expect(spare()?.keyFrames).toBeLessThanOrEqual(2 + clock.now() / SPARE_KEY_FRAME_GAP_MS);
  await lanes.close();
});

test("staff alone gets few frames and bits; with a player it gets the player's, and no encoder of its own", async () => {
  const clock = fakeClock(0);
  const sent: string[] = [];
  const viewer = (role: LaneViewer["role"], codec: "h264" | "vp8"): LaneViewer => {
    const frame = () => void sent.push(`${role} ${codec}`);
    return { role, sender: { codec, bitrate: 5_000_000, refused: false, frame } as unknown as ViewerSender };
  };
  const viewers = [viewer("staff", "h264")];
  const profile = videoProfile(format);
  const lanes = createLanes({ clock, format, profile, viewers: () => viewers, problem: () => {} });
  const data = new Uint8Array((format.width * format.height * 3) / 2).fill(100);
  const show = (what: string, done: () => boolean) =>
    until(what, () => {
      clock.advance(34);
      data.fill(clock.now() % 200, 0, 9_000);
      lanes.frame({ ...format, data, capturedAtMs: clock.now() });
      lanes.step();
      return done();
    });
  const began = clock.now();
  await show("staff sees twelve frames", () => sent.length >= STAFF_FRAME_RATE);
  expect(clock.now() - began).toBeGreaterThan(900);
  expect(lanes.stats()).toMatchObject([{ codec: "h264", bitrate: STAFF_BITRATE }]);

  viewers.push(viewer("player", "vp8"));
  sent.length = 0;
  await show("the player sees frames", () => sent.length >= 5);
  expect(lanes.stats()).toMatchObject([{ codec: "vp8", bitrate: 5_000_000 }]);
  expect(new Set(sent)).toEqual(new Set(["player vp8"]));

  viewers.push(viewer("staff", "vp8"));
  sent.length = 0;
  await show("both see frames", () => sent.length >= 4);
  expect(sent.slice(0, 2)).toEqual(["player vp8", "staff vp8"]);
  await lanes.close();
});

test("the encoder of a first viewer is open before it is connected, stays while it connects, and encodes nothing before", async () => {
  const clock = fakeClock();
  const viewer = {
    ...{ role: "player" as LaneViewer["role"], framesPerSecond: 20, coming: "h264" as "h264" | null },
    sender: { codec: null as "h264" | null, bitrate: 500_000, refused: false, frame: () => undefined },
  };
  const viewers = [viewer as unknown as LaneViewer];
  const lanes = createLanes({
    clock,
    format,
    profile: videoProfile(format),
    viewers: () => viewers,
    problem: () => {},
  });
  lanes.prepare({ ...viewer, role: "staff" } as unknown as LaneViewer);
  expect(lanes.stats()).toEqual([]);
  lanes.prepare(viewers[0]!);
  lanes.step();
  const data = new Uint8Array((format.width * format.height * 3) / 2).fill(100);
  lanes.frame({ ...format, data, capturedAtMs: clock.now() });
  expect(lanes.stats()).toMatchObject([{ codec: "h264", encoded: 0 }]);
  Object.assign(viewer, { coming: null });
  viewer.sender.codec = "h264";
  await until("a frame is encoded", () => {
    clock.advance(50);
    lanes.frame({ ...format, data, capturedAtMs: clock.now() });
    return (lanes.stats()[0]?.encoded ?? 0) > 0;
  });
  viewer.sender.codec = null;
  lanes.step();
  expect(lanes.stats(), "it did not come back").toEqual([]);
  await lanes.close();
});

test.each([true, false])(
  "while a recording runs alone, a player's own encoder is open before it is connected (it connects: %s)",
  async (connects) => {
    const clock = fakeClock();
    const rates: number[] = [];
    let open = 0;
    const encoders = createEncoderChoice(clock, async (settings) => {
      rates.push(settings.frameRate);
      open += 1;
      const encoder = await createVideoEncoder(settings);
      const close = async () => {
        open -= 1;
        await encoder.close();
      };
      return {
        ...encoder,
        close,
        setBitrate: encoder.setBitrate,
        get busy() {
          return encoder.busy;
        },
      };
    });
    const sender = { codec: "h264", bitrate: 500_000, refused: false, frame: () => undefined };
    const recorder = { role: "staff", sender } as unknown as LaneViewer;
    const viewers: LaneViewer[] = [];
    const profile = videoProfile(format);
    const lanes = createLanes({
      clock,
      encoders,
      format,
      profile,
      viewers: () => viewers,
      recorder,
      problem: () => {},
    });
    const data = new Uint8Array((format.width * format.height * 3) / 2).fill(100);
    const show = () => {
      clock.advance(1_000 / STAFF_FRAME_RATE);
      data.fill(clock.now() % 200, 0, 9_000);
      lanes.frame({ ...format, data, capturedAtMs: clock.now() });
      lanes.step();
      return lanes.stats()[0]?.encoded ?? 0;
    };
    await until("the recording has a frame", () => show() > 0);
    const fresh = { codec: null as "h264" | null, bitrate: 2_000_000, refused: false, frame: () => undefined };
    const player = { role: "player", framesPerSecond: 20, coming: "h264" as "h264" | null, sender: fresh };
    viewers.push(player as unknown as LaneViewer);
    lanes.prepare(viewers[0]!);
    lanes.prepare(viewers[0]!);
    const before = show();
    await until("the recording goes on", () => show() > before);
    expect([rates, open]).toEqual([[STAFF_FRAME_RATE, 20], 2]);
    if (connects) {
      Object.assign(player, { coming: null });
      fresh.codec = "h264";
    } else viewers.pop();
    await until("one encoder is left", () => show() > 0 && open === 1);
    expect(lanes.stats()).toMatchObject([{ bitrate: connects ? 2_000_000 : 500_000 }]);
    expect(rates).toHaveLength(2);
    await lanes.close();
    expect(open).toBe(0);
  },
);
