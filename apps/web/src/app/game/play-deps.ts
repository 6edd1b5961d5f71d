import type { PlayDeps } from "../../shared/play-deps.ts";
import type { RouterContext } from "../router-context.ts";
import type { GameLoaded } from "./game-loader.ts";

/** What a screen at a machine is given. It keeps what it is given first, for as long as it is open. */
export function playDeps(app: RouterContext["app"], { part, machine }: GameLoaded, leave: PlayDeps["leave"]): PlayDeps {
  const { api, settings, addresses, storage, clock, timers, random, newId, log, messages, auth } = app;
  return {
    ...{ api, settings, addresses, storage, clock, timers, random, newId, log, machine, leave },
    token: auth.token,
    playerId: part.player.id,
    events: part.events,
    wallet: part.wallet,
    openSession: part.openSession,
    say: messages.say,
  };
}
