import { openBrowserSocket } from "@longarm/link/browser-socket";
import type { PlayDeps } from "../../../shared/play-deps.ts";
import { showSeatToTabs } from "../../../shared/seat-in-tab/seat-in-tab.ts";
import { withToken } from "../../../shared/settings/addresses.ts";
import { createPlaySession } from "../state/play-session.ts";
import type { PlaySessionDeps } from "../state/play-session-deps.ts";
import type { PlaySession, PlayState } from "../state/play-state.ts";
import type { Scope } from "../state/scope.ts";
import { showAutoplayFlag } from "./autoplay-flag.ts";
import { networkOf, watchNetwork } from "./connection/watch-network.ts";
import { pageNow } from "./page-clock.ts";
import { openBrowserRtc } from "./rtc.ts";
import { restWhenHidden } from "./screen/rest-when-hidden.ts";
import { keepAwake } from "./screen/wake-lock.ts";

/** A play session on the browser's own socket, connection and clock. */
export function openPlaySession(
  scope: Scope,
  machineId: string,
  play: PlayDeps,
  role: PlaySessionDeps["role"] = "player",
): PlaySession {
  const session = createPlaySession(scope, {
    ...{ machineId, role, play },
    openSocket: () =>
      openBrowserSocket(withToken(play.addresses.game(machineId, play.machine?.url), play.token() ?? "")),
    // Who only watches the machine does not see the room.
    openRtc: (...given) => openBrowserRtc(play.settings.showWebcam && role === "player", ...given),
    timers: play.timers,
    now: pageNow,
    hidden: () => document.visibilityState === "hidden",
  });
  const wake = (): void => {
    if (document.visibilityState === "visible") session.wake();
    else session.autoplay.stop("hidden");
  };
  scope.onEnd(restWhenHidden(document, play.timers, (picture) => session.want({ picture })));
  scope.onEnd(keepAwake(document, navigator.wakeLock));
  if (role === "player") {
    const seat = { playerId: play.playerId, machineId };
    const hasSeat = ({ phase }: PlayState) => phase !== "opening" && phase !== "gone";
    scope.onEnd(showSeatToTabs(navigator.locks, seat, session.state, hasSeat));
  }
  scope.onEnd(showAutoplayFlag(window, session.autoplay.state));
  const networkChanged = (sure: boolean): void => {
    if (sure || !session.state.getState().live) session.wake(true);
  };
  scope.onEnd(watchNetwork(window, networkOf(navigator), networkChanged));
  document.addEventListener("visibilitychange", wake);
  scope.onEnd(() => document.removeEventListener("visibilitychange", wake));
  return session;
}
