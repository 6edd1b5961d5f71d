import type { VideoCodec } from "../../ports/transport.ts";
import { packetizeH264 } from "./h264.ts";
import type { MediaPacket } from "./packet.ts";
import { rtpTimestamp, VIDEO_CLOCK_HZ } from "./timestamps.ts";
import { packetizeVp8 } from "./vp8.ts";

/** One encoded picture, cut once and shared by every viewer of its codec. */
export interface PicturePackets {
  readonly packets: readonly MediaPacket[];
  readonly keyFrame: boolean;
  readonly timestamp: number;
  readonly capturedAtMs: number;
  /** Sum of the payloads, bytes. */
  readonly bytes: number;
}

/** Cuts pictures of one codec; keeps the running VP8 picture id. */
export function createPicturePacketizer(codec: VideoCodec) {
  let pictureId = 0;
  return (unit: Uint8Array, keyFrame: boolean, capturedAtMs: number): PicturePackets => {
    const payloads = codec === "h264" ? packetizeH264(unit) : packetizeVp8(unit, pictureId);
    pictureId = (pictureId + 1) & 0x7fff;
    const timestamp = rtpTimestamp(capturedAtMs, VIDEO_CLOCK_HZ);
    const packets = payloads.map((payload, at) => ({ payload, timestamp, marker: at === payloads.length - 1 }));
    const bytes = payloads.reduce((sum, payload) => sum + payload.length, 0);
    return { packets, keyFrame, timestamp, capturedAtMs, bytes };
  };
}
