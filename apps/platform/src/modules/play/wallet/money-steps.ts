/**
 * The steps of both money paths, in their order; `deps.steps` is called as each is reached. A process killed at any of them loses
 * and doubles nothing.
 */
export const MONEY_STEPS = [
  "cashIn.received",
  "cashIn.intentStored",
  "cashIn.asked",
  "cashIn.answered",
  "cashIn.posted",
  "cashOut.received",
  "cashOut.intentStored",
  "cashOut.asked",
  "cashOut.answered",
  "cashOut.posted",
] as const;
export type MoneyStep = (typeof MONEY_STEPS)[number];
