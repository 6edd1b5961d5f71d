/** Runs one piece of work at a time, in the order asked; one that fails does not stop the next. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

export function oneAtATime(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** One listener at most; a new one takes the place of the last. */
export type Bell = { ring(): void; listen(listener: () => void): () => void };

export function bell(): Bell {
  let heard: (() => void) | null = null;
  return {
    ring: () => heard?.(),
    listen(listener) {
      heard = listener;
      return () => {
        if (heard === listener) heard = null;
      };
    },
  };
}
