import { paceOf } from "@longarm/reels/game/reveal";
import { stripsOf } from "@longarm/reels/game/strips";
import { prepareArt } from "@longarm/reels/picture/art";
import { PICTURE_HEIGHT, PICTURE_WIDTH } from "@longarm/reels/picture/reading/layout";
import { createScene } from "@longarm/reels/picture/scene";
import type { GlassView } from "@longarm/reels/picture/view";
import { createVideoEncoder } from "../../apps/agent/src/media/encoder/video-encoder.ts";
import { createFramePacketizer } from "../../apps/agent/src/media/rtp/frame-packets.ts";
import { createRecorder } from "../../apps/agent/src/recording/recorder.ts";
import type { Segment } from "../../apps/agent/src/recording/segment.ts";
import { readSegment, segmentName } from "../../apps/agent/src/recording/segment.ts";
import { fakeClock } from "../../apps/agent/src/testing/fake-clock.ts";
import { memoryFiles } from "../../apps/agent/src/testing/memory-files.ts";

/* What an agent records of a painted machine, with the time of each frame in its picture: by the agent's own encoder and recorder. */

const FRAME_MS = 100;
const KEY = Buffer.alloc(32, 7);
const view: GlassView = {
  meters: { credit: 482_050, bet: 1_200, win: 38_400, inGame: false, bonus: false, jackpots: [], handPays: [] },
  ...{ notice: "", stage: null, freeSpinsTotal: 0, fromStops: [0, 0, 0, 0, 0], stops: [3, 5, 7, 9, 11], spin: null },
  ...{ picks: [], turnAt: 0, restAt: 1, presses: 0 },
};

export type RecordedPart = Segment & { readonly mp4: Buffer };

/** Seconds of a machine's picture from `fromMs` on, in segments of two seconds; of the seconds that `gap` names nothing is there. */
export async function recordPicture(
  codec: "h264" | "vp8",
  fromMs: number,
  { seconds = 6, gap = [] as readonly number[] } = {},
): Promise<RecordedPart[]> {
  const size = { width: PICTURE_WIDTH, height: PICTURE_HEIGHT };
  const scene = createScene({
    art: await prepareArt("nar"),
    strips: stripsOf("nar"),
    pace: paceOf(2_500),
    timeCode: true,
  });
  const made = { ...size, frameRate: 10, bitrate: 2_000_000, preset: "ultrafast" } as const;
  const encoder = await createVideoEncoder({ ...made, codec });
  const packetize = createFramePacketizer(codec);
  const clock = fakeClock(fromMs);
  const files = memoryFiles();
  const sealed: Segment[] = [];
  const failures: string[] = [];
  const recorder = createRecorder({
    ...{ clock, files, random: (bytes: number) => Buffer.alloc(bytes, sealed.length + 1) },
    ...{ format: { ...size, frameRate: 10, audio: false }, watchedCodec: () => codec, wantKeyFrame: () => undefined },
  });
  const record = async () =>
    await recorder.record({
      ...{ folder: "/record", sessionKey: KEY, first: sealed.length + 1, lost: () => undefined },
      ...{ sealed: (segment: Segment) => void sealed.push(segment), failed: (why: string) => void failures.push(why) },
    });
  for (let n = 0; n < (seconds * 1_000) / FRAME_MS; n += 1) {
    const second = Math.floor((n * FRAME_MS) / 1_000);
    const at = clock.now();
    if (!gap.includes(second)) {
      if (!recorder.on) await record();
      scene.paint(view, at);
      const frame = await encoder.encode(
        { ...size, data: scene.frame.data, capturedAtMs: at },
        n % (1_000 / FRAME_MS) === 0,
      );
      if (frame !== null) recorder.viewer.sender.frame(packetize(frame.unit, frame.keyFrame, at), false);
    } else await recorder.record(undefined);
    clock.advance(FRAME_MS);
  }
  await recorder.record(undefined);
  await encoder.close();
  if (failures.length > 0) throw new Error(failures.join(" "));
  return sealed.map((segment) => {
    const read = readSegment(KEY, segment.n, files.bytes(`/record/${segmentName(segment.n)}`) ?? Buffer.alloc(0));
    if (read === undefined) throw new Error(`Segment ${segment.n} cannot be read.`);
    return { ...segment, mp4: read.mp4 };
  });
}
