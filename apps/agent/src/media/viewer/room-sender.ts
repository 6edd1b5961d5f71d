import type { Clock } from "../../ports/clock.ts";
import type { NegotiatedStreams, ViewerConnection } from "../../ports/transport.ts";
import type { ViewerSender } from "./viewer.ts";
import { createViewerSender } from "./viewer.ts";

/** What the picture of the room takes of a link, bit/s. It never changes: rate control is the machine's picture's alone. */
export const ROOM_BITRATE = 200_000;
const LIMITS = { start: ROOM_BITRATE, min: ROOM_BITRATE, max: ROOM_BITRATE };
/** A link that has refused more than this carries the machine's picture only, bit/s. */
export const ROOM_NEEDS_BPS = 800_000;

/** The room camera of one viewer: a second stream beside the machine's picture. */
export interface RoomSender {
  readonly sender: ViewerSender;
  /** The browser wants it now. */
  readonly on: boolean;
  /** Takes over what offer and answer agreed on. */
  agreed(streams: NegotiatedStreams): void;
}

export function createRoomSender(clock: Clock, connection: ViewerConnection): RoomSender {
  const sender = createViewerSender(clock, connection, LIMITS);
  let on = false;
  return {
    sender,
    get on() {
      return on;
    },
    agreed({ roomCamera, cname }) {
      on = roomCamera !== undefined && roomCamera !== null;
      if (!on) sender.skipped();
      if (roomCamera) sender.connect({ videoCodec: roomCamera.codec, video: roomCamera, audio: null, cname });
    },
  };
}

/** Whether a link has room for it beside the machine's picture. */
export const hasRoomFor = (picture: Pick<ViewerSender, "refused" | "bitrate">): boolean =>
  !picture.refused || picture.bitrate >= ROOM_NEEDS_BPS;
