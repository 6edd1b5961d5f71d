import type { RefObject } from "react";
import { useEffect, useState } from "react";
import { startMedia } from "../../browser/screen/start-media.ts";

/** Plays a stream in an element. True while the browser refuses to until the player does something. */
export function useStarted(element: RefObject<HTMLMediaElement | null>, stream: MediaStream | undefined): boolean {
  const [locked, setLocked] = useState(false);
  useEffect(() => {
    const player = element.current;
    if (player === null || stream === undefined) return;
    player.srcObject = stream;
    return startMedia(player, window, setLocked);
  }, [element, stream]);
  return locked;
}
