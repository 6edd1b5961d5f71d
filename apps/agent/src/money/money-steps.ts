import { channel } from "node:diagnostics_channel";

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

/** Called as each step is reached. */
export type Steps = (name: MoneyStep) => void | Promise<void>;

/** Diagnostics channel with `{ name }` for each step of a money command. Without a subscriber it costs a look. */
export const MONEY_CHANNEL = "longarm.money";

const money = channel(MONEY_CHANNEL);

/** The steps of a whole agent process, for tracers that its operator loads with `node --import`. */
export const publishStep: Steps = (name) => money.publish({ name });
