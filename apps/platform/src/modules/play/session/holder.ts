import { sql } from "kysely";
import { databaseIn } from "../../../play-base/database-time.ts";
import { playStates } from "../../seats/index.ts";
import type { PlayParts } from "../parts.ts";

/** The holder's game socket is gone; a newer one of the same seat is not touched. */
export async function holderGone({ seats }: PlayParts, machineId: string, socketId: string): Promise<void> {
  await seats.within(machineId, async (seat) => {
    if (seat.row.holder_socket !== socketId) return;
    await seat.change({ holder_socket: null, holder_node: null, holder_until: null });
    await seat.happen("holderGone");
  });
}

/** Keeps the game sockets of this node on their seats. */
export async function renewHolders({ deps }: PlayParts, socketIds: readonly string[]): Promise<void> {
  if (socketIds.length === 0) return;
  await deps.db
    .updateTable("seat")
    .set({ holder_until: databaseIn(deps.config.play.NODE_LEASE_MS) })
    .where("holder_socket", "in", [...socketIds])
    .execute();
}

/** Seats whose holder's socket was on a node that is gone, or on this one in its former life. */
export async function releaseLostHolders(parts: PlayParts, which: "leaseOver" | "ofThisNode"): Promise<void> {
  const { db, config } = parts.deps;
  const lost = db.selectFrom("seat").select(["machine_id", "holder_socket"]).where("holder_socket", "is not", null);
  const rows =
    which === "ofThisNode"
      ? await lost.where("holder_node", "=", config.play.NODE_ID).execute()
      : await lost.where("holder_until", "<", sql<Date>`clock_timestamp()`).execute();
  for (const { machine_id, holder_socket } of rows) await holderGone(parts, machine_id, holder_socket ?? "");
}

export type SeatView = {
  readonly epoch: number;
  readonly playSessionId: string | null;
  /** The machine cannot be asked: its agent is away, or it does not answer its agent. */
  readonly away: boolean;
  /** Whether a press may be passed on, or why not. */
  readonly press: (typeof playStates)["seated"]["press"];
  readonly count: {
    readonly code: NonNullable<(typeof playStates)["seated"]["count"]>;
    readonly leftMs: number;
  } | null;
};

/** What a game socket needs to know of its seat. */
export async function viewSeat({ deps }: PlayParts, machineId: string): Promise<SeatView> {
  const row = await deps.db
    .selectFrom("seat")
    .select([
      "epoch",
      "play_session_id",
      "state",
      sql<number | null>`(extract(epoch from due_at - clock_timestamp()) * 1000)::double precision`.as("leftMs"),
    ])
    .where("machine_id", "=", machineId)
    .executeTakeFirstOrThrow();
  const { press, count } = playStates[row.state];
  return {
    epoch: row.epoch,
    playSessionId: row.play_session_id,
    away: row.state === "agentAway",
    press,
    count: count === undefined || row.leftMs === null ? null : { code: count, leftMs: Math.max(0, row.leftMs) },
  };
}
