import { createSerial } from "./serial.ts";

/**
 * One machine does one thing at a time: a wager never starts between the start and the end of a money command. Money announces
 * itself when it is asked for, so that presses give way at once instead of waiting.
 */
export interface Turns {
  /** Runs when everything asked before has ended. */
  money<T>(run: () => Promise<T>): Promise<T>;
  press<T>(run: () => Promise<T>): Promise<T>;
  /** A money command waits or runs. */
  moneyAsked(): boolean;
  /** Presses that wait or run. */
  pressCount(): number;
  /** Resolves when all that was asked so far has ended. */
  idle(): Promise<void>;
}

export function createTurns(): Turns {
  const queue = createSerial();
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
    moneyAsked: () => money > 0,
    pressCount: () => presses,
    idle: () => queue(async () => undefined),
  };
}
