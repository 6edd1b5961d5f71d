import type { OpenSeat } from "./open-seat.ts";
import { machineStatus } from "./seat-state.ts";

/** Tells everybody a machine's status, for what no event of the seat tells: its agent, its line, staff's word. */
export async function announceStatus(seat: OpenSeat): Promise<void> {
  const { machine_id: machineId, state, player_id: holderId } = seat.row;
  const status = machineStatus({ ...(await seat.facts()), state });
  seat.announce("machine.changed", { machineId, status, ...(holderId !== null && { holderId }) });
}
