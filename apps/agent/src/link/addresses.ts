/** How long one of several addresses may take to shake hands, ms: the next one is waiting. */
export const HANDSHAKE_MS_OF_MANY = 3_000;

/** The addresses of one platform, where it has several. */
export interface Addresses {
  /** Opens the first address that can be opened, beginning behind the one that was opened last: that one was lost. */
  open<T>(open: (url: string) => Promise<T>): Promise<T>;
  /** The address that was opened last; before the first time the first one. */
  current(): string;
}

/** @param urls at least one. */
export function createAddresses(urls: readonly string[]): Addresses {
  let next = 0;
  let current = urls[0] ?? "";
  return {
    async open(open) {
      let failure: unknown = new Error("no address is known");
      for (let tried = 0; tried < urls.length; tried += 1) {
        const url = urls[next] ?? "";
        next = (next + 1) % urls.length;
        try {
          const opened = await open(url);
          current = url;
          return opened;
        } catch (error) {
          failure = error;
        }
      }
      throw failure;
    },
    current: () => current,
  };
}
