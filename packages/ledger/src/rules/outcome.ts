import type { ProblemName } from "@longarm/contract/problems";

/** Refusals that have a code on the wire. */
type WireProblem = Extract<
  ProblemName,
  "wallet.insufficient_funds" | "transfer.amount_outside_limits" | "transfer.id_conflict" | "request.malformed"
>;

/** Refusals that only the platform itself can meet: about holds and transfers that it names. */
type InnerProblem =
  | "hold.unknown"
  | "hold.already_posted"
  | "hold.already_void"
  | "hold.amount_exceeded"
  | "transfer.unknown"
  | "transfer.corrected";

export type LedgerProblemName = WireProblem | InnerProblem;

/**
 * Why the ledger refused, checked in this order: malformed, amount, id known with other content, hold or transfer named
 * unknown or resolved, more than the hold, funds.
 */
export type LedgerProblem = { readonly name: LedgerProblemName; readonly detail: string };

/** An expected refusal. Nothing was changed, and the caller's transaction is as good as before. */
export type Refused = { readonly is: "refused"; readonly problem: LedgerProblem };

/** Done now, or `replayed`: this id had done the same before, and that first result is given again. */
export type Done<Record> = { readonly is: "done"; readonly replayed: boolean } & Record;

const details: Record<LedgerProblemName, string> = {
  "wallet.insufficient_funds": "the account has less than that available",
  "transfer.amount_outside_limits": "the amount must be a whole number of minor units from 1 to 9000000000000",
  "transfer.id_conflict": "this id was used before with another content: make a new id for a new command",
  "request.malformed": "the command is malformed",
  "hold.unknown": "there is no hold of this id",
  "hold.already_posted": "the hold was posted before",
  "hold.already_void": "the hold was voided before",
  "hold.amount_exceeded": "the amount is more than the hold set aside",
  "transfer.unknown": "there is no transfer of this id",
  "transfer.corrected": "earlier corrections have left less than that of the transfer",
};

/** Makes a refusal; `detail` replaces the standing sentence. */
export function refuse(name: LedgerProblemName, detail = details[name]): Refused {
  return { is: "refused", problem: { name, detail } };
}

/** Whether the database's word for a refusal is one we know. */
export function isLedgerProblem(name: string): name is LedgerProblemName {
  return Object.hasOwn(details, name);
}
