/** Called with a name at every point of a money path where a crash would be interesting. */
export type Steps = (name: string) => void;

/** The steps of a process nobody wants to kill. */
export const noSteps: Steps = () => {};

/**
 * Kills the process, as `kill -9` would, when it reaches the named step for the first time. Set by `LONGARM_CRASH_AT`, for tests:
 * a process started again without it goes on.
 */
export function crashAt(wanted: string, kill: () => void): Steps {
  return (name) => {
    if (name === wanted) kill();
  };
}
