import { MACHINE_STATUS } from "@longarm/contract/lobby-lists";
import { LOCKUP_REASONS } from "@longarm/contract/machine";
import type { FloorMachine } from "@longarm/contract/staff-floor";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { usernameOf } from "../../players/accounts/index.ts";
import { stillAt, stillTag } from "../agents/index.ts";
import type { ControlTables, MachineMode } from "../control/index.ts";
import { groupOf } from "../control/index.ts";
import { isClosed, isInService, isReachable, machineStatus, reservedFor, reservedUntil } from "../seat/index.ts";
import { newestDelay } from "../session/index.ts";

type StaffMode = FloorMachine["mode"];
const MODES: Readonly<Record<MachineMode, StaffMode>> = {
  open: "open",
  draining: "drained",
  disabled: "disabled",
  stopped: "stopped",
};

/** A machine of the floor without its tasks, which the staff's side adds. */
export type DeskMachine = Omit<FloorMachine, "needs"> & {
  /** Since when it reports its lockup or does not answer, as far as that is known. */
  readonly since: Date;
  readonly handPay: boolean;
  /** Its agent lives, and it does not answer it. */
  readonly offline: boolean;
  readonly agentId: string;
};

/** Machines as staff sees them, by id; only this one, also when it is retired, or all in service. */
export async function deskFloor(db: Kysely<unknown>, machineId?: string): Promise<DeskMachine[]> {
  return (await floorRows(db, machineId)).map(deskRow);
}

async function floorRows(db: Kysely<unknown>, machineId: string | undefined) {
  return await db
    .withTables<ControlTables>()
    .selectFrom("machine as m")
    .innerJoin("seat as s", "s.machine_id", "m.id")
    .leftJoin("machine_control as c", "c.machine_id", "m.id")
    .select(["m.id", "m.facts", "m.meters", "m.lockup", "m.offline", "m.agent_id", "m.meters_at", "m.last_seen_at"])
    .select(["s.state", "s.holder_socket", "s.player_id", "s.due_at", "c.mode"])
    .select([
      usernameOf<string | null>("s.player_id").as("username"),
      usernameOf<string | null>(reservedFor()).as("reservedName"),
      isReachable().as("answers"),
      isClosed().as("closed"),
      reservedFor().as("reservedFor"),
      reservedUntil().as("reservedUntil"),
      sql<boolean>`exists (select from agent_link l where l.machine_id = m.id and l.lease_until > clock_timestamp())`.as(
        "linked",
      ),
      groupOf().as("group"),
      newestDelay().as("delayMs"),
      stillTag().as("stillTag"),
      stillAt().as("stillAt"),
    ])
    .select([
      sql<number>`(select count(*)::int from watcher w where w.machine_id = m.id)`.as("watchers"),
      sql<Date | null>`(select max(happened_at) from machine_event e where e.machine_id = m.id and e.seq > m.taken_seq - 20)`.as(
        "eventAt",
      ),
    ])
    .select([
      sql<Date | null>`(select ended_at from game g where g.machine_id = m.id order by game_number desc limit 1)`.as(
        "lastGameAt",
      ),
      sql<number | null>`(select win from game g where g.machine_id = m.id order by game_number desc limit 1)`.as(
        "lastWin",
      ),
    ])
    .$if(machineId !== undefined, (query) => query.where("m.id", "=", machineId ?? ""))
    .$if(machineId === undefined, (query) => query.where(isInService()))
    .orderBy("m.id")
    .execute();
}

type Row = Awaited<ReturnType<typeof floorRows>>[number];

function deskRow(row: Row): DeskMachine {
  const status = machineStatus({ ...row, agent: row.answers, holder: row.holder_socket !== null });
  return {
    id: row.id,
    name: row.facts.name,
    brand: row.facts.brand,
    group: row.group,
    simulated: row.facts.simulated === true,
    lamp: LAMPS.find((name) => MACHINE_STATUS[name] === status) ?? "notAvailable",
    state: row.state,
    mode: MODES[row.mode ?? "open"],
    lockup: LOCKUP_REASONS.find((reason) => reason === row.lockup) ?? null,
    answers: row.answers,
    player: playerRef(row.player_id, row.username),
    credit: row.meters.credit,
    lastWin: row.lastWin,
    lastGameAt: row.lastGameAt?.toISOString() ?? null,
    watchers: row.watchers,
    reservedFor: playerRef(row.reservedFor, row.reservedName),
    reservedUntil: row.reservedUntil?.toISOString() ?? null,
    seatEndsAt: row.state === "waiting" ? (row.due_at?.toISOString() ?? null) : null,
    stillTag: row.stillTag,
    stillAt: row.stillAt?.toISOString() ?? null,
    delayMs: row.delayMs,
    since: row.offline || row.answers ? (row.eventAt ?? row.meters_at) : row.last_seen_at,
    handPay: row.meters.handPay !== undefined,
    offline: row.offline && row.linked,
    agentId: row.agent_id,
  };
}

const LAMPS = Object.keys(MACHINE_STATUS) as (keyof typeof MACHINE_STATUS)[];

/** A player of a query beside something else; null: none, or one that is gone. */
export const playerRef = (id: string | null, username: string | null) =>
  id === null || username === null ? null : { id, username };
