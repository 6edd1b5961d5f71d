import type { GameLink } from "../game-link.ts";
import type { PlaySessionDeps } from "../play-session-deps.ts";
import { Transfers } from "./transfers.ts";

/** The transfers of a play session, asked over its game socket. */
export function openTransfers({ machineId, play, timers }: PlaySessionDeps, game: () => GameLink): Transfers {
  return new Transfers({
    machineId,
    storage: play.storage,
    newId: play.newId,
    clock: play.clock,
    timers,
    cashIn: (id, amount) => game().request("cashIn", { id, amount }),
    cashOut: (id, amount) => game().request("cashOut", { id, ...(amount !== null && { amount }) }),
  });
}
