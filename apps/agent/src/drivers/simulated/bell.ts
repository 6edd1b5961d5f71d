/** One listener at most; a new one replaces the last. */
export type Bell = { ring(): void; listen(listener: () => void): () => void };

export function bell(): Bell {
  let current: (() => void) | null = null;
  return {
    ring: () => current?.(),
    listen(listener) {
      current = listener;
      return () => {
        if (current === listener) current = null;
      };
    },
  };
}
