import type { EgmRefusal, EgmTransferAnswer, EgmTransferDirection, EgmTransferRecord } from "../../ports/egm.ts";
import type { MachineState, TransferRecord } from "./memory/state.ts";

/** Minor units. */
export type TransferLimits = {
  minTransfer: number;
  maxTransfer: number;
  creditMax: number;
  denominationMinor: number;
};
export type TransferOrder = { transferId: string; direction: EgmTransferDirection; asked: number | null };

/** The machine's own record of an id. */
export function recordOf(state: MachineState, transferId: string): TransferRecord | undefined {
  const has = (record: TransferRecord): boolean => record.transferId === transferId;
  return state.done.find(has) ?? state.refused.find(has);
}

/** The first answer again. */
export function answerOf(record: TransferRecord, repeated: boolean): EgmTransferAnswer {
  if (record.state === "done") return { outcome: "done", amount: record.amount, repeated };
  return { outcome: "refused", amount: 0, reason: record.reason as EgmRefusal, repeated };
}

export function readRecord(state: MachineState, transferId: string): EgmTransferRecord {
  const record = recordOf(state, transferId);
  if (record === undefined) return { state: "neverSeen", transferId, oldestAt: state.done[0]?.at ?? null };
  const { direction, at } = record;
  const asked = record.asked ?? (record.state === "done" ? record.amount : 0);
  if (record.state === "done") return { state: "done", transferId, direction, asked, amount: record.amount, at };
  return { state: "refused", transferId, direction, asked, amount: 0, reason: record.reason as EgmRefusal, at };
}

/** Refuses what no record may be made of: `badId`, `badAmount`. */
export function malformed(order: TransferOrder): EgmRefusal | null {
  if (!/^[\x20-\x7e]{1,64}$/.test(order.transferId)) return "badId";
  if (order.asked === null) return null;
  return Number.isSafeInteger(order.asked) && order.asked > 0 ? null : "badAmount";
}

function refusal(state: MachineState, order: TransferOrder, limits: TransferLimits): EgmRefusal | null {
  if (state.doorOpen) return "doorOpen";
  if (state.tilt !== null) return "tilt";
  if (state.handPay !== null) return "handPay";
  if (state.game !== null) return "inGame";
  if ((order.asked ?? 0) % limits.denominationMinor !== 0) return "badAmount";
  if (order.direction === "cashOut") return order.asked !== null && state.credit === 0 ? "nothingToPay" : null;
  if (state.disabled) return "disabled";
  if ((order.asked ?? 0) < limits.minTransfer) return "badAmount";
  if ((order.asked ?? 0) > limits.maxTransfer) return "overLimit";
  if (limits.creditMax - state.credit < limits.denominationMinor) return "overLimit";
  return null;
}

/** What becomes of an order now: a record to be made durable. Cash-out moves what there is, cash-in what fits. */
export function decide(state: MachineState, order: TransferOrder, limits: TransferLimits, at: number): TransferRecord {
  const reason = refusal(state, order, limits);
  const head = { ...order, at };
  if (reason !== null) return { ...head, state: "refused", reason };
  const room =
    order.direction === "cashIn" ? limits.creditMax - state.credit : Math.min(state.credit, limits.maxTransfer);
  // What fits in part is whole credits too.
  const whole = room - (room % limits.denominationMinor);
  return { ...head, state: "done", amount: Math.min(order.asked ?? whole, whole) };
}
