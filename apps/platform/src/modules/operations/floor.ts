import { MACHINE_STATUS } from "@longarm/contract/machine";
import type { Kysely } from "kysely";
import { canBeAsked } from "../../play-base/machine-reach.ts";
import type { PlayTables } from "../../play-tables.ts";
import { machineStatus } from "../seats/index.ts";

/** A machine as staff sees it. */
export type FloorRow = {
  readonly id: string;
  readonly name: string;
  readonly status: keyof typeof MACHINE_STATUS;
  /** State of its seat. */
  readonly state: string;
  /** Who has the seat. */
  readonly player: string | null;
  /** Why it cannot be played, as it says itself. */
  readonly lockup: string | null;
  /** Its agent's link lives, and it answers its agent. */
  readonly answers: boolean;
  /** On its credit meter as it last told, minor units. */
  readonly credit: number;
};

/** All machines, by id. */
export async function listFloor(db: Kysely<unknown>): Promise<FloorRow[]> {
  const rows = await db
    .withTables<PlayTables & { player: { id: string; username: string } }>()
    .selectFrom("machine as m")
    .innerJoin("seat as s", "s.machine_id", "m.id")
    .leftJoin("player as p", "p.id", "s.player_id")
    .select(["m.id", "m.facts", "m.meters", "m.lockup", "s.state", "s.holder_socket", "p.username"])
    .select(canBeAsked().as("answers"))
    .orderBy("m.id")
    .execute();
  return rows.map(({ id, facts, meters, lockup, state, holder_socket, username, answers }) => {
    const shown = machineStatus({ state, meters, agent: answers, holder: holder_socket !== null });
    const status = STATUSES.find((name) => MACHINE_STATUS[name] === shown) ?? "notAvailable";
    return { id, name: facts.name, status, state, player: username, lockup, answers, credit: meters.credit };
  });
}

const STATUSES = Object.keys(MACHINE_STATUS) as (keyof typeof MACHINE_STATUS)[];
