import type { Clock } from "../../ports/clock.ts";
import type { NegotiatedStreams, ViewerConnection } from "../../ports/transport.ts";
import type { ViewerSender } from "./viewer.ts";
import { createViewerSender } from "./viewer.ts";

/** What the picture of the room takes of a link, bit/s. It never changes: rate control is the machine's picture's alone. */
export const ROOM_BITRATE = 200_000;
const LIMITS = { start: ROOM_BITRATE, min: ROOM_BITRATE, max: ROOM_BITRATE };
/** A link whose rate falls below this carries the machine's picture only for a while, bit/s. */
export const ROOM_NEEDS_BPS = 500_000;
/** How long at first, ms; doubled with each further fall up to the most. A rate that rests low proves nothing, so the room is tried again. */
export const ROOM_PAUSE_MS = 10_000;
const ROOM_PAUSE_MS_MAX = 120_000;

/** The room camera of one viewer: a second stream beside the machine's picture. */
export interface RoomSender {
  readonly sender: ViewerSender;
  /** The browser wants it now. */
  readonly on: boolean;
  readonly place: RoomPlace;
  /** Takes over what offer and answer agreed on. */
  agreed(streams: NegotiatedStreams): void;
}

export function createRoomSender(clock: Clock, connection: ViewerConnection): RoomSender {
  const sender = createViewerSender(clock, connection, LIMITS);
  let on = false;
  return {
    sender,
    place: createRoomPlace(),
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

/** Whether the link of one viewer has room for it beside the machine's picture. */
export interface RoomPlace {
  /** Looked at each step of rate control. */
  look(picture: Pick<ViewerSender, "bitrate">, nowMs: number): void;
  readonly free: boolean;
}

export function createRoomPlace(): RoomPlace {
  let bitrate = 0;
  let pausedTillMs = Number.NEGATIVE_INFINITY;
  let pauseMs = ROOM_PAUSE_MS;
  let free = true;
  return {
    look(picture, nowMs) {
      const fell = picture.bitrate < bitrate && picture.bitrate < ROOM_NEEDS_BPS;
      bitrate = picture.bitrate;
      if (fell && free) {
        pausedTillMs = nowMs + pauseMs;
        pauseMs = Math.min(ROOM_PAUSE_MS_MAX, pauseMs * 2);
      }
      free = nowMs >= pausedTillMs;
    },
    get free() {
      return free;
    },
  };
}
