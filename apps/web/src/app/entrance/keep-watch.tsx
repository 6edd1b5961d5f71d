import { CSPProvider } from "@base-ui/react/csp-provider";
import { createDeactivation, DeactivatedPrompt } from "../../features/lock/deactivation.tsx";
import { lastInputKept, reportActivity, watchIdle } from "../../features/lock/idle-watch.ts";

import { Lock, loadPinHashes, readLock } from "../../features/lock/lock.ts";
import { createApiClient } from "../../shared/api/client.ts";
import { keptPin } from "../../shared/auth/auth-session.ts";
import { overText } from "../../shared/i18n/problem-text.ts";
import { paths } from "../../shared/paths/paths.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";
import type { App } from "../app.ts";
import type { Layers } from "../root-view.tsx";
import type { Routes } from "../router.tsx";
import { needCodes, signInWithToken } from "../start/sign-in.ts";

/** Shortest time between two reports of inputs to the platform, ms. */
const REPORT_MS = 10_000;

const loadScreen = () => import("../../features/lock/lock-screen.tsx");

/** Watches over a page that somebody is signed in to: the idle lock, and the question whether they are still there. */
export type KeptWatch = {
  /** Before the token is looked at: shows a lock that is on, or is due since before the page was opened. Resolves once it is open. */
  passLock(arrivedWithToken: boolean): Promise<void>;
  /** The routes are there: starts watching each player who signs in. */
  begin(routes: Routes): void;
  readonly lock: Lock;
};

export async function keepWatch(app: App, layers: Layers, page: Window): Promise<KeptWatch> {
  // Where it may lock, the screen is there before it does: the network may be gone by then.
  await Promise.all([app.texts.need("lock"), app.settings.pinCheck && loadScreen()]);
  const { storage, auth, settings, clock, timers, log } = app;
  let routes: Routes | undefined;
  const lock = new Lock({
    ...{ storage, auth, clock, log },
    api: lockApi(app, () => lock.end()),
    defaultPin: settings.defaultPin.hash,
    loadHashes: hashesOnce(),
    async comeBack(how) {
      // The next player must not land on the page of the one before.
      if (how === "out") page.history.replaceState(null, "", paths.login);
      if (routes === undefined) return;
      await signInWithToken(app);
      routes.anew();
    },
  });
  // The hint is for the default PIN, so for players who have none of their own.
  const hint = () => {
    const pin = keptPin(storage);
    return (pin.at === "page" ? pin.hash !== "" : pin.isSet) ? "" : settings.defaultPin.hint;
  };
  /** Hides the page at once; the screen, loaded before, is there with the next breath. */
  function cover(): void {
    layers.set({ cover: <></> });
    loadScreen()
      .then(({ LockScreen }) => {
        if (lock.state.getState().is === "open") return;
        layers.set({ cover: <LockScreen lock={lock} hint={hint()} clock={clock} timers={timers} /> });
      })
      .catch((error: unknown) => log("The lock's screen could not be loaded.", error));
  }
  lock.state.subscribe(({ is }) => {
    const isOn = is === "locked";
    // A chat's window is no part of the page, and would lie over the lock.
    page.document.documentElement.toggleAttribute("data-locked", isOn);
    if (isOn === (layers.getState().cover !== undefined)) return;
    if (isOn) cover();
    else layers.set({ cover: undefined });
  });
  page.addEventListener("storage", ({ key }) => {
    if (key === STORAGE_KEYS.lock || key === null) lock.heard();
  });
  // A page that comes back from the browser's history has heard nothing meanwhile.
  page.addEventListener("pageshow", ({ persisted }) => persisted && lock.heard());
  // The platform remembers a lock that this browser forgot.
  auth.state.subscribe((state) => {
    if (state.is === "player" && state.player.locked) lock.lock("by the platform");
  });

  return {
    lock,
    async passLock(arrivedWithToken) {
      // A token in the address signs in anew; the lock belongs to the sign-in before.
      if (arrivedWithToken) storage.remove(STORAGE_KEYS.lock);
      // A lock that is on stays on although settings know of none: they may just not have come.
      else if (!lock.resume() && settings.pinCheck && isOverdue(app)) lock.lock();
      await openedOf(lock);
    },
    begin(made) {
      routes = made;
      const state = auth.state.getState();
      if (state.is === "player" && state.player.locked) lock.lock("by the platform");
      watchPlayers(app, lock, layers, made, page);
    },
  };
}

/** Starts the watch with each sign-in, and ends it with the sign-in or the lock. */
function watchPlayers(app: App, lock: Lock, layers: Layers, routes: Routes, page: Window): void {
  const { settings, auth, clock, timers, storage } = app;
  let end: (() => void) | undefined;
  const follow = () => {
    const isOn = auth.state.getState().is === "player" && lock.state.getState().is === "open";
    if (isOn === (end !== undefined)) return;
    end?.();
    end = isOn ? start() : undefined;
  };

  function start(): () => void {
    const watch = watchIdle({ clock, timers, storage, page });
    watch.touch();
    if (settings.pinCheck && settings.idleLockMs > 0) watch.on(settings.idleLockMs, () => lock.lock());
    // The platform locks by its own count, so it has to know of inputs that make no call.
    const reports = settings.pinCheck && settings.idleLockMs > 0 && keptPin(storage).at === "platform";
    const stopReports = reports
      ? reportActivity({
          watch,
          clock,
          timers,
          everyMs: Math.min(REPORT_MS, settings.idleLockMs / 4),
          report: () => void app.api.call("active"),
        })
      : undefined;
    const stopAsking = settings.deactivatedMs > 0 ? askNow() : undefined;
    function askNow(): () => void {
      const deactivation = createDeactivation({
        ...{ watch, clock, timers, afterMs: settings.deactivatedMs },
        mayAsk: () => !isGame(routes),
        leave: () => void routes.now().navigate({ to: paths.lobby }),
      });
      const stopRoutes = routes.now().subscribe("onResolved", deactivation.pageChanged);
      layers.set({
        over: (
          <CSPProvider disableStyleElements>
            <DeactivatedPrompt deactivation={deactivation} clock={clock} timers={timers} />
          </CSPProvider>
        ),
      });
      return () => {
        stopRoutes();
        deactivation.end();
        layers.set({ over: undefined });
      };
    }
    const stopPrompt = askForPin(app, layers, routes);
    return () => {
      stopPrompt();
      stopAsking?.();
      stopReports?.();
      watch.end();
    };
  }

  follow();
  auth.state.subscribe(follow);
  lock.state.subscribe(follow);
}

/** Prompts for a PIN where the screen should lock and no PIN could open it: not during a game, and not again once put off. */
function askForPin(app: App, layers: Layers, routes: Routes): () => void {
  const { settings, storage, log, texts } = app;
  const pin = keptPin(storage);
  const isMissing = settings.pinCheck && pin.at === "platform" && !pin.isSet && settings.defaultPin.hash === "";
  if (!isMissing || settings.idleLockMs <= 0) return () => {};
  let isOver = false;
  let stopRoutes = (): void => {};
  const close = () => {
    isOver = true;
    stopRoutes();
    layers.set({ form: undefined });
  };
  async function ask(): Promise<void> {
    if (isOver || layers.getState().form !== undefined || isGame(routes)) return;
    const [{ PinPrompt }] = await Promise.all([import("./pin-prompt.tsx"), texts.need("profile", "keys")]);
    if (isOver || isGame(routes)) return;
    layers.set({
      form: (
        <CSPProvider disableStyleElements>
          <PinPrompt seconds={Math.round(settings.idleLockMs / 1_000)} app={app} onClose={close} />
        </CSPProvider>
      ),
    });
  }
  const askSafely = () =>
    void ask().catch((error: unknown) => log("The question for a PIN could not be loaded.", error));
  stopRoutes = routes.now().subscribe("onResolved", askSafely);
  askSafely();
  return close;
}

const isGame = (routes: Routes): boolean => /^\/game(\/|$)/.test(routes.now().state.location.pathname);

/** Calls with the token that the lock holds. */
function lockApi(app: App, onOver: () => void) {
  const { storage, addresses, fetch, messages, texts } = app;
  return createApiClient({
    words: () => needCodes(app),
    base: addresses.api,
    fetch,
    token: () => readLock(storage)?.token ?? null,
    onUnauthorised(failure) {
      messages.say("bad", overText(texts.speech.getState(), failure));
      onOver();
    },
  });
}

/** The hash functions, loaded once; a failed load is tried again next time. */
function hashesOnce(): typeof loadPinHashes {
  let loading: ReturnType<typeof loadPinHashes> | undefined;
  return () => {
    loading ??= loadPinHashes().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** The page was closed, or the computer asleep, for longer than the screen may stay open. */
function isOverdue({ storage, clock, settings }: App): boolean {
  const last = lastInputKept(storage, clock.now());
  return last !== undefined && settings.idleLockMs > 0 && clock.now() - last >= settings.idleLockMs;
}

function openedOf(lock: Lock): Promise<void> {
  return new Promise((opened) => {
    const look = () => {
      if (lock.state.getState().is !== "open") return;
      stop();
      opened();
    };
    const stop = lock.state.subscribe(look);
    look();
  });
}
