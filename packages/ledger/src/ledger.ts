import type { AccountAddress } from "./rules/address.ts";
import {
  CorrectCommand,
  HoldCommand,
  PostCommand,
  parseCommand,
  TransferCommand,
  VoidCommand,
} from "./rules/commands.ts";
import type { Done, Refused } from "./rules/outcome.ts";
import { isLedgerProblem, refuse } from "./rules/outcome.ts";
import type { Account, Hold, RawHold, RawTransfer, Statement, Transfer } from "./rules/records.ts";
import { toHold, toTransfer } from "./rules/records.ts";
import * as reads from "./store/reads.ts";
import type { LedgerSource, Run } from "./store/source.ts";
import { runnerOf } from "./store/source.ts";

export type { Breach, StatementPage } from "./store/reads.ts";
export type { LedgerSource } from "./store/source.ts";

/** The double-entry record of every move of money. Refusals are answers; only bugs and outages throw. */
export interface Ledger {
  /** The same ledger inside the caller's transaction: what it does is committed, or not, with everything else in there. */
  within(transaction: LedgerSource): Ledger;
  /** Refuses with: request.malformed, transfer.amount_outside_limits, transfer.id_conflict, wallet.insufficient_funds. */
  transfer(command: TransferCommand): Promise<Done<{ transfer: Transfer }> | Refused>;
  /** Refuses as `transfer` does. A replay returns the hold as it is now, perhaps resolved. */
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
  /** In the order of the addresses. */
  accounts(addresses: readonly AccountAddress[]): Promise<Account[]>;
  /** Newest first, by pages. */
  statement(address: AccountAddress, page?: reads.StatementPage): Promise<Statement>;
  /** Open holds that take from the account or would give to it, oldest first. */
  holdsOf(address: AccountAddress): Promise<Hold[]>;
  findTransfer(id: string): Promise<Transfer | undefined>;
  findHold(id: string): Promise<Hold | undefined>;
  /**
   * Checks everything that must always hold: the sum of all accounts is zero, balances are the sums of their postings,
   * held is the sum of open holds, no player is below zero. An empty list: no breach. Reads all rows, so
   * open a database with a long `statementTimeoutMs` for it when the ledger is large.
   */
  verify(): Promise<reads.Breach[]>;
}

/** Opens the ledger on a database that has `ledgerMigrations`. Each move of money is one call of one SQL function. */
export function openLedger(source: LedgerSource): Ledger {
  const run = runnerOf(source);
  return {
    within: openLedger,
    async transfer(input) {
      const read = parseCommand(TransferCommand, input);
      if (read.is === "refused") return read;
      const { id, kind, from, to, amountMinor, about } = read.command;
      const sql = "select * from ledger.transfer($1, $2, $3, $4, $5, $6)";
      return transferOutcome(await call(run, sql, [id, kind, from, to, amountMinor, JSON.stringify(about)]));
    },
    async hold(input) {
      const read = parseCommand(HoldCommand, input);
      if (read.is === "refused") return read;
      const { id, kind, from, to, amountMinor, about } = read.command;
      const sql = "select * from ledger.hold($1, $2, $3, $4, $5, $6)";
      return holdOutcome(await call(run, sql, [id, kind, from, to, amountMinor, JSON.stringify(about)]));
    },
    async post(heldId, input) {
      const read = parseCommand(PostCommand, { ...input, holdId: heldId });
      if (read.is === "refused") return read;
      const { holdId, amountMinor, id, about } = read.command;
      const sql = "select * from ledger.post($1, $2, $3, $4)";
      return transferOutcome(await call(run, sql, [holdId, amountMinor, id ?? holdId, JSON.stringify(about)]));
    },
    async void(holdId, reason) {
      const read = parseCommand(VoidCommand, { holdId, reason });
      if (read.is === "refused") return read;
      return holdOutcome(await call(run, "select * from ledger.void($1, $2)", [holdId, reason]));
    },
    async correct(input) {
      const read = parseCommand(CorrectCommand, input);
      if (read.is === "refused") return read;
      const { id, transferId, amountMinor, reason, actor, about } = read.command;
      const kept = JSON.stringify({ ...about, correctionOf: transferId, reason, actor });
      const sql = "select * from ledger.correct($1, $2, $3, $4)";
      return transferOutcome(await call(run, sql, [id, transferId, amountMinor ?? null, kept]));
    },
    account: async (address) => (await reads.accounts(run, [address]))[0] ?? reads.emptyAccount(address),
    accounts: (addresses) => reads.accounts(run, addresses),
    statement: (address, page = {}) => reads.statement(run, address, page),
    holdsOf: (address) => reads.holdsOf(run, address),
    findTransfer: (id) => reads.findTransfer(run, id),
    findHold: (id) => reads.findHold(run, id),
    verify: () => reads.breaches(run),
  };
}

type Answer<Raw> = { problem: string | null; replayed: boolean; record: Raw };

/** Calls one SQL function: it returns a record, or refuses with a name. */
async function call<Raw>(run: Run, sql: string, parameters: readonly unknown[]): Promise<Answer<Raw> | Refused> {
  const [answer] = await run<Answer<Raw>>(sql, parameters);
  if (!answer) throw new Error("the ledger's function returned no row");
  if (answer.problem === null) return answer;
  if (!isLedgerProblem(answer.problem))
    throw new Error(`the database refused with an unknown problem: ${answer.problem}`);
  return refuse(answer.problem);
}

function transferOutcome(answer: Answer<RawTransfer> | Refused): Done<{ transfer: Transfer }> | Refused {
  if ("is" in answer) return answer;
  return { is: "done", replayed: answer.replayed, transfer: toTransfer(answer.record) };
}

function holdOutcome(answer: Answer<RawHold> | Refused): Done<{ hold: Hold }> | Refused {
  if ("is" in answer) return answer;
  return { is: "done", replayed: answer.replayed, hold: toHold(answer.record) };
}
