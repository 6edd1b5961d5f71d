import { expect, test } from "vitest";
import type { OpenSource, Source, SourceSink } from "../ports/source.ts";
import type { NegotiatedStreams, ViewerConnection } from "../ports/transport.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { createRoomCamera } from "./broadcast.ts";
import { until } from "./testing/real-clock.ts";
import { createRoomSender, ROOM_BITRATE, ROOM_NEEDS_BPS, ROOM_PAUSE_MS } from "./viewer/room-sender.ts";
import type { Entry } from "./viewer/viewer.ts";

const format = { width: 320, height: 180, frameRate: 12, audio: false };
const stream = { payloadType: 108, ssrc: 0x77, playoutDelayId: null, transportSequenceId: null };
const on: NegotiatedStreams = {
  videoCodec: "h264",
  video: { ...stream, ssrc: 1 },
  audio: null,
  roomCamera: { ...stream, codec: "h264" },
  cname: "m",
};
const off: NegotiatedStreams = { ...on, roomCamera: null };

function venue() {
  const clock = fakeClock(1_700_000_000_000);
  const sinks: SourceSink[] = [];
  let isOpen = false;
  const source: Source = {
    format,
    async open(sink): Promise<OpenSource> {
      isOpen = true;
      sinks.push(sink);
      return {
        async close() {
          isOpen = false;
        },
      };
    },
    still: () => Promise.reject(new Error("not asked here")),
  };
  const sent: Uint8Array[] = [];
  const connection = {
    sendVideo: (packets: readonly Uint8Array[]) => sent.push(...packets),
  } as unknown as ViewerConnection;
  const room = createRoomSender(clock, connection);
  /** The machine's video of this viewer: how wide its link is. */
  const link = { bitrate: 3_000_000 };
  const entry = { role: "player", room, sender: link } as unknown as Entry;
  const problems: string[] = [];
  const camera = createRoomCamera({ source, clock, entries: () => [entry], problem: (said) => problems.push(said) });
  const data = new Uint8Array((format.width * format.height * 3) / 2).fill(100);
  let frames = 0;
  const show = () => {
    clock.advance(84);
    frames += 1;
    data.fill(60 + ((frames * 37) % 120), 0, 9_000);
    sinks.at(-1)?.video({ ...format, data, capturedAtMs: clock.now() });
    camera.step();
  };
  const showUntil = (what: string, holds: () => boolean) =>
    until(what, () => {
      show();
      return holds();
    });
  const turn = (streams: NegotiatedStreams) => {
    room.agreed(streams);
    camera.settle();
    camera.wantKeyFrame(entry);
  };
  return { camera, clock, link, sent, problems, showUntil, turn, isOpen: () => isOpen };
}

test("the camera of the room is open exactly while it is wanted, and spends a rate of its own", async () => {
  const { camera, sent, problems, showUntil, turn, isOpen } = venue();
  camera.settle();
  expect(isOpen()).toBe(false);
  turn(on);
  await until("it is open", isOpen);
  await showUntil("the room is sent", () => sent.length > 5);
  expect(camera.stats()).toMatchObject([{ codec: "h264", bitrate: ROOM_BITRATE }]);
  expect(sent.every((packet) => Buffer.from(packet).readUInt32BE(8) === 0x77)).toBe(true);
  turn(off);
  await until("it is closed", () => !isOpen());
  await showUntil("its encoder has gone", () => camera.stats().length === 0);
  const count = sent.length;
  turn(on);
  await until("it is open again", isOpen);
  await showUntil("the room is sent again", () => sent.length > count + 2);
  expect(problems).toEqual([]);
  await camera.close();
  expect(isOpen()).toBe(false);
});

test("a link whose rate falls too low carries the machine's video only, and is tried again after a while", async () => {
  const { camera, clock, link, sent, showUntil, turn } = venue();
  turn(on);
  await showUntil("the room is sent", () => sent.length > 3);
  link.bitrate = ROOM_NEEDS_BPS;
  for (let shown = 0; shown < 5; shown += 1) await showUntil("a fall that leaves room", () => true);
  expect(camera.stats()).toHaveLength(1);
  link.bitrate = ROOM_NEEDS_BPS - 1;
  await showUntil("its encoder has gone", () => camera.stats().length === 0);
  const count = sent.length;
  for (let shown = 0; shown < 10; shown += 1) await showUntil("a frame is passed over", () => true);
  expect(sent.length).toBe(count);
  clock.advance(ROOM_PAUSE_MS);
  await showUntil("the room is sent again", () => sent.length > count);
  // A second fall is borne for twice as long.
  link.bitrate -= 1;
  await showUntil("its encoder has gone again", () => camera.stats().length === 0);
  const again = sent.length;
  clock.advance(ROOM_PAUSE_MS);
  for (let shown = 0; shown < 10; shown += 1) await showUntil("a frame is passed over", () => true);
  expect(sent.length).toBe(again);
  clock.advance(ROOM_PAUSE_MS);
  await showUntil("the room is sent once more", () => sent.length > again);
  await camera.close();
});

test("a machine without such a camera spends nothing on one", async () => {
  const camera = createRoomCamera({
    source: undefined,
    clock: fakeClock(1_700_000_000_000),
    entries: () => [],
    problem: () => undefined,
  });
  camera.settle();
  camera.step();
  expect(camera.stats()).toEqual([]);
  await camera.close();
});
