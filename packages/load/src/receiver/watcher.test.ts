import { expect, onTestFinished, test } from "vitest";
import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters } from "werift";
import { openWatcher } from "./watcher.ts";

const SOON = { timeout: 20_000, interval: 20 };
const H264 = new RTCRtpCodecParameters({ mimeType: "video/H264", clockRate: 90_000, payloadType: 102 });
const OPUS = new RTCRtpCodecParameters({ mimeType: "audio/opus", clockRate: 48_000, channels: 2, payloadType: 111 });

/** One packet of a stream; `marker`: the last of its picture. */
function packet(sequence: number, marker: boolean, payloadType: number): Buffer {
  const bytes = Buffer.alloc(112, 7);
  bytes[0] = 0x80;
  bytes[1] = (marker ? 0x80 : 0) | payloadType;
  bytes.writeUInt16BE(sequence, 2);
  bytes.writeUInt32BE(sequence * 3_000, 4);
  bytes.writeUInt32BE(0x1234, 8);
  return bytes;
}

test("one who watches answers the server's offer, and counts pictures and bytes of the video alone", async () => {
  const server = new RTCPeerConnection({ codecs: { video: [H264], audio: [OPUS] } });
  onTestFinished(() => server.close());
  const [video, sound] = [new MediaStreamTrack({ kind: "video" }), new MediaStreamTrack({ kind: "audio" })];
  server.addTransceiver(video, { direction: "sendonly" });
  server.addTransceiver(sound, { direction: "sendonly" });
  await server.setLocalDescription(await server.createOffer());
  while (server.iceGatheringState !== "complete") await server.iceGatheringStateChange.asPromise();
  const lost: string[] = [];
  const watcher = await openWatcher(server.localDescription?.sdp ?? "", (why) => lost.push(why));
  onTestFinished(() => watcher.close());
  await server.setRemoteDescription({ type: "answer", sdp: watcher.answer });
  await expect.poll(() => server.connectionState, SOON).toBe("connected");
  let sequence = 0;
  await expect
    .poll(() => {
      sequence += 2;
      video.writeRtp(packet(sequence - 1, false, 102));
      video.writeRtp(packet(sequence, true, 102));
      sound.writeRtp(packet(sequence, true, 111));
      return watcher.counts().pictures;
    }, SOON)
    .toBeGreaterThan(3);
  const { pictures, bytes } = watcher.counts();
  // Two packets each; the newest may still be on its way.
  expect(bytes / pictures).toBeGreaterThan(100);
  expect(pictures).toBeLessThanOrEqual(sequence / 2);
  expect(lost).toEqual([]);
});

test.each(["", "v=0", "no offer at all"])("an offer that cannot be read is refused: %j", async (offer) => {
  await expect(openWatcher(offer, () => {})).rejects.toThrow();
});
