import type { Balance } from "@longarm/contract/notification-socket";
import { askedTogether } from "@longarm/database/asked-together";
import type { Agents } from "../agents/index.ts";
import type { PlayDeps } from "../deps.ts";
import type { Seats } from "../seat/index.ts";
import { balancesOf } from "./balance.ts";
import type { CashInCommand, MoneyCommand } from "./cash-in.ts";
import { cashIn } from "./cash-in.ts";
import { cashOut, cashOutAll } from "./cash-out.ts";
import { EventWaits } from "./event-waits.ts";
import { tieLooseEnds } from "./loose-ends.ts";
import { markLeftUnknown, markUnknownOf, recoverTransfer } from "./recover.ts";
import type { MoneyOutcome } from "./run-transfer.ts";
import { decidedLately, openTransferOf } from "./transfer-row.ts";

export { balancesOf } from "./balance.ts";
export type { CashInCommand, MoneyCommand } from "./cash-in.ts";
export { EventWaits } from "./event-waits.ts";
export { MONEY_STEPS, type MoneyStep } from "./money-steps.ts";
export { takeCareOf } from "./recovery-row.ts";
export type { MoneyOutcome } from "./run-transfer.ts";
export { gameTransferId, handPayTransferId } from "./transfer-id.ts";

/** Money between wallets and machines. Refusals of state come as `Refusal` of the seats. */
export interface Wallet {
  balanceOf(playerId: string): Promise<Balance>;
  /** `mayBegin`: whether a command that is not known yet may begin. */
  cashIn(command: CashInCommand, mayBegin: () => Promise<boolean>): Promise<MoneyOutcome>;
  cashOut(command: MoneyCommand): Promise<MoneyOutcome>;
  /** Everything on the machine, for a play session that ends; null: not now. */
  cashOutAll(machineId: string, id: string): Promise<MoneyOutcome | null>;
  /** True while the outcome of a transfer of the machine is open. */
  isAsking(machineId: string): Promise<boolean>;
  /** True when nothing of the machine is unknown any more. */
  recover(machineId: string): Promise<boolean>;
  /** What became of the transfers that a page of this machine may still wait for. */
  decidedLately(machineId: string): ReturnType<typeof decidedLately>;
  /** What a former life of this node was asking is unknown now. */
  markOwnUnknown(): Promise<void>;
  /** What nodes that have ended were asking is unknown now. */
  nodesEnded(nodeIds: readonly string[]): Promise<void>;
  /** What nodes that are gone were asking is unknown now. */
  markLeftUnknown(): Promise<void>;
  /** The same for what broke off on this node, as soon as the database can be asked. */
  tieLooseEnds(): Promise<void>;
}

export function createWallet(deps: PlayDeps, seats: Seats, agents: Agents): Wallet {
  const parts = { deps, seats, agents, waits: new EventWaits(deps.clock), ends: new Map() };
  return {
    balanceOf: askedTogether((playerIds) => balancesOf(deps.pool, playerIds)),
    cashIn: (command, mayBegin) => cashIn(parts, command, mayBegin),
    cashOut: (command) => cashOut(parts, command),
    cashOutAll: (machineId, id) => cashOutAll(parts, machineId, id),
    isAsking: async (machineId) => (await openTransferOf(deps.db, machineId)) !== undefined,
    recover: (machineId) => recoverTransfer(parts, machineId),
    decidedLately: (machineId) => decidedLately(deps.db, machineId),
    markOwnUnknown: () => markUnknownOf(parts, [deps.config.play.NODE_ID]),
    nodesEnded: (nodeIds) => markUnknownOf(parts, nodeIds),
    markLeftUnknown: () => markLeftUnknown(parts),
    tieLooseEnds: () => tieLooseEnds(parts),
  };
}
