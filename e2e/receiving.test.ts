import { createHmac } from "node:crypto";
import { systemTimers } from "@longarm/link/socket";
import type { Picture } from "@longarm/load/receiver/frames";
import { annexB } from "@longarm/load/receiver/frames";
import { openReceiver } from "@longarm/load/receiver/receiver";
import { expect, onTestFinished, test } from "vitest";
import { createFramePacketizer, splitAnnexB } from "../apps/agent/src/media/rtp/frame-packets.ts";
import { readRtcp } from "../apps/agent/src/media/rtp/rtcp.ts";
import { writeRtp } from "../apps/agent/src/media/rtp/rtp.ts";
import { createWeriftTransport } from "../apps/agent/src/media/transport/werift/transport.ts";
import type { NegotiatedStreams, ViewerConnection } from "../apps/agent/src/ports/transport.ts";
import { systemClock } from "../apps/agent/src/system-clock.ts";
import { openTurnServer } from "../rig/venue/turn-server.ts";

const clock = systemClock();
const SPS = [0, 0, 0, 1, 0x67, 0x42, 0xe0, 0x1f];
const PPS = [0, 0, 0, 1, 0x68, 0xce, 0x3c, 0x80];

/** An access unit that is never decoded: what matters is that it arrives whole. */
const unitOf = (key: boolean, bytes: number): Buffer =>
  Buffer.concat([
    ...(key ? [Buffer.from([...SPS, ...PPS])] : []),
    Buffer.from([0, 0, 0, 1, key ? 0x65 : 0x41]),
    Buffer.alloc(bytes, 0xa5),
  ]);

test("the receiver of the load tool gets an agent's pictures whole, asks for what was lost, and speaks over both channels", async () => {
  const transport = createWeriftTransport(clock, { extraAddresses: ["127.0.0.1"], onlyExtraAddresses: true });
  onTestFinished(() => transport.close());
  const pictures: Picture[] = [];
  const receiver = openReceiver(
    { timers: systemTimers, now: () => performance.now(), picture: (picture) => void pictures.push(picture) },
    { loopback: true },
  );
  onTestFinished(() => receiver.close());
  const rtcp: ReturnType<typeof readRtcp> = [];
  const received: string[] = [];
  let streams: NegotiatedStreams | undefined;
  let connection: ViewerConnection | undefined;
  const answered = await transport.addViewer(
    { viewerId: "v", sdp: await receiver.offer(), iceServers: [] },
    {
      connected(agreed) {
        streams = agreed;
      },
      interrupted: () => {},
      closed: () => {},
      channelOpen: () => {},
      candidate: (candidate) => receiver.addCandidate(candidate),
      rtcp: (packet) => void rtcp.push(...readRtcp(packet)),
      data: (name, message) => void received.push(`${name} ${Buffer.from(message).toString()}`),
    },
  );
  connection = answered.connection;
  await receiver.accept(answered.sdp);
  await expect.poll(() => streams?.video?.transportSequenceId).toBe(2);

  const video = streams?.video;
  if (!video) throw new Error("no video");
  const cut = createFramePacketizer("h264");
  let sequence = 65_530;
  const send = (unit: Buffer, key: boolean, lost = -1): Buffer[] => {
    const { packets } = cut(unit, key, clock.now());
    const written = packets.map((packet) => writeRtp(video, packet, sequence++ & 0xffff));
    connection?.sendVideo(written.filter((_, index) => index !== lost));
    return written;
  };
  send(unitOf(true, 9_000), true);
  await expect.poll(() => pictures.length).toBe(1);
  const key = pictures[0];
  expect(key?.key).toBe(true);
  expect(splitAnnexB(annexB(key?.payloads ?? [])).map((nal) => [nal[0], nal.length])).toEqual([
    [0x67, 4],
    [0x68, 4],
    [0x65, 9_001],
  ]);

  const [, second] = send(unitOf(false, 3_000), false, 1);
  send(unitOf(false, 3_000), false);
  const requested = () => rtcp.flatMap((one) => (one.kind === "nack" ? one.sequences : []));
  await expect.poll(() => requested().length).toBeGreaterThan(0);
  expect(pictures.length).toBe(1);
  expect(requested()[0]).toBe(second?.readUInt16BE(2));
  connection.sendVideo([second ?? Buffer.alloc(0)]);
  await expect.poll(() => pictures.length).toBe(3);
  expect(receiver.counts().video).toMatchObject({ missed: 1, repaired: 1, reordered: 0 });

  await expect.poll(() => received.some((one) => one.startsWith('clock {"t0":'))).toBe(true);
  await expect.poll(() => receiver.send("press", "x")).toBe(true);
  await expect.poll(() => received).toContain("press x");
  await expect.poll(() => rtcp.some((one) => one.kind === "report" && one.report.lostTotal === 0)).toBe(true);
});

test.each(["udp", "tcp"])(
  "through TURN alone, over %s, the receiver of the load tool reaches an agent",
  async (protocol) => {
    const turn = await openTurnServer();
    onTestFinished(() => turn.close());
    const username = `${Math.floor(clock.now() / 1_000) + 600}:load`;
    const credential = createHmac("sha1", turn.secret).update(username).digest("base64");
    const urls = turn.urls.filter((url) => url.endsWith(protocol));
    const transport = createWeriftTransport(clock, { extraAddresses: ["127.0.0.1"], onlyExtraAddresses: true });
    onTestFinished(() => transport.close());
    let isConnected = false;
    const receiver = openReceiver(
      {
        ...{ timers: systemTimers, now: () => performance.now() },
        connected() {
          isConnected = true;
        },
      },
      { relayOnly: true, iceServers: [{ urls, username, credential }] },
    );
    onTestFinished(() => receiver.close());
    const offer = await receiver.offer();
    expect([...offer.matchAll(/a=candidate:.* typ (\w+)/g)].map(([, kind]) => kind)).toContain("relay");
    expect(offer).not.toContain("typ host");
    const { sdp } = await transport.addViewer(
      { viewerId: "v", sdp: offer, iceServers: [] },
      {
        ...{ connected() {}, interrupted() {}, closed() {}, channelOpen() {}, rtcp() {}, data() {} },
        candidate: (candidate) => receiver.addCandidate(candidate),
      },
    );
    await receiver.accept(sdp);
    await expect.poll(() => isConnected, { timeout: 60_000 }).toBe(true);
  },
);
