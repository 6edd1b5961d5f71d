import type { Listener } from "./listener.ts";

/** The open notification sockets of this node, by player. */
export class PlayersHere {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #hears: ((playerId: string) => void)[] = [];

  /** Undefined: the player has no page open here. */
  of(playerId: string): ReadonlySet<Listener> | undefined {
    return this.#listeners.get(playerId);
  }

  all(): Iterable<[string, ReadonlySet<Listener>]> {
    return this.#listeners;
  }

  came(playerId: string, listener: Listener): void {
    const own = this.#listeners.get(playerId);
    if (own !== undefined) {
      own.add(listener);
      return;
    }
    this.#listeners.set(playerId, new Set([listener]));
    this.#tell(playerId);
  }

  gone(playerId: string, listener: Listener): void {
    const own = this.#listeners.get(playerId);
    if (!own?.delete(listener) || own.size > 0) return;
    this.#listeners.delete(playerId);
    this.#tell(playerId);
  }

  /** Calls when the first page of a player has come, or the last one gone. */
  onChange(hear: (playerId: string) => void): void {
    this.#hears.push(hear);
  }

  #tell(playerId: string): void {
    for (const hear of this.#hears) hear(playerId);
  }
}
