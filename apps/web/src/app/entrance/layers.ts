import type { ReactNode } from "react";
import { createStore } from "zustand/vanilla";
import type { Live } from "../../shared/live/live.ts";

/** What stands before the routes. */
export type LayersNow = {
  /** Stands there instead of them: the address gate, the idle lock. Nothing of the player is drawn under it. */
  readonly cover?: ReactNode;
  /** Stands over them: a question of the whole page. */
  readonly over?: ReactNode;
  /** A form that the page asks a player to fill in, and that may wait. */
  readonly form?: ReactNode;
};
export type Layers = Live<LayersNow> & {
  /** Changes one of them; undefined takes it away. */
  set(change: LayersNow): void;
};

export function createLayers(): Layers {
  const store = createStore<LayersNow>(() => ({}));
  return { ...store, set: (change) => store.setState(change) };
}
