import { MACHINE_STATUS } from "@longarm/contract/lobby-lists";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { usernameOf } from "../../players/accounts/index.ts";
import type { ControlTables, MachineMode } from "../control/index.ts";
import { isClosed, isInService, isReachable, machineStatus, reservedFor, reservedUntil } from "../seat/index.ts";

/** A machine as staff sees it. */
export type FloorRow = {
  readonly id: string;
  readonly name: string;
  /** Its driver simulates it. */
  readonly simulated: boolean;
  readonly status: keyof typeof MACHINE_STATUS;
  /** State of its seat. */
  readonly state: string;
  /** Who has the seat. */
  readonly player: string | null;
  /** Why it cannot be played, as it says itself. */
  readonly lockup: string | null;
  /** Its agent's link lives, and it answers its agent. */
  readonly answers: boolean;
  /** What staff wants of it. */
  readonly mode: MachineMode;
  /** Whom it is kept for, and until when (ISO 8601). */
  readonly reservedFor: string | null;
  readonly reservedUntil: string | null;
  /** On its credit meter as it last reported, minor units. */
  readonly credit: number;
  /** Differences to the ledger that a person must explain before anybody new sits down. */
  readonly differences: number;
};

/** All machines in service, by id. */
export async function listFloor(db: Kysely<unknown>): Promise<FloorRow[]> {
  const rows = await db
    .withTables<ControlTables>()
    .selectFrom("machine as m")
    .innerJoin("seat as s", "s.machine_id", "m.id")
    .leftJoin("machine_control as c", "c.machine_id", "m.id")
    .select(["m.id", "m.facts", "m.meters", "m.lockup", "s.state", "s.holder_socket"])
    .select([
      usernameOf<string | null>("s.player_id").as("username"),
      usernameOf<string | null>(reservedFor()).as("reservedName"),
    ])
    .select("c.mode")
    .select([isReachable().as("answers"), isClosed().as("closed"), reservedFor().as("reservedFor")])
    .select(reservedUntil().as("reservedUntil"))
    .select(
      sql<number>`(select count(*) from discrepancy d where d.machine_id = m.id and d.explained_at is null)`.as(
        "differences",
      ),
    )
    .where(isInService())
    .orderBy("m.id")
    .execute();
  return rows.map((row) => {
    const { id, facts, meters, lockup, state, username, answers } = row;
    const shown = machineStatus({ ...row, agent: answers, holder: row.holder_socket !== null });
    const status = STATUSES.find((name) => MACHINE_STATUS[name] === shown) ?? "notAvailable";
    const kept = row.reservedFor !== null;
    return {
      ...{ id, name: facts.name, status, state, player: username, lockup, answers, credit: meters.credit },
      ...{ mode: row.mode ?? "open", differences: row.differences },
      simulated: facts.simulated === true,
      reservedFor: kept ? row.reservedName : null,
      reservedUntil: row.reservedUntil?.toISOString() ?? null,
    };
  });
}

const STATUSES = Object.keys(MACHINE_STATUS) as (keyof typeof MACHINE_STATUS)[];
