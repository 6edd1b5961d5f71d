import type { Game } from "@longarm/contract/agent-link";
import type { MetersNow } from "./tables.ts";

/*
 * A machine's own count of games begins anew with each RAM clear. The platform numbers its games on from its first day here: it adds what was counted
 * before at the agent's link, and nothing behind the link knows the machine's own count.
 */

/** Meters as the platform counts games. @param gamesBase what is added. */
export function countedOn(meters: MetersNow, gamesBase: number): MetersNow {
  return gamesBase === 0 ? meters : { ...meters, gamesPlayed: meters.gamesPlayed + gamesBase };
}

/** A game of the journal under the platform's number. */
export function gameCountedOn(game: Game, gamesBase: number): Game {
  if (gamesBase === 0) return game;
  const meters = countedOn(game.meters, gamesBase);
  if (game.phase === "started") return { ...game, meters, gameNumber: game.gameNumber + gamesBase };
  return { ...game, meters, game: { ...game.game, gameNumber: game.game.gameNumber + gamesBase } };
}
