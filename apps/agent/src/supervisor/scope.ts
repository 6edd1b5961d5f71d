/** Owns timers, loops and devices; they end with it, in reverse order. */
export interface Scope {
  /** Call it on the line after the resource is made. A scope that has ended calls `end` at once. */
  onEnd(end: () => void | Promise<void>): void;
  readonly ended: boolean;
  /** Resolves when everything has ended; an `end` that fails does not prevent the others. */
  end(): Promise<void>;
}

/** `problem` is called with each failure of an `end`. */
export function createScope(problem: (error: unknown) => void): Scope {
  const ends: (() => void | Promise<void>)[] = [];
  let ending: Promise<void> | undefined;

  async function quietly(end: () => void | Promise<void>): Promise<void> {
    try {
      await end();
    } catch (error) {
      problem(error);
    }
  }

  async function endAll(): Promise<void> {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await quietly(end);
  }

  return {
    get ended() {
      return ending !== undefined;
    },
    onEnd: (end) => {
      if (ending === undefined) ends.push(end);
      else void quietly(end);
    },
    end: () => {
      ending ??= endAll();
      return ending;
    },
  };
}
