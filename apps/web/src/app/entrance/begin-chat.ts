import type { App } from "../app.ts";

/** Loads the live chat where the operator has one; nothing of it otherwise. Nobody waits for it. */
export function beginChat({ settings, clock, timers, log }: App, startedAt: number, page: Window): void {
  const { chat } = settings;
  if (chat.provider === "none") return;
  import("../../features/live-chat/live-chat.ts")
    .then(({ startLiveChat }) => startLiveChat({ chat, clock, timers, log, startedAt, page }))
    .catch((error: unknown) => log("The live chat could not be loaded.", error));
}
