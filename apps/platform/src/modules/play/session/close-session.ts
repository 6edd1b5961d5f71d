import { databaseNow } from "../../../database-time.ts";
import type { OpenSeat } from "../seat/index.ts";

/** The play session is over and the seat is free. */
export async function closePlaySession(seat: OpenSeat): Promise<void> {
  const { player_id: playerId, play_session_id: id, ending } = seat.row;
  await seat.trx
    .updateTable("play_session")
    .set({ ended_at: databaseNow(), end_reason: ending ?? "left" })
    .where("id", "=", id)
    .execute();
  await seat.happen("settled");
  if (playerId !== null) seat.announce("balance.changed", { playerId });
}
