import type { Log } from "../../shared/log/log.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";
import type { App } from "../app.ts";
import type { Layers } from "../root-view.tsx";
import type { Routes } from "../router.tsx";
import type { KeptWatch } from "./keep-watch.tsx";

/** Gate and lock: both before anything of the player is shown, and both loaded only where they are needed. */
export type Entrance = {
  /** Before the token is looked at. Resolves once the page may go on. */
  pass(app: App, arrivedWithToken: boolean): Promise<void>;
  /** The routes are there. Resolves once they may be drawn. */
  begin(app: App, routes: Routes): Promise<void>;
  /** The platform said that this sign-in is locked. */
  locked(): void;
};

/** How long until a watch that could not be loaded is requested again, ms. */
const AGAIN_MS = 5_000;
/** What the first screen does not need is requested after it, on a slow phone too, ms. */
export const LATER_MS = 5_000;

export function createEntrance(layers: Layers, page: Window, log: Log): Entrance {
  let watching: Promise<KeptWatch> | undefined;
  let begun: Promise<void> | undefined;
  let started: App | undefined;
  function watch(app: App): Promise<KeptWatch> {
    watching ??= import("./keep-watch.tsx").then(({ keepWatch }) => keepWatch(app, layers, page));
    // What could not be loaded is requested again by the next who needs it.
    watching.catch(() => {
      watching = undefined;
    });
    return watching;
  }
  /** Watches over each player who signs in. Without a lock it can wait until the first screen is drawn. */
  async function keep(app: App, routes: Routes, mayWait: boolean): Promise<void> {
    if (mayWait) await new Promise<void>((done) => app.timers.after(LATER_MS, done));
    try {
      (await watch(app)).begin(routes);
    } catch (error) {
      log("The idle lock could not be loaded, and is requested again.", error);
      app.timers.after(AGAIN_MS, () => void keep(app, routes, false));
    }
  }
  return {
    async pass(app, arrivedWithToken) {
      if (app.settings.ipCheck) {
        const { passGate } = await import("./pass-gate.tsx");
        await passGate(app, layers, page);
      }
      const mayBeLocked = app.settings.pinCheck || app.storage.read(STORAGE_KEYS.lock) !== null;
      if (mayBeLocked) await (await watch(app)).passLock(arrivedWithToken);
    },
    async begin(app, routes) {
      const isLocked = (): boolean => {
        const state = app.auth.state.getState();
        return state.is === "player" && state.player.locked;
      };
      const begin = (): Promise<void> | undefined => {
        // A lock that fell at the start has already taken the player out of sight.
        if (app.auth.state.getState().is === "guest" && watching === undefined) return undefined;
        begun ??= keep(app, routes, watching === undefined && !isLocked());
        if (isLocked()) void watch(app).catch(() => undefined);
        return begun;
      };
      started = app;
      app.auth.state.subscribe(() => void begin());
      const begins = begin();
      // Known to be locked: nothing is drawn before the lock is.
      if (isLocked()) await begins;
    },
    locked() {
      const kept = watching ?? (started && watch(started));
      kept?.then(({ lock }) => lock.lock("by the platform")).catch(() => undefined);
    },
  };
}
