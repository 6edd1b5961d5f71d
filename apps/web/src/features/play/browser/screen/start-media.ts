/** What of a media element is used. */
export type Player = Pick<HTMLMediaElement, "play" | "paused" | "addEventListener" | "removeEventListener">;
type Page = Pick<EventTarget, "addEventListener" | "removeEventListener">;

const GESTURES = ["pointerup", "keydown", "touchend", "click"] as const;

/**
 * Plays an element, at once if the browser lets it. One that does not (sound before the first gesture; on an iPhone that saves power even
 * a mute picture) is `locked`, and any gesture plays it; so is one that the browser paused by itself and will not play again.
 */
export function startMedia(player: Player, page: Page, locked: (locked: boolean) => void): () => void {
  let stopped = false;
  const tell = (now: boolean): void => {
    if (!stopped) locked(now);
  };
  const play = (): void => {
    player.play().then(
      () => tell(false),
      // Another source took its place in the meantime: that one says itself how it goes.
      (error: unknown) => (error as Error)?.name !== "AbortError" && tell(true),
    );
  };
  const gesture = (): void => {
    if (player.paused) play();
  };
  for (const kind of GESTURES) page.addEventListener(kind, gesture);
  player.addEventListener("pause", play);
  play();
  return () => {
    stopped = true;
    for (const kind of GESTURES) page.removeEventListener(kind, gesture);
    player.removeEventListener("pause", play);
  };
}
