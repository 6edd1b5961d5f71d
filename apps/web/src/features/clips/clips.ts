import type { GameClip } from "@longarm/contract/clips";
import { CLIP_PART_PATH, clipCalls } from "@longarm/contract/clips";
import { GameId } from "@longarm/contract/player-record";
import type { ClipSegmentBytes } from "@longarm/ui/clip/play-clip.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import * as z from "zod/mini";
import type { ApiClient } from "../../shared/api/client.ts";
import { dataOf } from "../../shared/api/client.ts";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { ApiError } from "../../shared/api/failure.ts";

export type ClipsApi = Pick<ApiClient, "make">;

/** The id of the game whose recording an address names; undefined: none. */
export function recordingIn({ recording }: Readonly<Record<string, unknown>>): string | undefined {
  const game = z.safeParse(GameId, recording);
  return game.success ? game.data : undefined;
}

/** While it is on its way, ms. */
const AGAIN_MS = 2_000;
/** A segment over a slow line, ms. */
const PART_MS_MAX = 90_000;
const keyOf = (game: string) => ["clip", game];

/** The recording of a game of the player. `absent`: the platform shows none; `closed`: the game is too long ago, and has no question. */
export function useClip(api: ClipsApi, game: string) {
  return useQuery({
    queryKey: keyOf(game),
    queryFn: async ({ signal }) => {
      const answer = await api.make(clipCalls.clip, { path: { id: game }, signal });
      if (!answer.ok && answer.failure.httpStatus === 404) return "absent" as const;
      if (!answer.ok && answer.failure.httpStatus === 409) return "closed" as const;
      return dataOf(answer);
    },
    refetchInterval: ({ state: { data } }) =>
      typeof data === "object" && (data.state === "wanted" || data.state === "fetching") ? AGAIN_MS : false,
    refetchOnWindowFocus: false,
  });
}

/** Has the recording of a game fetched from its machine; answers the failure, or nothing. */
export function useRequestClip(api: ClipsApi, game: string) {
  const queries = useQueryClient();
  return async (): Promise<ApiFailure | undefined> => {
    const answer = await api.make(clipCalls.requestClip, { body: { game } });
    if (!answer.ok) return answer.failure;
    queries.setQueryData(keyOf(game), answer.data);
    return undefined;
  };
}

const segmentCall = { method: "GET", path: CLIP_PART_PATH, answer: z.instanceof(ArrayBuffer) } as const;

/** The bytes of a ready recording, one segment after the other; a number: so many are here. */
export function useSegments(
  api: ClipsApi,
  game: string,
  segments: GameClip["segments"],
): {
  readonly loaded: number;
  readonly all?: readonly ClipSegmentBytes[];
  readonly failure?: ApiFailure;
  again(): void;
} {
  const [loaded, setLoaded] = useState(0);
  const { data, error, refetch } = useQuery({
    queryKey: ["clip-segments", game, segments.map(({ name, fromMs }) => `${name} ${fromMs}`)],
    queryFn: async ({ signal }) => {
      const all: ClipSegmentBytes[] = [];
      for (const { name, fromMs } of segments) {
        setLoaded(all.length);
        const wanted = { path: { id: game, name }, signal, withinMs: PART_MS_MAX };
        all.push({ fromMs, bytes: dataOf(await api.make(segmentCall, wanted)) });
      }
      return all;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return {
    loaded,
    ...(data !== undefined && { all: data }),
    ...(error instanceof ApiError && { failure: error.failure }),
    again: () => void refetch(),
  };
}

/** Wants the recording once, without another press, where the page itself is the wish. */
export function useWish(isWished: boolean, wish: () => unknown): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each wish.
  useEffect(() => {
    if (isWished) wish();
  }, [isWished]);
}
