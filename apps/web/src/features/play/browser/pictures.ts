import type { RtcStreams } from "../state/picture/rtc-port.ts";
import type { Wanted } from "../state/picture/wanted.ts";
import { preferred } from "./codecs.ts";

/** The receiving side of one connection: what comes, and what is wanted of it. */
export type Pictures = {
  readonly streams: RtcStreams;
  want(wanted: Wanted): boolean;
  /** An offer was made: what it wants is known once it is answered. */
  offered(): void;
  answered(): void;
};

/**
 * Makes a connection ready to receive the machine's picture and sound, in this order, and the room camera's picture (`withRoom`), which
 * rests until it is wanted. Nothing in the page stops a browser's decoder but a section that is switched off (record 0020).
 */
export function receivePictures(pc: RTCPeerConnection, withRoom: boolean): Pictures {
  const machine = prepare(pc, "video", "recvonly");
  prepare(pc, "audio", "recvonly");
  const room = withRoom ? prepare(pc, "video", "inactive") : undefined;
  const streams: { -readonly [K in keyof RtcStreams]: RtcStreams[K] } = {
    video: undefined,
    audio: undefined,
    room: undefined,
  };
  const directions = (): string => `${machine.direction} ${room?.direction}`;
  let offered = "";
  let known = "";
  // Each stays in a stream of its own: together, the sound's buffer would hold the picture back.
  pc.ontrack = ({ track, transceiver }) => {
    const name = transceiver === room ? "room" : track.kind;
    if (name !== "video" && name !== "audio" && name !== "room") return;
    // A track that is switched on again is the same one: whoever plays it plays on.
    if (streams[name]?.getTracks()[0] !== track) streams[name] = new MediaStream([track]);
  };
  return {
    streams,
    want({ picture, room: seen }) {
      machine.direction = picture ? "recvonly" : "inactive";
      if (room !== undefined) room.direction = seen ? "recvonly" : "inactive";
      return directions() !== known;
    },
    offered() {
      offered = directions();
    },
    answered() {
      known = offered;
    },
  };
}

function prepare(
  pc: RTCPeerConnection,
  kind: "video" | "audio",
  direction: "recvonly" | "inactive",
): RTCRtpTransceiver {
  const transceiver = pc.addTransceiver(kind, { direction });
  const codecs = RTCRtpReceiver.getCapabilities(kind)?.codecs ?? [];
  const wanted = preferred(kind, codecs);
  if (wanted.length > 0) transceiver.setCodecPreferences(wanted);
  return transceiver;
}
