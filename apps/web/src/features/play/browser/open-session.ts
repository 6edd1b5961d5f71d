import { openBrowserSocket } from "@longarm/link/browser-socket";
import { pageNow } from "../../../shared/page-clock/page-clock.ts";
import type { PlayDeps } from "../../../shared/play-deps.ts";
import { showSeatToTabs } from "../../../shared/seat-in-tab/seat-in-tab.ts";
import { socketAt } from "../../../shared/settings/addresses.ts";
import type { AutoplayNow } from "../state/autoplay.ts";
import type { PlaySessionDeps } from "../state/play-session.ts";
import { PlaySession } from "../state/play-session.ts";
import type { PlayState } from "../state/play-state.ts";
import type { Preferences, PreferencesStore } from "../state/preferences.ts";
import type { Scope } from "../state/scope.ts";
import type { PlayOpeners, ReadyPlay } from "./ready-play.ts";
import { openBrowserRtc } from "./rtc.ts";
import { keepAwake, restWhenHidden } from "./screen.ts";

/** The browser's own socket and connections. A spectator does not see the room. */
export function browserOpeners(
  machineId: string,
  play: Pick<PlayDeps, "addresses" | "machine" | "token" | "settings">,
  role: PlaySessionDeps["role"],
): PlayOpeners {
  return {
    openSocket: () =>
      openBrowserSocket(socketAt(play.addresses.game(machineId, play.machine?.url), play.token() ?? "", play.settings)),
    openRtc: (...given) => openBrowserRtc(play.settings.showWebcam && role === "player", ...given),
  };
}

/** A play session on the browser's own socket, connection and clock. `ready`: what was opened for a player before the screen was there. */
export function openPlaySession(
  scope: Scope,
  machineId: string,
  play: PlayDeps,
  preferences: PreferencesStore,
  {
    role = "player",
    ready,
  }: { readonly role?: PlaySessionDeps["role"]; readonly ready?: Pick<ReadyPlay, "openers"> | undefined } = {},
): PlaySession {
  const own = browserOpeners(machineId, play, role);
  const first = ready?.openers({ playerId: play.playerId, machineId }, own);
  if (first !== undefined) scope.onEnd(first.ended);
  const { openSocket, openRtc } = first ?? own;
  const session = new PlaySession(scope, {
    machineId,
    role,
    play,
    openSocket,
    openRtc,
    openCrowd: async (whep) => {
      const { joinCrowd } = await import("../state/media/crowd.ts");
      return joinCrowd({ whep, fetch: (...given) => fetch(...given), timers: play.timers, log: play.log });
    },
    timers: play.timers,
    now: pageNow,
    hidden: () => document.visibilityState === "hidden",
  });
  const showFrames = ({ smooth }: Preferences): void => session.media.wantSmooth(smooth);
  showFrames(preferences.now.getState());
  scope.onEnd(preferences.now.subscribe(showFrames));
  const wake = (): void => {
    if (document.visibilityState === "visible") session.wake();
    else session.autoplay.stop("hidden");
  };
  scope.onEnd(restWhenHidden(document, play.timers, (machine) => session.media.want({ machine })));
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

declare global {
  interface Window {
    /** Whether autoplay is on now. The game screen owns it: code that embeds or drives the page can read it, but not set it. */
    longarmAutoplay?: boolean;
  }
}

/** Shows autoplay's state as the page's one global flag (decision D-40). The returned function sets it to false for good. */
export function showAutoplayFlag(
  page: Pick<Window, "longarmAutoplay">,
  state: { getState(): AutoplayNow },
): () => void {
  Object.defineProperty(page, "longarmAutoplay", { get: () => state.getState().on, configurable: true });
  return () => void Object.defineProperty(page, "longarmAutoplay", { value: false, configurable: true });
}

/** `sure`: the network came back, or is of another kind. Otherwise the browser may only have measured it anew. */
type NetworkChanged = (sure: boolean) => void;

/** What the browser knows of its network. On computers it does not report its kind. */
type Network = EventTarget & { readonly type?: string };

/** Calls `changed` after changes of the network. A browser without network information reports its return only. */
export function watchNetwork(page: EventTarget, network: Network | undefined, changed: NetworkChanged): () => void {
  let type = network?.type;
  const back = (): void => changed(true);
  const other = (): void => {
    const before = type;
    type = network?.type;
    // Browsers send this event for each new measurement of speed and delay, too.
    if (type === undefined || type !== before) changed(type !== undefined);
  };
  page.addEventListener("online", back);
  network?.addEventListener("change", other);
  return () => {
    page.removeEventListener("online", back);
    network?.removeEventListener("change", other);
  };
}

/** The browser's network information, where it has any. */
export function networkOf(browser: object): Network | undefined {
  const known = "connection" in browser ? browser.connection : undefined;
  return known instanceof EventTarget ? known : undefined;
}
