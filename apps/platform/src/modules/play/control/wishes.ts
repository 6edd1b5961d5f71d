import type { ColumnType, Kysely, RawBuilder, Transaction } from "kysely";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import type { PlayTables } from "../tables.ts";

/** What staff can want of a machine. */
export const MACHINE_MODES = ["open", "draining", "disabled", "stopped"] as const;
export type MachineMode = (typeof MACHINE_MODES)[number];

/** A time by the database's clock. */
type AtDatabase = ColumnType<Date | null, Date | RawBuilder<Date> | null | undefined, Date | RawBuilder<Date> | null>;

/** What staff wants of machines (`migrations/control/0001-machines-and-limits`). */
export type ControlTables = PlayTables & {
  machine_control: {
    machine_id: string;
    mode: MachineMode;
    /** Null: the machine is not set to it yet. */
    told_at: AtDatabase;
    reserved_for: string | null;
    reserved_until: AtDatabase;
    /** Why it is in this mode. */
    reason: string;
    changed_by: string;
    changed_at: AtDatabase;
  };
  /** `migrations/control/0002-groups-of-machines`. */
  machine_group: { machine_id: string; name: string };
};

/** Who wants it, and why. */
export type By = { readonly by: string; readonly reason: string };

/** What staff wanted of a machine before and wants now. */
export type Wish = {
  readonly mode: MachineMode;
  readonly reservedFor: string | null;
  readonly reservedUntil: Date | null;
};

const OPEN: Wish = { mode: "open", reservedFor: null, reservedUntil: null };

/**
 * Reads what is wanted of a machine, under its seat's lock, so that no player sits down in between; undefined: there is no such machine.
 */
export async function readWish(trx: Transaction<ControlTables>, machineId: string): Promise<Wish | undefined> {
  const seat = await trx
    .selectFrom("seat")
    .select("machine_id")
    .where("machine_id", "=", machineId)
    .forUpdate()
    .executeTakeFirst();
  if (!seat) return undefined;
  const row = await trx
    .selectFrom("machine_control")
    .select(["mode", "reserved_for as reservedFor", "reserved_until as reservedUntil"])
    .where("machine_id", "=", machineId)
    .executeTakeFirst();
  return row ?? OPEN;
}

/** Stores another mode; the machine is set to it later. */
export async function wishMode(
  trx: Transaction<ControlTables>,
  machineId: string,
  mode: MachineMode,
  { by, reason }: By,
): Promise<void> {
  // Draining sets nothing on the machine: the venue may use it.
  const told_at = mode === "draining" ? databaseNow() : null;
  const wish = { mode, told_at, reason, changed_by: by, changed_at: databaseNow() };
  await trx
    .insertInto("machine_control")
    .values({ ...wish, machine_id: machineId, reserved_for: null, reserved_until: null })
    .onConflict((conflict) => conflict.column("machine_id").doUpdateSet(wish))
    .execute();
}

/** What staff does to whether a machine may be played, and from which modes. `resume` alone ends an emergency stop. */
export const MODE_CHANGES = {
  enable: { mode: "open", from: ["draining", "disabled"] },
  disable: { mode: "disabled", from: ["open", "draining"] },
  drain: { mode: "draining", from: ["open", "disabled"] },
  "emergency-stop": { mode: "stopped", from: ["open", "draining", "disabled"] },
  resume: { mode: "open", from: ["stopped"] },
} as const satisfies Record<string, { readonly mode: MachineMode; readonly from: readonly MachineMode[] }>;
export type ModeChange = keyof typeof MODE_CHANGES;

/** `is: "kept"`: the change does not go from that mode, and nothing was written. */
export type ModeChanged = { readonly is: "changed" | "kept"; readonly was: MachineMode } | { readonly is: "unknown" };

/** Writes down that a machine shall be in another mode: the change's own where none is given. The platform carries it out (`Enforcer`). */
export async function changeMode(
  trx: Transaction<ControlTables>,
  machineId: string,
  change: ModeChange,
  by: By,
  mode: MachineMode = MODE_CHANGES[change].mode,
): Promise<ModeChanged> {
  const wish = await readWish(trx, machineId);
  if (wish === undefined) return { is: "unknown" };
  const { from } = MODE_CHANGES[change];
  if (!(from as readonly MachineMode[]).includes(wish.mode)) return { is: "kept", was: wish.mode };
  await wishMode(trx, machineId, mode, by);
  return { is: "changed", was: wish.mode };
}

/** Why a change does not go from a mode, as a sentence for its sender. */
export function modeKept(machineId: string, change: ModeChange, was: MachineMode): string {
  if (was === MODE_CHANGES[change].mode) return `${machineId} is ${was} already.`;
  if (was === "stopped") return `${machineId} has an emergency stop, which only its release ends.`;
  return `${machineId} is ${was}: ${change} does not go from there.`;
}

/** For queries with a machine `m`: the group it is in; null: in none. */
export function groupOf(): RawBuilder<string | null> {
  return sql<string | null>`(select g.name from machine_group g where g.machine_id = m.id)`;
}

export type Reservation = { readonly playerId: string; readonly until: Date };

/** Reserves a machine for a player, or ends its reservation. Its mode keeps its own reason and time. */
export async function wishReservation(
  trx: Transaction<ControlTables>,
  machineId: string,
  reservation: Reservation | null,
  changed_by: string,
): Promise<void> {
  const kept = { reserved_for: reservation?.playerId ?? null, reserved_until: reservation?.until ?? null };
  const open = { mode: "open", told_at: databaseNow(), changed_by, changed_at: databaseNow() } as const;
  await trx
    .insertInto("machine_control")
    .values({ ...open, ...kept, machine_id: machineId, reason: "" })
    .onConflict((conflict) => conflict.column("machine_id").doUpdateSet(kept))
    .execute();
}

/** Takes a reservation away whose time is over; false: there is none, or staff has made another one since it was found. */
export async function endReservation(trx: Transaction<ControlTables>, machineId: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("machine_control")
    .set({ reserved_for: null, reserved_until: null })
    .where("machine_id", "=", machineId)
    .where("reserved_until", "<=", sql<Date>`clock_timestamp()`)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** The machine has confirmed what is wanted of it; not, when it is something else by now. */
export async function noteApplied(db: Kysely<ControlTables>, machineId: string, mode: MachineMode): Promise<void> {
  await db
    .updateTable("machine_control")
    .set({ told_at: databaseNow() })
    .where("machine_id", "=", machineId)
    .where("mode", "=", mode)
    .execute();
}

/** Machines of these that are not set to their mode yet, or that were set to refuse games and do not report it. */
export async function unapplied(db: Kysely<ControlTables>, machineIds: readonly string[]): Promise<string[]> {
  if (machineIds.length === 0) return [];
  const rows = await db
    .selectFrom("machine_control as c")
    .innerJoin("machine as m", "m.id", "c.machine_id")
    .select("c.machine_id")
    .where("c.machine_id", "in", [...machineIds])
    .where(sql<boolean>`(c.told_at is null or (c.mode in ('disabled', 'stopped') and m.lockup is null))`)
    .execute();
  return rows.map(({ machine_id }) => machine_id);
}

/** Machines whose reservation is over and was not taken away yet. */
export async function endedReservations(db: Kysely<ControlTables>): Promise<string[]> {
  const rows = await db
    .selectFrom("machine_control")
    .select("machine_id")
    .where("reserved_until", "<=", sql<Date>`clock_timestamp()`)
    .limit(100)
    .execute();
  return rows.map(({ machine_id }) => machine_id);
}

/** The play session that the look of a node has ended already since staff closed the machine; null: there was none. */
export async function endedMeanwhile(
  db: Kysely<ControlTables>,
  machineId: string,
): Promise<{ readonly outcome: "done"; readonly amount: number } | null> {
  const { rows } = await sql<{ amount: number }>`
    select coalesce(sum(t.amount), 0)::bigint as amount from machine_control c
      join play_session p on p.machine_id = c.machine_id and p.ended_at >= c.changed_at and p.end_reason = 'house'
      left join machine_transfer t on t.play_session_id = p.id and t.told_id is null and t.state = 'done'
    where c.machine_id = ${machineId} group by p.id order by max(p.ended_at) desc limit 1`.execute(db);
  const [row] = rows;
  return row ? { outcome: "done", amount: row.amount } : null;
}
