/** Runs one piece of work at a time, in the order of the calls; one that fails does not stop the next. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T>;

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/**
 * The agent's lock on one machine: a wager never starts between the start and the end of a money command. Money announces itself when it
 * joins the queue, so that presses are refused at once instead of waiting. A driver has a queue of its own: it also serves the machine's
 * clock and staff, which do not come through the agent.
 */
export interface MachineQueue {
  /** Runs when all earlier work has ended. */
  money<T>(run: () => Promise<T>): Promise<T>;
  press<T>(run: () => Promise<T>): Promise<T>;
  /** A money command waits or runs. */
  hasMoney(): boolean;
  /** Presses that wait or run. */
  pressCount(): number;
  /** Resolves when all earlier work has ended. */
  idle(): Promise<void>;
}

export function createMachineQueue(): MachineQueue {
  const queue = createQueue();
  let money = 0;
  let presses = 0;

  return {
    money: (run) => {
      money += 1;
      return queue(run).finally(() => {
        money -= 1;
      });
    },
    press: (run) => {
      presses += 1;
      return queue(run).finally(() => {
        presses -= 1;
      });
    },
    hasMoney: () => money > 0,
    pressCount: () => presses,
    idle: () => queue(async () => undefined),
  };
}
