import { machineAccount } from "@longarm/ledger/rules/address";
import { sql } from "kysely";
import { newId } from "../../../random.ts";
import type { PlayDeps } from "../deps.ts";
import type { PlayTransaction } from "../tables.ts";
import type { ComparedLine } from "./compare.ts";
import { noteDifference } from "./note-difference.ts";

type Books = Pick<PlayDeps, "ledger" | "log" | "random">;
/** A seat under its lock, with what this needs of it. */
type SeatOf = {
  readonly trx: PlayTransaction;
  readonly row: { readonly machine_id: string; readonly play_session_id: string | null };
};

export type Clearing = {
  readonly kind: "settle" | "late";
  readonly lines?: readonly ComparedLine[];
  readonly playSessionId?: string | null;
};

/**
 * What the ledger still has on an empty machine goes to suspense, and a person must explain it.
 * @returns the number of the difference; null: there was none.
 */
export async function clearAccount(
  { ledger, log, random }: Books,
  { trx, row: { machine_id: machineId, play_session_id: own } }: SeatOf,
  { kind, lines = [], playSessionId = own }: Clearing,
): Promise<number | null> {
  const books = ledger.within(trx);
  const machine = machineAccount(machineId);
  const { balanceMinor } = await books.account(machine);
  if (balanceMinor === 0) return null;
  const moved = await books.transfer({
    id: newId(random, "su"),
    kind: "suspense",
    ...(balanceMinor > 0 ? { from: machine, to: "suspense" } : { from: "suspense", to: machine }),
    amountMinor: Math.abs(balanceMinor),
    about: {
      machineId,
      ...(playSessionId !== null && { playSessionId }),
      reason:
        kind === "settle" ? "the machine was empty when the play session was settled" : "the machine is free and empty",
      actor: "platform",
    },
  });
  if (moved.is === "refused") throw new Error(`what is left on ${machineId} cannot be booked: ${moved.problem.detail}`);
  return await noteDifference(log, trx, {
    ...{ machineId, playSessionId, kind, ledgerMinor: balanceMinor, machineMinor: 0, transferId: moved.transfer.id },
    about: lines.length > 0 ? { lines } : {},
  });
}

/** The lines of a comparison that do not hold, when no money had to go to suspense for them; the same ones are noted once. */
export async function noteLines(
  { log }: Books,
  { trx, row }: SeatOf,
  lines: readonly ComparedLine[],
): Promise<number | null> {
  const [first] = lines;
  if (first === undefined) return null;
  const kind = lines.every(({ name }) => name === "games") ? "games" : "meters";
  const known = await trx
    .selectFrom("discrepancy")
    .select("id")
    .where("machine_id", "=", row.machine_id)
    .where("kind", "=", kind)
    .where("explained_at", "is", null)
    .where(sql<boolean>`about -> 'lines' = ${JSON.stringify(lines)}::jsonb`)
    .executeTakeFirst();
  if (known !== undefined) return known.id;
  const worst = lines.find(({ name }) => name !== "games") ?? first;
  return await noteDifference(log, trx, {
    ...{ machineId: row.machine_id, playSessionId: row.play_session_id, kind, about: { lines } },
    ...(kind === "games"
      ? { ledgerMinor: 0, machineMinor: 0 }
      : { ledgerMinor: worst.expected, machineMinor: worst.found }),
  });
}
