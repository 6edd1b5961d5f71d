import type { Clock } from "../../ports/clock.ts";
import type { NegotiatedStreams, ViewerConnection } from "../../ports/transport.ts";
import { TWIN_GAP_MS } from "../rate/twins.ts";
import type { MediaPacket } from "../rtp/packet.ts";
import { rtpTimestamp, SOUND_CLOCK_HZ, VIDEO_CLOCK_HZ } from "../rtp/timestamps.ts";
import { createSentRate } from "./sent-rate.ts";
import { createStreamWriter } from "./stream-writer.ts";

/** The two streams of one connected viewer. */
export function createOutlet(clock: Clock, connection: ViewerConnection, streams: NegotiatedStreams) {
  const sent = createSentRate();
  const video = streams.video && createStreamWriter(streams.video, clock.now());
  const sound = streams.audio && createStreamWriter(streams.audio, clock.now());

  const sendVideo = (packets: readonly Buffer[]) => {
    sent.add(bytesOf(packets), clock.now());
    connection.sendVideo(packets);
  };
  const sendSound = (packets: readonly Buffer[]) => {
    sent.add(bytesOf(packets), clock.now());
    for (const packet of packets) connection.sendAudio(packet);
  };

  return {
    videoCodec: streams.videoCodec,
    videoSsrc: video?.ssrc ?? null,
    /** `twice`: once more a little later, for a link that loses packets. */
    picture(packets: readonly MediaPacket[], twice: boolean): void {
      if (!video) return;
      const first = video.next();
      sendVideo(video.write(packets, clock.now()));
      // Not counted as sent: the browser estimates by what it got once, and is compared with that.
      if (twice) clock.after(TWIN_GAP_MS, () => connection.sendVideo(video.again(packets, first, clock.now())));
    },
    sound(packet: MediaPacket): void {
      if (sound) sendSound(sound.write([packet], clock.now()));
    },
    /** Answers one NACK; a stream that is not ours gets nothing. True when only a key frame can mend the picture now. */
    repeat(ssrc: number, sequences: readonly number[]): boolean {
      if (ssrc === video?.ssrc) sendVideo(video.repeat(sequences, clock.now()));
      else if (ssrc === sound?.ssrc) sendSound(sound.repeat(sequences, clock.now()));
      return video?.gaveUp() ?? false;
    },
    /** One sender report a stream. */
    report(): void {
      const now = clock.now();
      if (video) connection.sendRtcp(video.report(streams.cname, now, rtpTimestamp(now, VIDEO_CLOCK_HZ)));
      if (sound) connection.sendRtcp(sound.report(streams.cname, now, rtpTimestamp(now, SOUND_CLOCK_HZ)));
    },
    tune(roundTripMs: number | null, bitrate: number): void {
      video?.tune(roundTripMs, bitrate);
      sound?.tune(roundTripMs, bitrate);
    },
    losses: () => video?.losses() ?? { sent: 0, asked: 0 },
    sentBps: () => sent.bitsPerSecond(clock.now()),
    repeated: () => (video?.repeated ?? 0) + (sound?.repeated ?? 0),
  };
}

const bytesOf = (packets: readonly Buffer[]) => packets.reduce((sum, packet) => sum + packet.length, 0);
