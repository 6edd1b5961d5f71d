import type { App } from "../app.ts";
import type { PlayerPart } from "./player-part.ts";

/** One player part per sign-in: started by the first route that needs it, ended with the auth session. */
export function keepPlayerPart(app: App): () => Promise<PlayerPart> {
  let current: { readonly id: string; readonly part: Promise<PlayerPart> } | undefined;

  function end(): void {
    current?.part.then(
      (part) => part.end(),
      // Whoever waits for it is told that it could not be loaded.
      () => undefined,
    );
    current = undefined;
  }

  app.auth.state.subscribe((state) => {
    if (state.is === "guest" || state.player.id !== current?.id) end();
  });

  return async () => {
    const state = app.auth.state.getState();
    if (state.is === "guest") throw new Error("Nobody is signed in");
    if (current === undefined) {
      const part = import("./player-part.ts").then(({ startPlayerPart }) => startPlayerPart(app, state.player));
      current = { id: state.player.id, part };
      part.catch(() => {
        if (current?.part === part) current = undefined;
      });
    }
    return current.part;
  };
}
