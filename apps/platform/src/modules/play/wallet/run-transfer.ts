import type { EgmMoneyAnswer, MoneyRefusal } from "@longarm/contract/agent-link";
import type { Problem, ProblemName } from "@longarm/contract/problems";
import type { AgentAnswer, Agents } from "../agents/index.ts";
import type { PlayDeps } from "../deps.ts";
import type { Seats } from "../seat/index.ts";
import type { KnownOutcome } from "./decide-transfer.ts";
import { decideTransfer, LedgerBroken, markUnknown, NotExplained } from "./decide-transfer.ts";
import type { EventWaits } from "./event-waits.ts";
import type { LooseEnds } from "./loose-end.ts";
import type { MoneyStep } from "./money-steps.ts";
import type { TransferRow } from "./transfer-row.ts";

/** What a money command comes to. `unknown` is decided later and then told. */
export type MoneyOutcome =
  | { readonly is: "done"; readonly amount: number }
  | { readonly is: "unknown" }
  | { readonly is: "refused"; readonly problem: Problem };

export type TransferParts = {
  readonly deps: PlayDeps;
  readonly seats: Seats;
  readonly agents: Agents;
  readonly waits: EventWaits;
  readonly ends: LooseEnds;
};
export type TransferHead = Pick<TransferRow, "id" | "machine_id" | "epoch" | "direction" | "asked">;

/**
 * Asks the machine for a transfer that is written down, and books what it says. Silence, a lost link and a crash anywhere leave the
 * transfer open, and `recoverTransfer` finishes it.
 */
export async function runTransfer(parts: TransferParts, transfer: TransferHead): Promise<MoneyOutcome> {
  const end = parts.deps.numbers?.begin(transfer.direction);
  const outcome = await askAndBook(parts, transfer);
  end?.(outcome.is);
  return outcome;
}

async function askAndBook({ deps, seats, agents, ends }: TransferParts, transfer: TransferHead): Promise<MoneyOutcome> {
  const step = (name: "intentStored" | "asked" | "answered" | "posted"): void =>
    deps.steps(`${transfer.direction}.${name}` satisfies MoneyStep);
  step("intentStored");
  const asking = agents.request(transfer.direction === "cashIn" ? "egm.cashIn" : "egm.cashOut", {
    machineId: transfer.machine_id,
    epoch: transfer.epoch,
    transferId: transfer.id,
    ...(transfer.asked === null ? {} : { amount: transfer.asked }),
  });
  step("asked");
  const known = outcomeOf(await asking);
  step("answered");
  const decided = known && (await bookOutcome(deps, seats, transfer, known));
  if (decided === undefined) return await leaveUnknown({ deps, seats, ends }, transfer);
  step("posted");
  if (decided.state === "refused") {
    const { id: transferId, machine_id: machineId, direction, reason } = decided;
    deps.log.warn({ transferId, machineId, direction, reason }, "a transfer was refused");
  }
  return moneyOutcome(decided);
}

/** Undefined: it is not booked. The machine may have moved the money all the same, so that is never told as a no. */
async function bookOutcome(
  deps: PlayDeps,
  seats: Seats,
  transfer: TransferHead,
  known: KnownOutcome,
): Promise<TransferRow | undefined> {
  try {
    return await decideTransfer(deps, seats, transfer, known);
  } catch (error) {
    if (error instanceof NotExplained) return undefined;
    const alarm = error instanceof LedgerBroken && { alarm: "transfer" };
    deps.log.error({ err: error, ...alarm, transferId: transfer.id }, "an outcome could not be booked");
    return undefined;
  }
}

/** While the database cannot be asked the transfer stays *asking*: a loose end until it can be marked. */
async function leaveUnknown(
  { deps, seats, ends }: Pick<TransferParts, "deps" | "seats" | "ends">,
  { id: transferId, machine_id: machineId }: TransferHead,
): Promise<MoneyOutcome> {
  try {
    await seats.within(machineId, (seat) => markUnknown(seat, transferId, deps.config.play.NODE_ID));
  } catch (error) {
    deps.log.error({ err: error, transferId }, "a transfer could not be marked as unknown yet");
    ends.set(transferId, { machineId, transferId, told: null });
  }
  return { is: "unknown" };
}

/** Refusals of the link that prove that the command reached no machine. An agent's own no comes as an outcome. */
const notAsked: Readonly<Partial<Record<ProblemName, MoneyRefusal>>> = {
  "machine.unreachable": "unreachable",
  "request.malformed": "other",
  "request.too_many": "busy",
  "seat.stale_epoch": "staleEpoch",
};

/**
 * What an agent's answer proves; undefined: nothing. An agent that failed over the command, or knows its id with another content,
 * may have moved the money before: then the machine's record tells.
 */
function outcomeOf(answer: AgentAnswer<EgmMoneyAnswer>): KnownOutcome | undefined {
  if (answer.is === "nobody") return { is: "refused", refusal: "unreachable", reason: "machine unreachable" };
  if (answer.is === "refused") {
    const { name, reason } = answer.refusal;
    const refusal = name && notAsked[name];
    return refusal && { is: "refused", refusal, reason: `${name}: ${reason}` };
  }
  if (answer.is === "unknown" || answer.data.outcome === "unknown") return undefined;
  const { outcome, amount, refusal = "other", reason = "refused" } = answer.data;
  return outcome === "done" ? { is: "done", amount } : { is: "refused", refusal, reason };
}

/** The outcome of a row, for the first request and every repeat. The agent's sentence is for the log: it may name what is the venue's alone. */
export function moneyOutcome(row: TransferRow): MoneyOutcome {
  if (row.state === "done") return { is: "done", amount: row.amount };
  if (row.state !== "refused") return { is: "unknown" };
  return { is: "refused", problem: problemOf(row.refusal) };
}

const BUSY_SECONDS = 5;

const problemOfRefusal = {
  unreachable: { name: "machine.unreachable" },
  staleEpoch: { name: "seat.stale_epoch" },
  inGame: { name: "game.in_progress" },
  beingChecked: { name: "transfer.being_checked" },
  amountOutsideLimits: { name: "transfer.amount_outside_limits" },
  nothingToPay: { name: "transfer.nothing_to_pay" },
  idConflict: { name: "transfer.id_conflict" },
  attendant: { name: "machine.locked" },
  agentFault: { name: "transfer.refused" },
  busy: { name: "request.too_many", params: { seconds: BUSY_SECONDS } },
  other: { name: "transfer.refused" },
} as const satisfies Record<MoneyRefusal, Problem>;

/** A node of a newer version may have written a kind that this one does not know. */
function problemOf(refusal: string | null): Problem {
  return refusal !== null && Object.hasOwn(problemOfRefusal, refusal)
    ? problemOfRefusal[refusal as MoneyRefusal]
    : problemOfRefusal.other;
}
