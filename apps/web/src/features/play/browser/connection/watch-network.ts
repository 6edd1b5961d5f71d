/** `sure`: the network came back, or is of another kind. Otherwise the browser may only have measured it anew. */
export type NetworkChanged = (sure: boolean) => void;

/** What the browser knows of its network. Computers do not tell its kind. */
export type Network = EventTarget & { readonly type?: string };

/** Tells of changes of the network. Where the browser has no word for one it tells of the return only. */
export function watchNetwork(page: EventTarget, network: Network | undefined, changed: NetworkChanged): () => void {
  let type = network?.type;
  const back = (): void => changed(true);
  const other = (): void => {
    const before = type;
    type = network?.type;
    // Browsers tell of each new measurement of speed and delay, too.
    if (type === undefined || type !== before) changed(type !== undefined);
  };
  page.addEventListener("online", back);
  network?.addEventListener("change", other);
  return () => {
    page.removeEventListener("online", back);
    network?.removeEventListener("change", other);
  };
}

/** What the browser knows of its network, where it tells. */
export function networkOf(browser: object): Network | undefined {
  const known = "connection" in browser ? browser.connection : undefined;
  return known instanceof EventTarget ? known : undefined;
}
