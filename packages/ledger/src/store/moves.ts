import { CorrectCommand, HoldCommand, PostCommand, TransferCommand, VoidCommand } from "../rules/commands.ts";
import type { Done, Refused } from "../rules/outcome.ts";
import { isLedgerProblem, refuse } from "../rules/outcome.ts";
import { parseCommand } from "../rules/parse-command.ts";
import type { Hold, Transfer } from "../rules/records.ts";
import type { RawHold, RawTransfer } from "./rows.ts";
import { toHold, toTransfer } from "./rows.ts";
import type { Run } from "./source.ts";

type Answer<Raw> = { problem: string | null; replayed: boolean; record: Raw };

/** Calls one SQL function: the answer is done with a record, or refused with a name. */
async function call<Raw>(run: Run, sql: string, parameters: readonly unknown[]): Promise<Answer<Raw> | Refused> {
  const [answer] = await run<Answer<Raw>>(sql, parameters);
  if (!answer) throw new Error("the ledger's function gave no row");
  if (answer.problem === null) return answer;
  if (!isLedgerProblem(answer.problem)) throw new Error(`the database refused with an unknown word: ${answer.problem}`);
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

export async function transfer(run: Run, input: TransferCommand): Promise<Done<{ transfer: Transfer }> | Refused> {
  const read = parseCommand(TransferCommand, input);
  if (read.is === "refused") return read;
  const { id, kind, from, to, amountMinor, about } = read.command;
  const sql = "select * from ledger.transfer($1, $2, $3, $4, $5, $6)";
  return transferOutcome(await call(run, sql, [id, kind, from, to, amountMinor, JSON.stringify(about)]));
}

export async function hold(run: Run, input: HoldCommand): Promise<Done<{ hold: Hold }> | Refused> {
  const read = parseCommand(HoldCommand, input);
  if (read.is === "refused") return read;
  const { id, kind, from, to, amountMinor, about } = read.command;
  const sql = "select * from ledger.hold($1, $2, $3, $4, $5, $6)";
  return holdOutcome(await call(run, sql, [id, kind, from, to, amountMinor, JSON.stringify(about)]));
}

export async function post(run: Run, input: PostCommand): Promise<Done<{ transfer: Transfer }> | Refused> {
  const read = parseCommand(PostCommand, input);
  if (read.is === "refused") return read;
  const { holdId, amountMinor, id, about } = read.command;
  const sql = "select * from ledger.post($1, $2, $3, $4)";
  return transferOutcome(await call(run, sql, [holdId, amountMinor, id ?? holdId, JSON.stringify(about)]));
}

export async function voidHold(run: Run, holdId: string, reason: string): Promise<Done<{ hold: Hold }> | Refused> {
  const read = parseCommand(VoidCommand, { holdId, reason });
  if (read.is === "refused") return read;
  return holdOutcome(await call(run, "select * from ledger.void($1, $2)", [holdId, reason]));
}

export async function correct(run: Run, input: CorrectCommand): Promise<Done<{ transfer: Transfer }> | Refused> {
  const read = parseCommand(CorrectCommand, input);
  if (read.is === "refused") return read;
  const { id, transferId, amountMinor, reason, actor, about } = read.command;
  const told = JSON.stringify({ ...about, correctionOf: transferId, reason, actor });
  const sql = "select * from ledger.correct($1, $2, $3, $4)";
  return transferOutcome(await call(run, sql, [id, transferId, amountMinor ?? null, told]));
}
