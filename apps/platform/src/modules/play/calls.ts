import type { AttendantCall } from "@longarm/contract/game-socket";
import type { CallReason } from "@longarm/contract/machine";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { databaseNow } from "../../database-time.ts";
import { usernameOf } from "../players/accounts/index.ts";
import type { PlayDeps } from "./deps.ts";
import { Refusal } from "./seat/index.ts";
import type { MetersNow } from "./tables.ts";

/** Calls for an attendant (`migrations/calls`). */
export type CallsTables = {
  attendant_call: {
    id: number;
    machine_id: string;
    player_id: string;
    play_session_id: string | null;
    reason: CallReason;
    called_at: Date;
    answered_at: Date | null;
    answered_by: string | null;
    closed_at: Date | null;
    closed_by: string | null;
  };
};

/** A call as staff sees it. */
export type CallRow = {
  readonly id: number;
  readonly machineId: string;
  readonly playerId: string;
  readonly player: string;
  readonly reason: CallReason;
  readonly calledAt: Date;
  /** Seconds since it was made. */
  readonly ageS: number;
  readonly answeredAt: Date | null;
  readonly answeredBy: string | null;
  readonly closedAt: Date | null;
  readonly closedBy: string | null;
};

/** The outcome of a staff action; `playerId` and `machineId` name the page to update. */
export type CallChange =
  | { readonly is: "done"; readonly machineId: string; readonly playerId: string }
  | { readonly is: "refused"; readonly sentence: string };

/** A player may call again after `againS`, and at most `most` times within `withinS`. */
export const CALL_LIMITS = { againS: 30, most: 6, withinS: 3_600 } as const;

/** Calls for an attendant as the rest of the platform uses them. */
export interface Calls {
  /**
   * Calls an attendant to the machine at which the player sits; while a call is open it is that one.
   * @throws Refusal session.not_yours, request.too_many.
   */
  open(machineId: string, playerId: string): Promise<AttendantCall>;
  /** The newest call of the player in the play session that runs; null: there is none. */
  now(machineId: string, playerId: string): Promise<AttendantCall | null>;
  /** Has the page read the call again: staff has answered or closed it, in a process of their own. */
  changed(id: number): Promise<void>;
}

export function createCalls(deps: Pick<PlayDeps, "db" | "bus" | "log">): Calls {
  const db = deps.db.withTables<CallsTables>();

  async function now(machineId: string, playerId: string): Promise<AttendantCall | null> {
    const row = await db
      .selectFrom("attendant_call as c")
      .innerJoin("seat as s", (join) =>
        join.onRef("s.machine_id", "=", "c.machine_id").onRef("s.player_id", "=", "c.player_id"),
      )
      .selectAll("c")
      .where("c.machine_id", "=", machineId)
      .where("c.player_id", "=", playerId)
      // An open one is the player's whatever became of the play session in which it was made.
      .where((eb) => eb.or([eb("c.closed_at", "is", null), eb("c.play_session_id", "=", eb.ref("s.play_session_id"))]))
      .orderBy("c.id", "desc")
      .limit(1)
      .executeTakeFirst();
    return row === undefined ? null : shownOf(row);
  }

  return {
    now,
    async open(machineId, playerId) {
      const seat = await db
        .selectFrom("seat as s")
        .innerJoin("machine as m", "m.id", "s.machine_id")
        .select(["s.play_session_id", "m.meters"])
        .where("s.machine_id", "=", machineId)
        .where("s.player_id", "=", playerId)
        .executeTakeFirst();
      if (seat === undefined) throw new Refusal("session.not_yours", "an attendant is called from the seat");
      const openOne = async () => {
        const call = await now(machineId, playerId);
        return call?.state === "closed" ? null : call;
      };
      const before = await openOne();
      if (before !== null) return before;
      const waitS = await waitOf(db, playerId);
      // A second press beside the first one finds the call that the first has just made.
      const meanwhile = waitS > 0 ? await openOne() : null;
      if (meanwhile !== null) return meanwhile;
      if (waitS > 0) throw new Refusal("request.too_many", "calls for an attendant", { params: { seconds: waitS } });
      const reason = reasonOf(seat.meters);
      await sql`insert into attendant_call (machine_id, player_id, play_session_id, reason)
        values (${machineId}, ${playerId}, ${seat.play_session_id}, ${reason})
        on conflict (player_id, machine_id) where closed_at is null do nothing`.execute(db);
      deps.log.warn({ machineId, playerId, reason }, "a player calls an attendant");
      deps.bus.publish("call.changed", { machineId, playerId });
      const made = await now(machineId, playerId);
      if (made === null) throw new Error(`the call of ${playerId} at ${machineId} is not there`);
      return made;
    },
    async changed(id) {
      const row = await db
        .selectFrom("attendant_call")
        .select(["machine_id", "player_id"])
        .where("id", "=", id)
        .executeTakeFirst();
      if (row) deps.bus.publish("call.changed", { machineId: row.machine_id, playerId: row.player_id });
    },
  };
}

/** A hand pay comes first: it is the player's money. */
function reasonOf({ handPay, lockup }: MetersNow): CallReason {
  if (handPay !== undefined) return "handPay";
  return lockup ?? "player";
}

/** Seconds until this player may call again; 0: now. */
async function waitOf(db: Kysely<CallsTables>, playerId: string): Promise<number> {
  const { againS, most, withinS } = CALL_LIMITS;
  const { rows } = await sql<{ wait: number }>`
    select greatest(0,
      coalesce(max(${againS} - extract(epoch from clock_timestamp() - called_at)), 0),
      case when count(*) < ${most} then 0
        else ${withinS} - extract(epoch from clock_timestamp() - (array_agg(called_at order by called_at desc))[${most}]) end)::float8 as wait
    from attendant_call
    where player_id = ${playerId} and called_at > clock_timestamp() - ${withinS} * interval '1 second'`.execute(db);
  return Math.ceil(rows[0]?.wait ?? 0);
}

function shownOf(row: CallsTables["attendant_call"]): AttendantCall {
  const { called_at, answered_at, closed_at } = row;
  const seen = answered_at === null ? "open" : "answered";
  return {
    state: closed_at === null ? seen : "closed",
    calledAt: called_at.toISOString(),
    ...(answered_at !== null && { answeredAt: answered_at.toISOString() }),
  };
}

/** Says that staff is on the way. A call that somebody answers already stays theirs. */
export async function answerCall(db: Kysely<CallsTables>, id: number, staff: string): Promise<CallChange> {
  const row = await db
    .updateTable("attendant_call")
    .set({ answered_at: databaseNow(), answered_by: staff })
    .where("id", "=", id)
    .where("answered_at", "is", null)
    .where("closed_at", "is", null)
    .returning(["machine_id", "player_id"])
    .executeTakeFirst();
  return row === undefined ? await refusedFor(db, id, "answered") : doneOf(row);
}

/** Says that a call is over. */
export async function closeCall(db: Kysely<CallsTables>, id: number, staff: string): Promise<CallChange> {
  const row = await db
    .updateTable("attendant_call")
    .set({ closed_at: databaseNow(), closed_by: staff })
    .where("id", "=", id)
    .where("closed_at", "is", null)
    .returning(["machine_id", "player_id"])
    .executeTakeFirst();
  return row === undefined ? await refusedFor(db, id, "closed") : doneOf(row);
}

const doneOf = (row: { machine_id: string; player_id: string }): CallChange => ({
  is: "done",
  machineId: row.machine_id,
  playerId: row.player_id,
});

async function refusedFor(db: Kysely<CallsTables>, id: number, word: "answered" | "closed"): Promise<CallChange> {
  const row = await db.selectFrom("attendant_call").selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) return { is: "refused", sentence: `There is no call ${id}.` };
  if (row.closed_by !== null)
    return { is: "refused", sentence: `The call ${id} is closed already, by ${row.closed_by}.` };
  return { is: "refused", sentence: `The call ${id} is ${word} already, by ${row.answered_by ?? "somebody"}.` };
}

/** Calls for staff: the open ones, oldest first; with `all` every one, newest first. */
export async function listCalls(
  db: Kysely<unknown>,
  { all, limit }: { readonly all: boolean; readonly limit: number },
): Promise<CallRow[]> {
  const rows = await db
    .withTables<CallsTables>()
    .selectFrom("attendant_call as c")
    .selectAll("c")
    .select([
      usernameOf("c.player_id").as("username"),
      sql<number>`floor(extract(epoch from clock_timestamp() - c.called_at))::int`.as("ageS"),
    ])
    .$if(!all, (query) => query.where("c.closed_at", "is", null))
    .orderBy("c.id", all ? "desc" : "asc")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    machineId: row.machine_id,
    playerId: row.player_id,
    player: row.username,
    reason: row.reason,
    calledAt: row.called_at,
    ageS: row.ageS,
    answeredAt: row.answered_at,
    answeredBy: row.answered_by,
    closedAt: row.closed_at,
    closedBy: row.closed_by,
  }));
}
