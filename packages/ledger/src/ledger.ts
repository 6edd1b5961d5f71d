import type { AccountAddress } from "./rules/address.ts";
import type { CorrectCommand, HoldCommand, PostCommand, TransferCommand } from "./rules/commands.ts";
import type { Done, Refused } from "./rules/outcome.ts";
import type { Account, Hold, Statement, Transfer } from "./rules/records.ts";
import * as moves from "./store/moves.ts";
import * as reads from "./store/reads.ts";
import type { LedgerSource } from "./store/source.ts";
import { runnerOf } from "./store/source.ts";

export type { Breach, StatementPage } from "./store/reads.ts";
export type { LedgerSource } from "./store/source.ts";

/** The double-entry record of every move of money. Refusals are answers; only bugs and outages throw. */
export interface Ledger {
  /** The same ledger inside the caller's transaction: what it does is committed, or not, with everything else in there. */
  within(transaction: LedgerSource): Ledger;
  /** Refuses with: request.malformed, transfer.amount_outside_limits, transfer.id_conflict, wallet.insufficient_funds. */
  transfer(command: TransferCommand): Promise<Done<{ transfer: Transfer }> | Refused>;
  /** Refuses as `transfer` does. A replay tells the hold as it is now, perhaps resolved. */
  hold(command: HoldCommand): Promise<Done<{ hold: Hold }> | Refused>;
  /**
   * Resolves a hold with all or a part of it; the rest is free again. Refuses with: request.malformed,
   * transfer.amount_outside_limits, hold.unknown, hold.already_void, hold.already_posted, hold.amount_exceeded,
   * transfer.id_conflict.
   */
  post(holdId: string, command: Omit<PostCommand, "holdId">): Promise<Done<{ transfer: Transfer }> | Refused>;
  /** Frees a hold. Voiding a void one is a replay. Refuses with: request.malformed, hold.unknown, hold.already_posted. */
  void(holdId: string, reason: string): Promise<Done<{ hold: Hold }> | Refused>;
  /**
   * Moves back what a transfer moved by mistake, all or a part, by a new transfer. Refuses with: request.malformed,
   * transfer.amount_outside_limits, transfer.id_conflict, transfer.unknown, transfer.corrected, wallet.insufficient_funds.
   */
  correct(command: CorrectCommand): Promise<Done<{ transfer: Transfer }> | Refused>;
  account(address: AccountAddress): Promise<Account>;
  /** In the order asked. */
  accounts(addresses: readonly AccountAddress[]): Promise<Account[]>;
  /** Newest first, by pages. */
  statement(address: AccountAddress, page?: reads.StatementPage): Promise<Statement>;
  /** Open holds that take from the account or would give to it, oldest first. */
  holdsOf(address: AccountAddress): Promise<Hold[]>;
  findTransfer(id: string): Promise<Transfer | undefined>;
  findHold(id: string): Promise<Hold | undefined>;
  /**
   * Checks everything that must always hold: the sum of all accounts is zero, balances are the sums of their postings,
   * held is the sum of open holds, no player is below zero. An empty list: all is well. Reads all rows, so
   * open a database with a long `statementTimeoutMs` for it when the ledger is large.
   */
  verify(): Promise<reads.Breach[]>;
}

/** Opens the ledger on a database that has `ledgerMigrations`. */
export function openLedger(source: LedgerSource): Ledger {
  const run = runnerOf(source);
  return {
    within: openLedger,
    transfer: (command) => moves.transfer(run, command),
    hold: (command) => moves.hold(run, command),
    post: (holdId, command) => moves.post(run, { ...command, holdId }),
    void: (holdId, reason) => moves.voidHold(run, holdId, reason),
    correct: (command) => moves.correct(run, command),
    account: async (address) => (await reads.accounts(run, [address]))[0] ?? reads.emptyAccount(address),
    accounts: (addresses) => reads.accounts(run, addresses),
    statement: (address, page = {}) => reads.statement(run, address, page),
    holdsOf: (address) => reads.holdsOf(run, address),
    findTransfer: (id) => reads.findTransfer(run, id),
    findHold: (id) => reads.findHold(run, id),
    verify: () => reads.breaches(run),
  };
}
