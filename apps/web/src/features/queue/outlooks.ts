import type { QueueOutlook, QueueWish } from "@longarm/contract/player-queue";
import { OUTLOOK_WISHES_MAX, queueCalls } from "@longarm/contract/player-queue";
import type { Timers } from "@longarm/link/socket";
import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import { useEffect } from "react";
import { createStore } from "zustand/vanilla";
import type { ApiClient } from "../../shared/api/client.ts";

type Known = ReadonlyMap<string, QueueOutlook>;

/** What places would be before they are taken: of the wishes that something on the page shows. */
export type Outlooks = {
  readonly now: Live<Known>;
  /** Reads it now and again until the returned function is called. */
  watch(wish: QueueWish): () => void;
};

/** Cards are drawn together: what is wanted within this time is read at once, ms. */
const TOGETHER_MS = 100;
/** What is shown is read again after this, ms. */
const AGAIN_MS = 30_000;

const keyOf = (wish: QueueWish): string => JSON.stringify(wish);

export function createOutlooks(api: Pick<ApiClient, "make">, timers: Timers): Outlooks {
  const now = createStore<Known>(() => new Map());
  const watched = new Map<string, { readonly wish: QueueWish; by: number }>();
  const wanted = new Set<string>();
  let isSoon = false;
  let isAgain = false;

  function read(): void {
    isSoon = false;
    const wishes = [...wanted].flatMap((key) => watched.get(key)?.wish ?? []);
    wanted.clear();
    for (let at = 0; at < wishes.length; at += OUTLOOK_WISHES_MAX)
      void readSome(wishes.slice(at, at + OUTLOOK_WISHES_MAX));
    if (isAgain || watched.size === 0) return;
    isAgain = true;
    timers.after(AGAIN_MS, readAgain);
  }
  function readAgain(): void {
    isAgain = false;
    for (const key of watched.keys()) wanted.add(key);
    read();
  }
  async function readSome(wishes: readonly QueueWish[]): Promise<void> {
    const given = await api.make(queueCalls.queueOutlook, { body: { wishes: [...wishes] } });
    // What is known stays; a platform that does not know them has none to show.
    if (!given.ok) return;
    now.setState(
      new Map([...now.getState(), ...given.data.outlooks.map((one) => [keyOf(one.wish), one] as const)]),
      true,
    );
  }
  return {
    now,
    watch(wish) {
      const key = keyOf(wish);
      const one = watched.get(key) ?? { wish, by: 0 };
      one.by += 1;
      watched.set(key, one);
      wanted.add(key);
      if (!isSoon) timers.after(TOGETHER_MS, read);
      isSoon = true;
      return () => {
        one.by -= 1;
        if (one.by === 0) watched.delete(key);
      };
    },
  };
}

/** What a place for a wish would be, while the caller is drawn. Undefined: not read yet, or no wish. */
export function useOutlook(outlooks: Outlooks, wish: QueueWish | undefined): QueueOutlook | undefined {
  const key = wish && keyOf(wish);
  useEffect(() => (key === undefined ? undefined : outlooks.watch(JSON.parse(key))), [outlooks, key]);
  return useLive(outlooks.now, (known) => (key === undefined ? undefined : known.get(key)));
}
