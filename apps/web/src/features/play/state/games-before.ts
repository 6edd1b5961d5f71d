import * as z from "zod/mini";
import type { Storage } from "../../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../../shared/storage/storage.ts";

const Kept = z.object({ playSessionId: z.string(), games: z.int().check(z.gte(0)) });

/** The machine's game counter when this play session began, kept so that a reload counts on. */
export function gamesBefore(storage: Storage, playSessionId: string, gamesNow: number): number {
  const kept = readKept(storage.read(STORAGE_KEYS.gamesBefore));
  if (kept?.playSessionId === playSessionId && kept.games <= gamesNow) return kept.games;
  storage.write(STORAGE_KEYS.gamesBefore, JSON.stringify({ playSessionId, games: gamesNow }));
  return gamesNow;
}

function readKept(text: string | null): z.infer<typeof Kept> | undefined {
  if (text === null) return undefined;
  try {
    const kept = z.safeParse(Kept, JSON.parse(text));
    return kept.success ? kept.data : undefined;
  } catch {
    return undefined;
  }
}
