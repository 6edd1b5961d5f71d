import { describe, expect, test } from "vitest";
import type { VideoFrame } from "../ports/source.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { createEncoderChoice } from "./encoder/encoder-choice.ts";
import type { VideoEncoder } from "./encoder/video-encoder.ts";
import { createVideoEncoder, videoProfile } from "./encoder/video-encoder.ts";
import { createChangedAreas, createLane } from "./lane.ts";
import type { FramePackets } from "./rtp/frame-packets.ts";
import { until } from "./testing/real-clock.ts";

const place = (x: number) => ({ x, y: 0, width: 16, height: 16 });
const frame = (capturedAtMs: number, changed?: VideoFrame["changed"]): VideoFrame => ({
  width: 16,
  height: 16,
  data: new Uint8Array(384),
  capturedAtMs,
  ...(changed && { changed }),
});

test("what changed in frames that were left out is not forgotten", () => {
  const changedAreas = createChangedAreas();
  changedAreas.add(frame(1));
  expect(changedAreas.take()).toBeNull();
  changedAreas.add(frame(2, { sinceMs: 1, places: [place(1)] }));
  changedAreas.add(frame(3, { sinceMs: 2, places: [] }));
  changedAreas.add(frame(4, { sinceMs: 3, places: [place(2)] }));
  expect(changedAreas.take()).toEqual([place(1), place(2)]);
  changedAreas.add(frame(5, { sinceMs: 4, places: [] }));
  expect(changedAreas.take()).toEqual([]);
});

test("after a gap, or with too many places, the whole frame may have changed", () => {
  const changedAreas = createChangedAreas();
  changedAreas.add(frame(1));
  changedAreas.take();
  changedAreas.add(frame(3, { sinceMs: 2, places: [place(1)] }));
  changedAreas.add(frame(4, { sinceMs: 3, places: [place(1)] }));
  expect(changedAreas.take()).toBeNull();
  changedAreas.add(frame(5, { sinceMs: 4, places: Array.from({ length: 300 }, (_, x) => place(x)) }));
  expect(changedAreas.take()).toBeNull();
  changedAreas.add(frame(6));
  expect(changedAreas.take()).toBeNull();
});

describe("a hardware encoder that fails while a machine is played", () => {
  const size = { width: 64, height: 48 } as const;
  const format = { ...size, frameRate: 30, audio: false };
  type Fails = "by an error" | "by no frame" | "by no key frame" | "by no answer" | "at its opening";

  /** One that works for three frames. */
  function failing(how: Fails): VideoEncoder {
    let n = 0;
    return {
      busy: false,
      async encode({ capturedAtMs }, keyFrame) {
        n += 1;
        if (n > 3 && how === "by an error") throw new Error("the card is gone");
        if (n > 3 && how === "by no frame") return null;
        if (n > 3 && how === "by no answer") return new Promise(() => undefined);
        const isKey = n === 1 || (keyFrame && how !== "by no key frame");
        return { unit: Buffer.of(0, 0, 0, 1, isKey ? 0x65 : 0x41, n), keyFrame: isKey, capturedAtMs };
      },
      setBitrate: () => undefined,
      close: async () => undefined,
    };
  }

  test.each<Fails>(["by an error", "by no frame", "by no key frame", "by no answer", "at its opening"])(
    "(%s) is replaced by x264, once, with a key frame",
    async (how) => {
      const clock = fakeClock();
      const opened: string[] = [];
      const encoders = createEncoderChoice(clock, async (settings) => {
        opened.push(settings.encoder ?? "x264");
        if (settings.encoder === undefined) return await createVideoEncoder(settings);
        if (how === "at its opening") throw new Error("no device");
        return failing(how);
      });
      encoders.use("qsv");
      const problems: string[] = [];
      const delivered: FramePackets[] = [];
      const lane = createLane({
        ...{ clock, encoders, codec: "h264", format, profile: videoProfile(format) },
        deliver: (frame) => delivered.push(frame),
        follow: () => undefined,
        problem: (sentence) => problems.push(sentence),
      });
      const data = new Uint8Array((size.width * size.height * 3) / 2).fill(100);
      let shown = 0;
      const show = async () => {
        shown += 1;
        if (shown === 4) lane.wantKeyFrame("player");
        lane.frame({ ...size, data, capturedAtMs: clock.now() });
        await clock.pass(34);
      };
      const keys = () => delivered.flatMap(({ keyFrame }, n) => (keyFrame ? [n] : []));
      const isAtOpening = how === "at its opening";
      await until("x264 delivers a key frame", async () => {
        await show();
        return keys().length === (isAtOpening ? 1 : 2);
      });
      expect(opened).toEqual(["qsv", "x264"]);
      expect(encoders.now()).toBe("x264");
      expect(problems).toEqual([expect.stringMatching(/^The encoder qsv failed, and x264 encodes from now on: ./)]);
      // The first frame of each encoder. A key frame is due 300 ms after the one before.
      expect(keys()).toEqual(isAtOpening ? [0] : [0, how === "by no key frame" ? expect.any(Number) : 3]);
      // Another lane of the process begins with x264, and does not say it again.
      const next = createLane({
        ...{ clock, encoders, codec: "h264", format, profile: videoProfile(format) },
        deliver: () => undefined,
        follow: () => undefined,
        problem: (sentence) => problems.push(sentence),
      });
      next.prepare();
      encoders.use("qsv");
      await Promise.all([lane.close(), next.close()]);
      expect([opened, problems.length]).toEqual([["qsv", "x264", "x264"], 1]);
      expect(encoders.now(), "a second wish for what failed").toBe("x264");
    },
  );
});
