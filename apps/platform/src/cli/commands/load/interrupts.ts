/** What Ctrl-C asks for: the first time to end well, the second time to end. */
export type Interrupts = { readonly stop: AbortSignal; readonly abandon: AbortSignal; off(): void };

/** Listens for Ctrl-C, and for a service manager's wish to end. `ended`: the last words, before the process ends at once. */
export function onInterrupt(ended: () => void): Interrupts {
  const stop = new AbortController();
  const abandon = new AbortController();
  const hear = (): void => {
    if (!stop.signal.aborted) {
      stop.abort();
      return;
    }
    abandon.abort();
    ended();
    process.exit(1);
  };
  process.on("SIGINT", hear);
  process.on("SIGTERM", hear);
  return {
    ...{ stop: stop.signal, abandon: abandon.signal },
    off() {
      process.off("SIGINT", hear);
      process.off("SIGTERM", hear);
    },
  };
}
