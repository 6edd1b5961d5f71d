import type { App } from "../app.ts";
import type { PlayerLink } from "./player-link.ts";

/** One player link per sign-in: started by the first route that needs it, ended with the auth session. */
export function keepPlayerLink(app: App): () => Promise<PlayerLink> {
  let current: { readonly id: string; readonly link: Promise<PlayerLink> } | undefined;

  function end(): void {
    current?.link.then(
      (link) => link.end(),
      // The caller of `part` reports that it could not be loaded.
      () => undefined,
    );
    current = undefined;
  }

  app.auth.state.subscribe((state) => {
    if (state.is === "guest" || state.player.id !== current?.id) end();
  });

  return async () => {
    const state = app.auth.state.getState();
    if (state.is === "guest") throw new Error("No player is signed in");
    if (current === undefined) {
      const link = import("./player-link.ts").then(({ startPlayerLink }) => startPlayerLink(app, state.player));
      current = { id: state.player.id, link };
      link.catch(() => {
        if (current?.link === link) current = undefined;
      });
    }
    return current.link;
  };
}
