/** Tells when the network came back or became another one. Where the browser has no word for a change it tells of the return only. */
export function watchNetwork(page: EventTarget, connection: EventTarget | undefined, changed: () => void): () => void {
  page.addEventListener("online", changed);
  connection?.addEventListener("change", changed);
  return () => {
    page.removeEventListener("online", changed);
    connection?.removeEventListener("change", changed);
  };
}

/** What the browser knows of its network, where it tells. */
export function networkOf(browser: object): EventTarget | undefined {
  const known = "connection" in browser ? browser.connection : undefined;
  return known instanceof EventTarget ? known : undefined;
}
