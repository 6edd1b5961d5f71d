/** What of the browser keeps its screen on; absent in some. */
export type Waker = { request(kind: "screen"): Promise<{ release(): Promise<void> }> };
type Page = Pick<Document, "visibilityState" | "addEventListener" | "removeEventListener">;

/**
 * Keeps the screen on until stopped. The browser takes the lock back whenever the page is hidden, so it is asked for again when the
 * page is seen again; one that refuses (little battery left) is asked the next time.
 */
export function keepAwake(page: Page, waker: Waker | undefined): () => void {
  if (waker === undefined) return () => {};
  let lock: { release(): Promise<void> } | undefined;
  let stopped = false;
  const letGo = (): void => {
    lock?.release().catch(() => {});
    lock = undefined;
  };
  const take = async (): Promise<void> => {
    if (page.visibilityState !== "visible") return;
    const taken = await waker.request("screen").catch(() => undefined);
    letGo();
    lock = taken;
    if (stopped) letGo();
  };
  const seen = (): void => void take();
  page.addEventListener("visibilitychange", seen);
  seen();
  return () => {
    stopped = true;
    page.removeEventListener("visibilitychange", seen);
    letGo();
  };
}
