/** Every step of both money paths, in order; tests stop the agent at each of them. */
export const MONEY_STEPS = [
  "cashIn.received",
  "cashIn.journalled",
  "cashIn.machineDone",
  "cashIn.outcomeJournalled",
  "cashIn.answered",
  "cashOut.received",
  "cashOut.journalled",
  "cashOut.machineDone",
  "cashOut.outcomeJournalled",
  "cashOut.answered",
] as const;
export type MoneyStep = (typeof MONEY_STEPS)[number];

/** Called as each step is reached. In production it does nothing. */
export type Steps = (name: MoneyStep) => void | Promise<void>;
