import { useMemo } from "react";
import type { PlayDeps } from "../../shared/play-deps.ts";
import type { RouterContext } from "../router-context.ts";
import type { GameLoaded } from "./game-loader.ts";

/**
 * What a screen at a machine is given. It owns a seat and a video: it must not be given new objects while the same machine is on it,
 * so `leave` has to be a lasting function.
 */
export function usePlayDeps(
  app: RouterContext["app"],
  { part, machine }: GameLoaded,
  leave: PlayDeps["leave"],
): PlayDeps {
  return useMemo<PlayDeps>(() => {
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
  }, [app, part, machine, leave]);
}
