import type { RawBuilder, Updateable } from "kysely";
import { sql } from "kysely";
import type { PlayTables, PlayTransaction } from "../../play-tables.ts";
import type { Decision } from "./home-state.ts";
import type { PlayTimes } from "./play-states.ts";
import { rowOfState } from "./play-states.ts";
import type { SeatRow } from "./seat-row.ts";

type Next = Extract<Decision, { is: "next" }>;

/**
 * Writes a decided state; its time runs by the database's clock. A free seat keeps its epoch and nothing else.
 * @param credit by the ledger, minor units.
 */
export async function storeState(
  trx: PlayTransaction,
  row: SeatRow,
  decision: Next,
  times: PlayTimes,
  { credit, fields = {} }: { readonly credit: number; readonly fields?: Updateable<PlayTables["seat"]> | undefined },
): Promise<SeatRow> {
  return await trx
    .updateTable("seat")
    .set({
      ...fields,
      state: decision.state,
      ending: decision.ending,
      deposit_until: isEmpty(decision, credit) ? depositUntil(times) : null,
      ...(decision.restart ? { due_at: dueAt(decision, times, credit) } : {}),
      ...(decision.state === "free" ? freed : {}),
    })
    .where("machine_id", "=", row.machine_id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Somebody has the seat and could put money in, but has none on the machine. */
function isEmpty({ state }: Next, credit: number): boolean {
  return (state === "seated" || state === "waiting") && credit === 0;
}

const inMs = (ms: number) => sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`;

/** The time to put money in runs once: neither a word of the player nor a new socket begins it anew. */
const depositUntil = ({ noDepositMs }: PlayTimes) => sql<Date>`coalesce(deposit_until, ${inMs(noDepositMs)})`;

function dueAt(decision: Next, times: PlayTimes, credit: number): RawBuilder<Date> | null {
  const { after } = rowOfState(decision.state);
  if (after === undefined) return null;
  if (!isEmpty(decision, credit)) return inMs(times[after]);
  if (decision.state === "seated") return depositUntil(times);
  return sql<Date>`least(${inMs(times[after])}, ${depositUntil(times)} + ${times[after]} * interval '1 millisecond')`;
}

const freed = { player_id: null, play_session_id: null, holder_socket: null, holder_node: null, holder_until: null };
