import { machineAccount } from "@longarm/ledger/rules/address";
import type { Transaction } from "kysely";
import { sql } from "kysely";
import { lockSeat } from "../seat/index.ts";
import type { LifeTables } from "./tables.ts";

/**
 * Whether nothing of a machine is open, so that it may leave or lose its memory: no player, no money under way, nothing owed, nothing in the
 * ledger's account of it and nothing to explain. Locks its seat until the transaction ends; a machine that was never here has none.
 * @returns why not, as a sentence; null: it is at rest.
 */
export async function isQuietAtRest(trx: Transaction<LifeTables>, machineId: string): Promise<string | null> {
  const seat = await lockSeat(trx, machineId);
  if (seat === undefined) return null;
  if (seat.state !== "free") return `A play session runs at ${machineId}: drain it first.`;
  const { rows } = await sql<{ open: boolean; owed: boolean; balance: number; differs: boolean; clears: boolean }>`
    select exists (select from machine_transfer where machine_id = ${machineId} and state in ('asking', 'unknown')) as open,
      exists (select from hand_pay where machine_id = ${machineId} and confirmed_at is null) as owed,
      coalesce((select balance_minor from ledger.accounts where address = ${machineAccount(machineId)}), 0) as balance,
      exists (select from discrepancy where machine_id = ${machineId} and explained_at is null) as differs,
      exists (select from ram_clear where machine_id = ${machineId} and state = 'waiting') as clears`.execute(trx);
  const [now] = rows;
  if (now === undefined) throw new Error("a statement without a table answers one row");
  if (now.open) return `A transfer with ${machineId} is not decided.`;
  if (now.owed) return `${machineId} owes a hand pay.`;
  if (now.differs) return `${machineId} has a discrepancy to explain.`;
  if (now.balance !== 0) return `The ledger has credits at ${machineId}: they go home or are explained first.`;
  return now.clears ? `A RAM clear of ${machineId} waits for the machine.` : null;
}
