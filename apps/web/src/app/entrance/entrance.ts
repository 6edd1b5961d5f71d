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

export function createEntrance(layers: Layers, page: Window, log: Log): Entrance {
  let watching: Promise<KeptWatch> | undefined;
  function watch(app: App): Promise<KeptWatch> {
    watching ??= import("./keep-watch.tsx").then(({ keepWatch }) => keepWatch(app, layers, page));
    return watching;
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
      let begun: Promise<void> | undefined;
      const begin = (): Promise<void> | undefined => {
        // A lock that fell at the start has already taken the player out of sight.
        if (app.auth.state.getState().is === "guest" && watching === undefined) return undefined;
        begun ??= watch(app)
          .then((kept) => kept.begin(routes))
          .catch((error: unknown) => log("The idle lock could not be loaded.", error));
        return begun;
      };
      app.auth.state.subscribe(() => void begin());
      const begins = begin();
      const state = app.auth.state.getState();
      // Known to be locked: nothing is drawn before the lock is.
      if (state.is === "player" && state.player.locked) await begins;
    },
    locked: () => void watching?.then(({ lock }) => lock.lock("by the platform")),
  };
}
