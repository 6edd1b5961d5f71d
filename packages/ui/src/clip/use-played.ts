import type { RefObject } from "react";
import { useEffect, useState } from "react";
import type { ClipSegmentBytes, PlayedClip } from "./play-clip.ts";
import { frameAt, playClip } from "./play-clip.ts";

export type NotPlayed = "cannotPlay" | "damaged";

/** A frame that was found is drawn by then, ms; a busy browser may miss to say so. */
const DRAWN_MS_MAX = 3_000;

/**
 * Puts the segments into the video, which begins where the game does. `atMs`: where it is, also in a gap. `isDrawn`: the picture is that of `frame`; a busy
 * computer shows an older one for a while after a jump.
 */
export function usePlayed(
  video: RefObject<HTMLVideoElement | null>,
  segments: readonly ClipSegmentBytes[],
  beginMs: number,
) {
  const [played, setPlayed] = useState<PlayedClip>();
  const [problem, setProblem] = useState<NotPlayed>();
  const [now, setNow] = useState({ frame: 0, playing: false, atMs: beginMs });
  const [drawn, setDrawn] = useState<number>();
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
    let settling: ReturnType<typeof setTimeout> | undefined;
    const settle = (): void => {
      clearTimeout(settling);
      settling = setTimeout(() => setDrawn(open.frame()), DRAWN_MS_MAX);
    };
    element.addEventListener("seeked", settle, { signal });
    const endDrawn = onDrawn(element, (atS) => setDrawn(frameAt(open.frames, base + atS * 1_000)));
    const begin = (): void => open.show(frameAt(open.frames, beginMs));
    element.addEventListener("loadedmetadata", begin, { once: true, signal });
    setPlayed(open);
    return () => {
      ender.abort();
      cancelAnimationFrame(wanted);
      clearTimeout(settling);
      endDrawn();
      open.close();
      setPlayed(undefined);
      setDrawn(undefined);
    };
  }, [video, segments, beginMs]);
  return { played, problem, isDrawn: now.playing || drawn === undefined || drawn === now.frame, ...now };
}

/** Says of each frame that the browser has drawn at which second of the video it is. Some browsers say nothing. */
function onDrawn(video: HTMLVideoElement, say: (atS: number) => void): () => void {
  if (!("requestVideoFrameCallback" in video)) return () => {};
  const seen: VideoFrameRequestCallback = (_now, { mediaTime }) => {
    say(mediaTime);
    wanted = video.requestVideoFrameCallback(seen);
  };
  let wanted = video.requestVideoFrameCallback(seen);
  return () => video.cancelVideoFrameCallback(wanted);
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
