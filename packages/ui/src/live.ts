import { useStore } from "zustand/react";
import type { StoreApi } from "zustand/vanilla";

/** State that changes and that anybody may read and watch, with or without React. Every zustand store is one. */
export type Live<T> = Pick<StoreApi<T>, "getState" | "getInitialState" | "subscribe">;

/** Reads a live state in a component, which draws again only when the selected part changed. */
export function useLive<T>(live: Live<T>): T;
export function useLive<T, U>(live: Live<T>, select: (state: T) => U): U;
export function useLive<T, U>(live: Live<T>, select?: (state: T) => U): T | U {
  return useStore(live, select ?? (((state: T) => state) as (state: T) => T | U));
}
