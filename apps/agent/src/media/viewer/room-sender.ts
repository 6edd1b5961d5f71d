import type { Clock } from "../../ports/clock.ts";
import type { NegotiatedStreams, ViewerConnection } from "../../ports/transport.ts";
import type { ViewerSender } from "./sender.ts";
import { createViewerSender } from "./sender.ts";

/** The fixed bitrate of the room camera, bit/s: rate control applies to the machine's video alone. */
export const ROOM_BITRATE = 200_000;
const LIMITS = { start: ROOM_BITRATE, min: ROOM_BITRATE, max: ROOM_BITRATE };
/** When the link's rate falls below this, the room camera pauses, bit/s. */
export const ROOM_NEEDS_BPS = 500_000;
/** The first pause, ms; doubled with each further fall up to the maximum. A rate that stays low is no evidence, so the room is tried again. */
export const ROOM_PAUSE_MS = 10_000;
const ROOM_PAUSE_MS_MAX = 120_000;

/** The room camera of one viewer: a second stream beside the machine's video. */
export interface RoomSender {
  readonly sender: ViewerSender;
  /** The browser wants it now. */
  readonly on: boolean;
  readonly place: RoomPlace;
  /** Applies what offer and answer agreed on. */
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

/** Whether one viewer's link has capacity for it beside the machine's video. */
export interface RoomPlace {
  /** Call it at each step of rate control. */
  look(frame: Pick<ViewerSender, "bitrate">, nowMs: number): void;
  readonly free: boolean;
}

export function createRoomPlace(): RoomPlace {
  let bitrate = 0;
  let pausedTillMs = Number.NEGATIVE_INFINITY;
  let pauseMs = ROOM_PAUSE_MS;
  let free = true;
  return {
    look(frame, nowMs) {
      const fell = frame.bitrate < bitrate && frame.bitrate < ROOM_NEEDS_BPS;
      bitrate = frame.bitrate;
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
