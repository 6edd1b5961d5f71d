import type { EndReason } from "../seat/index.ts";
import { Refusal } from "../seat/index.ts";
import type { Ended, EndParts } from "./end-session.ts";
import { endSession } from "./end-session.ts";

/** What the end of a play session came to, at which machine. */
export type EndedAt = Ended & { readonly machineId: string };

type Held = { readonly machineId: string; readonly playerId: string };

/** Ends every play session of a player: a game that runs is completed first, all credits go back to the wallet. */
export async function endSessionsOf(parts: EndParts, playerId: string, reason: EndReason): Promise<EndedAt[]> {
  const held = await parts.deps.db.selectFrom("seat").select("machine_id").where("player_id", "=", playerId).execute();
  const ended: EndedAt[] = [];
  for (const { machine_id: machineId } of held) {
    const one = await endHeld(parts, { machineId, playerId }, reason);
    if (one !== null) ended.push({ machineId, ...one });
  }
  return ended;
}

/** The same for whoever plays a machine; null: nobody does, or another play session than the one that is meant. */
export async function endSessionAt(
  parts: EndParts,
  machineId: string,
  reason: EndReason,
  playSessionId?: string,
): Promise<Ended | null> {
  const seat = await parts.deps.db
    .selectFrom("seat")
    .select(["player_id", "play_session_id"])
    .where("machine_id", "=", machineId)
    .executeTakeFirst();
  const isMeant = playSessionId === undefined || seat?.play_session_id === playSessionId;
  return seat?.player_id && isMeant ? await endHeld(parts, { machineId, playerId: seat.player_id }, reason) : null;
}

/** Null: it was over before. */
async function endHeld(parts: EndParts, held: Held, reason: EndReason): Promise<Ended | null> {
  try {
    return await endSession(parts, { ...held, event: "houseEnds", reason, notYours: "session.terminated" });
  } catch (error) {
    if (error instanceof Refusal && error.problem === "session.terminated") return null;
    throw error;
  }
}
