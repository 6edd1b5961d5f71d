import { describe, expect, test } from "vitest";
import type { ViewerConnection } from "../../ports/transport.ts";
import { fakeClock } from "../../testing/fake-clock.ts";
import { createFramePacketizer } from "../rtp/frame-packets.ts";
import { download } from "../testing/download.ts";
import { playOverLosses } from "../testing/lossy-link.ts";
import { joinLink, narrowLink } from "../testing/narrow-link.ts";
import { createOutlet } from "./outlet.ts";
import { burstBytes, PACED_MS_MAX } from "./pacer.ts";
import { PROTECTION_GAP_MS } from "./rate-control.ts";

const STREAM = { payloadType: 108, ssrc: 0x1234, playoutDelayId: null, transportSequenceId: 3 };
const REPAIR = { payloadType: 49, ssrc: 0x1235 };
const NUMBER_AT = 17;

function makeOutlet(bitrate: number, takesRepairs: boolean) {
  const clock = fakeClock(1_700_000_000_000);
  const gone: { readonly atMs: number; readonly packet: Buffer }[] = [];
  const connection = {
    sendVideo: (packets: readonly Uint8Array[]) =>
      gone.push(...packets.map((packet) => ({ atMs: clock.now(), packet: Buffer.from(packet) }))),
  } as unknown as ViewerConnection;
  const video = takesRepairs ? { ...STREAM, repair: REPAIR } : STREAM;
  const outlet = createOutlet(clock, connection, { videoCodec: "vp8", video, audio: null, cname: "m" }, bitrate);
  const packetize = createFramePacketizer("vp8");
  const frame = (bytes: number) => packetize(new Uint8Array(bytes), true, clock.now()).packets;
  const most = () =>
    Math.max(
      ...[...Map.groupBy(gone, ({ atMs }) => atMs).values()].map((together) =>
        together.reduce((sum, { packet }) => sum + packet.length, 0),
      ),
    );
  return { clock, gone, outlet, frame, most };
}

describe("what leaves for a viewer", () => {
  test("of a frame for a link three times as wide is spread, and its repair packets are made of packets that have their numbers", () => {
    const { clock, gone, outlet, frame, most } = makeOutlet(500_000, true);
    const packets = frame(18_000);
    outlet.frame(packets, true);
    expect(gone.length).toBeLessThan(packets.length);
    clock.advance(2 * PACED_MS_MAX + PROTECTION_GAP_MS);
    const isRepair = gone.map(({ packet }) => packet.readUInt32BE(8) === REPAIR.ssrc);
    expect(isRepair.lastIndexOf(false)).toBe(packets.length - 1);
    expect(isRepair.filter((repair) => repair).length).toBeGreaterThan(1);
    // In the order in which they leave, from 0 on: so the browser reports them.
    expect(gone.map(({ packet }) => packet.readUInt16BE(NUMBER_AT))).toEqual([...gone.keys()]);
    expect(most()).toBeLessThanOrEqual(burstBytes(500_000));
  });

  test("of a frame that goes twice is the same the second time, behind the first", () => {
    const { clock, gone, outlet, frame, most } = makeOutlet(500_000, false);
    const packets = frame(18_000);
    outlet.frame(packets, true);
    clock.advance(3 * PACED_MS_MAX);
    expect(gone.map(({ packet }) => packet.readUInt16BE(NUMBER_AT))).toEqual([...packets.keys(), ...packets.keys()]);
    expect(most()).toBeLessThanOrEqual(burstBytes(500_000));
  });

  test("of many repeats is spread, before the next frame", () => {
    const { clock, gone, outlet, frame, most } = makeOutlet(3_000_000, true);
    outlet.frame(frame(18_000), false);
    const numbers = gone.map(({ packet }) => packet.readUInt16BE(2));
    outlet.tune(100, 500_000);
    clock.advance(200);
    gone.splice(0);
    outlet.repeat(STREAM.ssrc, numbers, true);
    outlet.frame(frame(3_000), false);
    clock.advance(3 * PACED_MS_MAX);
    const order = gone.map(({ packet }) => packet.readUInt16BE(2));
    expect(order.slice(0, numbers.length)).toEqual(numbers);
    // Each repeat goes twice.
    expect(order.filter((number) => numbers.includes(number))).toHaveLength(2 * numbers.length);
    expect(most()).toBeLessThanOrEqual(burstBytes(500_000));
  });

  test("of a frame as large as the encoder's own rate buffer lets it be leaves at once, at every rate", () => {
    for (const bitrate of [250_000, 1_000_000, 3_000_000]) {
      const { clock, gone, outlet, frame } = makeOutlet(bitrate, false);
      let room = burstBytes(bitrate);
      for (let at = 0; at < 90; at += 1) {
        // Less by the headers of its packets.
        const packets = frame(Math.floor(0.95 * room * (1 - (at % 3) / 3)) - 40);
        room -= room * (1 - (at % 3) / 3);
        outlet.frame(packets, false);
        expect(gone.splice(0)).toHaveLength(packets.length);
        clock.advance(1_000 / 30);
        room = Math.min(burstBytes(bitrate), room + bitrate / 240);
      }
    }
  });
});

describe("no burst is larger than the rate buffer", () => {
  test.each([
    { loss: 0.03, delayMs: 40 },
    { loss: 0.05, delayMs: 40 },
    { loss: 0.03, burst: 3, delayMs: 40 },
    { loss: 0.03, delayMs: 40, twins: true },
    { loss: 0.03, delayMs: 40, made: 1.1 },
  ])("with repeats and repair packets: %j", (losses) => {
    expect(playOverLosses(losses, 60_000, 17).largestBurst).toBeLessThanOrEqual(1);
  });

  test("where the rate falls: a link that becomes narrow, and a download beside it", () => {
    const link = narrowLink({ bitsPerSecond: 5_000_000, delayMs: 20, queueMs: 300 });
    const viewer = joinLink(link);
    link.clock.advance(10_000);
    link.settings.bitsPerSecond = 700_000;
    link.clock.advance(10_000);
    link.settings.bitsPerSecond = 3_000_000;
    download(link);
    link.clock.advance(20_000);
    expect(viewer.largestBurst()).toBeLessThanOrEqual(1);
  });
});
