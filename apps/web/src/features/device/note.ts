import { LANGUAGES } from "@longarm/contract/settings";
import * as z from "zod/mini";

/** What the worker must know when no page and no platform can be reached: nothing of money, nothing of the player. */
export const OfflineNote = z.object({
  language: z.enum(LANGUAGES),
  /** The casino's name. */
  name: z.optional(z.string().check(z.maxLength(60))),
  /** The number of the organisation that helps, as the operator wrote it. */
  helpline: z.optional(z.string().check(z.maxLength(40))),
  /** The machine at which the player sat, and when that was last known, ms since 1970. */
  seat: z.optional(z.object({ machine: z.string().check(z.maxLength(200)), at: z.number() })),
});
export type OfflineNote = z.infer<typeof OfflineNote>;

/** The only thing that this page keeps in a cache. */
const CACHE = "longarm-note";
const ADDRESS = "/offline-note";

/** Keeps the note for the worker, in place of the one before. */
export async function keepNote(caches: CacheStorage, note: OfflineNote): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.put(ADDRESS, Response.json(note));
}

/** The note that a page kept last; undefined: there is none that can be read. */
export async function readNote(caches: CacheStorage): Promise<OfflineNote | undefined> {
  const kept = await (await caches.open(CACHE)).match(ADDRESS);
  return z.safeParse(OfflineNote, await kept?.json().catch(() => undefined)).data;
}
