import type { GameFacts } from "@longarm/contract/agent-link";
import { openAudit } from "../../audit/index.ts";
import type { OpenSeat } from "../../seats/index.ts";
import type { PlayParts } from "../parts.ts";

/** Writes a game whose stake or win is large to the audit log, with everything else of it or not at all. Source: GLI-19 2.8.8. */
export async function tellLarge(
  { config }: PlayParts["deps"],
  seat: OpenSeat,
  game: GameFacts,
  playSessionId: string | null,
): Promise<void> {
  const { LARGE_WIN, LARGE_WAGER, NODE_ID } = config.play;
  const { machine_id: machineId, player_id: playerId } = seat.row;
  const audit = openAudit(seat.trx, NODE_ID);
  const subject = `machine:${machineId}`;
  const { gameNumber, stake, win, handPaid } = game;
  const facts = { gameNumber, stake, win, handPaid, player: playerId, playSession: playSessionId };
  if (LARGE_WIN > 0 && win >= LARGE_WIN) await audit.write({ type: "money.largeWin", actor: subject, subject, facts });
  if (LARGE_WAGER > 0 && stake >= LARGE_WAGER)
    await audit.write({ type: "money.largeWager", actor: subject, subject, facts });
}
