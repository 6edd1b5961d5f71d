import type { Timers } from "@longarm/link/socket";
import type { Live } from "../../../shared/live/live.ts";
import type { TeamChat } from "../model/team-chat.ts";

/** What the panel is drawn with. */
export type ChatView = {
  readonly chat: TeamChat;
  /** The live connection is there. */
  readonly online: Live<boolean>;
  readonly clock: { now(): number };
  readonly timers: Timers;
};
