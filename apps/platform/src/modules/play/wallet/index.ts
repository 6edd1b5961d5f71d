export { balancesOf } from "./balance.ts";
export { EventWaits } from "./event-waits.ts";
export { MONEY_STEPS, type MoneyStep } from "./money-steps.ts";
export { markLeftUnknown, markUnknownOf, recoverTransfer, resolveBrokenOff } from "./recover.ts";
export { decidedLately, ownRecovery } from "./transfer.ts";
export { gameTransferId, handPayTransferId, newTransferId } from "./transfer-id.ts";
export { type CashInCommand, type MoneyCommand, type MoneyOutcome, Wallet } from "./wallet.ts";
