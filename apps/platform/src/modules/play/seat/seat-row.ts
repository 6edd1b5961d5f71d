import { machineAccount } from "@longarm/ledger/rules/address";
import type { Selectable } from "kysely";
import { sql } from "kysely";
import type { PlayTables, PlayTransaction } from "../tables.ts";
import type { SeatFacts } from "./home-state.ts";
import { isClosed, isReachable, reservedFor } from "./machine-facts.ts";
import type { StatusFacts } from "./machine-status.ts";

/** The facts of a seat, and what staff wants of its machine. */
export type SeatFactsNow = SeatFacts & Pick<StatusFacts, "closed" | "reservedFor">;

export type SeatRow = Selectable<PlayTables["seat"]>;

/** Locks the seat until the transaction ends: whoever changes a machine's seat, money or history takes this lock first. */
export async function lockSeat(trx: PlayTransaction, machineId: string): Promise<SeatRow | undefined> {
  return await trx.selectFrom("seat").selectAll().where("machine_id", "=", machineId).forUpdate().executeTakeFirst();
}

/** The facts that stand elsewhere than in the seat's row. */
export type MachineFacts = Omit<SeatFactsNow, "holder" | "ending">;

/** Reads what the state depends on; to be called under the seat's lock, in a statement of its own. */
export async function readFacts(trx: PlayTransaction, machineId: string): Promise<MachineFacts> {
  const found = await trx
    .selectFrom("machine as m")
    .select([
      "m.meters",
      "m.lockup",
      isReachable().as("agent"),
      isClosed().as("closed"),
      reservedFor().as("reservedFor"),
      sql<boolean>`exists (select from machine_transfer t where t.machine_id = m.id and t.state = 'unknown')`.as(
        "unknown",
      ),
      // With the rest: one statement for all of it.
      sql<number>`coalesce((select balance_minor from ledger.accounts where address = ${machineAccount(machineId)}), 0)`.as(
        "credit",
      ),
    ])
    .where("m.id", "=", machineId)
    .executeTakeFirstOrThrow();
  return {
    agent: found.agent,
    unknownTransfer: found.unknown,
    credit: found.credit,
    meters: found.meters,
    closed: found.closed,
    reservedFor: found.reservedFor,
  };
}
