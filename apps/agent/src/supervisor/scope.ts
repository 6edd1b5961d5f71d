/** Owner of timers, pumps and devices; they end with it, the last made first. */
export interface Scope {
  /** Written on the line after the resource, always. A scope that has ended already ends it at once. */
  onEnd(end: () => void | Promise<void>): void;
  readonly ended: boolean;
  /** Resolves when everything has ended; one end that fails does not keep the others. */
  end(): Promise<void>;
}

/** `problem` hears of ends that failed. */
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
