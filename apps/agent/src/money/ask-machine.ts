import type { EgmMoneyAnswer, MoneyRefusal } from "@longarm/contract/agent-link";
import type { TransferOutcome } from "../journal/records.ts";
import type { TransferEntry } from "../journal/state.ts";
import type { Egm, EgmRefusal, EgmTransferAnswer } from "../ports/egm.ts";

/** What came of a transfer: decided for ever, or not known yet. */
export type Decision = TransferOutcome | "unknown";

/** What a player is answered when the machine refuses for one of its reasons. */
export const refusalOfMachine = {
  unknownButton: "other",
  outOfService: "attendant",
  disabled: "attendant",
  locked: "attendant",
  doorOpen: "attendant",
  tilt: "attendant",
  handPay: "attendant",
  inGame: "inGame",
  tooSoon: "busy",
  noCredit: "nothingToPay",
  stakeAboveLimit: "amountOutsideLimits",
  stakeChanged: "other",
  atLimit: "amountOutsideLimits",
  badAmount: "amountOutsideLimits",
  badId: "other",
  overLimit: "amountOutsideLimits",
  idInUse: "idConflict",
  nothingToPay: "nothingToPay",
} as const satisfies Record<EgmRefusal, MoneyRefusal>;

/** A decision as the platform hears it: a refusal with its kind. The journal keeps the machine's own reason, so an old entry gets one too. */
export function withRefusal(outcome: TransferOutcome): EgmMoneyAnswer {
  if (outcome.outcome !== "refused") return outcome;
  const { reason = "" } = outcome;
  const refusal = Object.hasOwn(refusalOfMachine, reason) ? refusalOfMachine[reason as EgmRefusal] : "other";
  return { ...outcome, refusal };
}

/** Asks the machine to move the money. Silence and nonsense are *unknown*, never "no". */
export async function askMachine(egm: Egm, entry: TransferEntry): Promise<Decision> {
  try {
    return decisionOf(await order(egm, entry));
  } catch {
    return "unknown";
  }
}

function order(egm: Egm, { id, direction, amount }: TransferEntry): Promise<EgmTransferAnswer> {
  const order = { transferId: id, ...(amount === null ? {} : { amount }) };
  return direction === "cashIn" ? egm.cashIn({ transferId: id, amount: amount ?? 0 }) : egm.cashOut(order);
}

function decisionOf(answer: EgmTransferAnswer): Decision {
  if (answer.outcome === "pending") return "unknown";
  if (answer.outcome === "done") return { outcome: "done", amount: answer.amount };
  // The machine knows this id with another content: only its own record can say what moved under it.
  if (answer.reason === "idInUse") return "unknown";
  return { outcome: "refused", amount: 0, reason: answer.reason };
}

/**
 * Reads the machine's own record of an intent we may have sent. "Never seen" decides it as refused: this agent alone orders transfers, it
 * orders none while an intent is open, so the record (127 transfers and more) cannot have lost it.
 */
export async function readDecision(egm: Egm, id: string): Promise<Decision> {
  try {
    const record = await egm.transfer(id);
    if (record.state === "done") return { outcome: "done", amount: record.amount };
    if (record.state === "refused") return { outcome: "refused", amount: 0, reason: record.reason };
    return record.state === "pending"
      ? "unknown"
      : { outcome: "refused", amount: 0, reason: "never reached the machine" };
  } catch {
    return "unknown";
  }
}
