import type { GameClip } from "@longarm/contract/clips";
import { INDEX_FILE } from "@longarm/contract/evidence/format";
import type { GameOfPlayer } from "../history/index.ts";
import type { Clip, Clips, ClipWish } from "./clips.ts";
import { momentsIn } from "./moments.ts";
import type { ClipStream } from "./stream.ts";

/** What a clip of a game has before and after the game, ms: the press that began it, and what it paid. */
const BEFORE_MS = 5_000;
const AFTER_MS = 6_000;

type Found = Pick<GameOfPlayer, "machineId" | "game">;

/** The wish for the clip of a game: every request for it gets the same clip. */
export function gameWish({ machineId, game: { session, number, start, end } }: Found): ClipWish {
  return {
    ...{ machineId, playSessionId: session, gameNumber: number },
    from: new Date(Date.parse(start) - BEFORE_MS),
    to: new Date(Date.parse(end) + AFTER_MS),
  };
}

/** Has the clip of a game fetched, unless it is on its way or here. */
export async function wantClip(clips: Pick<Clips, "findClip" | "requestClip">, found: Found): Promise<void> {
  const wish = gameWish(found);
  const clip = await clips.findClip(wish);
  if (clip === undefined || clip.state === "missing") await clips.requestClip(wish);
}

type Reads = Pick<Clips, "findClip" | "openPart" | "streamPart">;

/** The clip of a game as people see it, with its id when there is one. */
export async function clipOfGame(clips: Reads, found: Found): Promise<{ id: string | undefined; shown: GameClip }> {
  const wish = gameWish(found);
  const clip = await clips.findClip(wish);
  const gameFromMs = Date.parse(found.game.start);
  const gameToMs = Date.parse(found.game.end);
  const { fromMs, toMs } = extent(clip, { fromMs: wish.from.getTime(), toMs: wish.to.getTime(), gameFromMs, gameToMs });
  const index = clip?.state === "ready" ? await clips.openPart(clip.id, INDEX_FILE) : undefined;
  const shown: GameClip = {
    ...{ state: clip?.state ?? "none", reason: clip?.reason ?? null },
    ...{ gameFromMs, gameToMs, fromMs, toMs },
    segments: (clip?.segments ?? []).map(({ name, bytes, fromMs, toMs, frames, frameClock }) => ({
      ...{ name, bytes, fromMs, toMs, frames, frameClock },
    })),
    gaps: (clip?.gaps ?? []).filter((gap) => gap.toMs > fromMs && gap.fromMs < toMs),
    ...{ skewMs: clip?.skewMs ?? null, skewWithinMs: clip?.skewWithinMs ?? null },
    moments:
      index === undefined
        ? []
        : momentsIn(index, { game: { number: found.game.number, endMs: gameToMs }, fromMs, toMs }),
  };
  return { id: clip?.id, shown };
}

/** A part of the clip of a game; undefined: there is none. */
export async function partOf(
  clips: Reads,
  found: Found,
  name: string,
): Promise<(ClipStream & { readonly id: string }) | undefined> {
  const clip = await clips.findClip(gameWish(found));
  if (clip === undefined || clip.state !== "ready") return undefined;
  const part = await clips.streamPart(clip.id, name);
  return part && { ...part, id: clip.id };
}

type Extent = Pick<GameClip, "fromMs" | "toMs">;

/** Segments are whole, and where a play session begins or ends so does its picture: what is beyond it is no gap. */
function extent(clip: Clip | undefined, wish: Extent & { gameFromMs: number; gameToMs: number }): Extent {
  const first = clip?.segments[0]?.fromMs ?? wish.fromMs;
  const last = clip?.segments.at(-1)?.toMs ?? wish.toMs;
  return { fromMs: Math.min(first, wish.gameFromMs), toMs: Math.max(last, wish.gameToMs) };
}
