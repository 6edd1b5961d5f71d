import type { RefObject } from "react";
import { useEffect, useState } from "react";
import type { ClipSegmentBytes, PlayedClip } from "./play-clip.ts";
import { frameAt, playClip } from "./play-clip.ts";

export type NotPlayed = "cannotPlay" | "damaged";

/** Puts the segments into the video, which begins where the game does. `atMs`: where it is, also in a gap. */
export function usePlayed(
  video: RefObject<HTMLVideoElement | null>,
  segments: readonly ClipSegmentBytes[],
  beginMs: number,
) {
  const [played, setPlayed] = useState<PlayedClip>();
  const [problem, setProblem] = useState<NotPlayed>();
  const [now, setNow] = useState({ frame: 0, playing: false, atMs: beginMs });
  useEffect(() => {
    const element = video.current;
    if (element === null) return;
    const open = opened(element, segments, () => setProblem("damaged"));
    if (typeof open === "string") {
      setProblem(open);
      return;
    }
    const ender = new AbortController();
    const { signal } = ender;
    const base = segments[0]?.fromMs ?? beginMs;
    let wanted = 0;
    const look = (): void => {
      setNow({ frame: open.frame(), playing: !element.paused, atMs: base + element.currentTime * 1_000 });
      cancelAnimationFrame(wanted);
      if (!element.paused) wanted = requestAnimationFrame(look);
    };
    for (const name of ["play", "pause", "seeking", "seeked", "timeupdate"])
      element.addEventListener(name, look, { signal });
    const begin = (): void => open.show(frameAt(open.frames, beginMs));
    element.addEventListener("loadedmetadata", begin, { once: true, signal });
    setPlayed(open);
    return () => {
      ender.abort();
      cancelAnimationFrame(wanted);
      open.close();
      setPlayed(undefined);
    };
  }, [video, segments, beginMs]);
  return { played, problem, ...now };
}

function opened(
  element: HTMLVideoElement,
  segments: readonly ClipSegmentBytes[],
  stopped: () => void,
): PlayedClip | NotPlayed {
  try {
    return playClip(element, segments, stopped);
  } catch {
    return "damaged";
  }
}
