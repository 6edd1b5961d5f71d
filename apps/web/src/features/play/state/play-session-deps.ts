import type { FrameSocket, Timers } from "@longarm/link/socket";
import type { PlayDeps } from "../../../shared/play-deps.ts";
import type { OpenRtc } from "./picture/rtc-port.ts";

/** What a play session is made of; the browser's parts come as arguments. */
export type PlaySessionDeps = {
  readonly machineId: string;
  /** `spectator`: a place to watch, without a seat, presses and money. */
  readonly role: "player" | "spectator";
  readonly play: Pick<
    PlayDeps,
    "settings" | "token" | "leave" | "events" | "storage" | "clock" | "random" | "newId" | "log"
  >;
  /** Opens the game socket of the machine. */
  readonly openSocket: () => Promise<FrameSocket>;
  readonly openRtc: OpenRtc;
  readonly timers: Timers;
  /** Ms since 1970 by a clock that never goes back: that of the page's frames and presses. */
  readonly now: () => number;
  /** The page is not on the screen: nothing of it is drawn. */
  readonly hidden: () => boolean;
};
