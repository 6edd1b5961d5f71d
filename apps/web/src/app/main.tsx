import "@longarm/ui/fonts/archivo.css";
import "@longarm/ui/global.css";
import "./start/not-started.css";
import { systemTimers } from "@longarm/link/socket";
import { painted } from "@longarm/ui/time/painted.ts";
import { createRoot } from "react-dom/client";
import { holdInstallPrompt, nameManifest } from "../features/device/install-prompt.ts";
import type { AuthState } from "../shared/auth/auth-session.ts";
import { loadCatalogue } from "../shared/i18n/load-catalogue.ts";
import { browserLog } from "../shared/log/log.ts";
import { createStorage, STORAGE_KEYS } from "../shared/storage/storage.ts";
import type { App } from "./app.ts";
import { drawAppearance } from "./appearance.ts";
import { createEntrance, LATER_MS } from "./entrance/entrance.ts";
import { keepPlayerLink } from "./player/keep-player-link.ts";
import { createLayers, RootView } from "./root-view.tsx";
import { createAppRouter, fetchGame } from "./router.tsx";
import { atFirstInput, fetchAhead, underWayIn } from "./start/early-requests.ts";
import { followOtherTabs, needCodes, takeToken } from "./start/sign-in.ts";
import { startUp } from "./start/start.ts";

/** The files for what is written in Turkish and English. Without them texts are drawn in the system's letters. */
function fetchFonts(): void {
  document.fonts.load('1rem "Archivo Variable"', "aş").catch(() => undefined);
}

/** Makes the page's real surroundings and starts it. */
async function main(): Promise<void> {
  const underWay = underWayIn(globalThis);
  const { token: found, once, clean } = takeToken(location.href);
  const token = found ?? underWay.arrivedWith ?? null;
  if (clean !== location.pathname + location.search + location.hash) history.replaceState(history.state, "", clean);
  const page = document.getElementById("root");
  // browser-check.js has shown its message in a browser that cannot run this.
  if (page === null) return;
  const root = createRoot(page);
  const clock = { now: () => Date.now() };
  const startedAt = clock.now();
  const storage = createStorage(() => localStorage);
  const hasToken = (token ?? once ?? storage.read(STORAGE_KEYS.token)) !== null;
  // With a token the splash comes first, which has no letters. The page itself may have requested the fonts by then: a preload would be one too many.
  if (!hasToken) underWay.fetchFonts?.();
  const likelyAreas = fetchAhead(location.pathname, hasToken, browserLog);
  const layers = createLayers();
  const entrance = createEntrance(layers, window, browserLog);

  const app = await startUp({
    fetch: (input, init) => fetch(input, init),
    storage,
    clock,
    timers: systemTimers,
    random: Math.random,
    newId: () => randomHex(16),
    log: browserLog,
    page: new URL(location.href),
    ...{ arrivedWith: token, once },
    browserLanguages: navigator.languages,
    loadCatalogue,
    likelyAreas,
    underWay,
    onReady(early) {
      drawAppearance(early, document.documentElement);
      root.render(<RootView app={early} layers={layers} router={undefined} />);
      if (hasToken) void painted().then(fetchFonts);
      beginChat(early, startedAt, window);
      return entrance.pass(early, (token ?? once) !== null);
    },
    onLocked: entrance.locked,
  });

  const context = { app, playerLink: keepPlayerLink(app) };
  let router = createAppRouter(context);
  const draw = () => root.render(<RootView app={app} layers={layers} router={router} />);
  let before = admissionOf(app.auth.state.getState());
  app.auth.state.subscribe((state) => {
    // Signed in or out, or a break has begun: every guard is checked again. A layer that covers the routes checks them itself.
    const isCovered = layers.getState().cover !== undefined;
    const now = admissionOf(state);
    if (now !== before && !isCovered) void router.invalidate();
    before = now;
  });
  await entrance.begin(app, {
    now: () => router,
    anew() {
      router.history.destroy();
      router = createAppRouter(context);
      draw();
    },
  });
  draw();
  app.timers.after(LATER_MS, () => comeLater(app));
  // Most who are here have come to play, and the first card is chosen sooner than its files are there. A page without a player fetches nothing.
  atFirstInput(window, () => fetchGame(app));
  listenToOtherTabs(app);
}

/** What the first screen does not need. */
function comeLater(app: App): void {
  void needCodes(app);
  nameManifest(app.texts.speech.getState().language, document);
}

function listenToOtherTabs(app: App): void {
  const follow = () => void followOtherTabs(app, () => location.reload());
  addEventListener("storage", ({ key }) => {
    if (key === STORAGE_KEYS.token || key === null) follow();
  });
  // A page that comes back from the browser's history has heard nothing meanwhile.
  addEventListener("pageshow", ({ persisted }) => persisted && follow());
}

/** What guards admit a visitor by. A game that runs is played to its end, break or not: its page leads on by itself. */
function admissionOf(state: AuthState): string {
  const isClosed = state.is === "player" && state.player.playClosed && !location.pathname.startsWith("/game/");
  return isClosed ? "closed" : state.is;
}

/** Random bytes as hex. (`crypto.randomUUID` is absent on plain http addresses of a local network.) */
function randomHex(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

holdInstallPrompt(window);
main().catch((error: unknown) => {
  browserLog("The page could not start.", error);
  // No text and no component may be there: the document has its own words for this.
  const words = document.querySelector<HTMLTemplateElement>("#not-started");
  if (words !== null) document.getElementById("root")?.replaceWith(words.content);
});

/** Loads the live chat where the operator has one, beside the page. */
function beginChat({ settings, clock, timers, log }: App, startedAt: number, page: Window): void {
  const { chat } = settings;
  if (chat.provider === "none") return;
  import("../features/live-chat/live-chat.ts")
    .then(({ startLiveChat }) => startLiveChat({ chat, clock, timers, log, startedAt, page }))
    .catch((error: unknown) => log("The live chat could not be loaded.", error));
}
