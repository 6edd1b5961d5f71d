import { channel } from "node:diagnostics_channel";

/** Called with a name at every step of a money command, in the order in which they happen. */
export type MoneyTrace = (name: string) => void;

/** Diagnostics channel with `{ name }` for each step of a money command. Without a subscriber it costs a look. */
export const MONEY_CHANNEL = "longarm.money";

const money = channel(MONEY_CHANNEL);

/** The steps of a whole platform process, for tracers that its operator loads with `node --import`. */
export const publishStep: MoneyTrace = (name) => money.publish({ name });
