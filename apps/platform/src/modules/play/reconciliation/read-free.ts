import { clearAccount, concludeReading, noteLines, takeReading, unexplained } from "../books/index.ts";
import type { ReconcileParts } from "./parts.ts";

/**
 * Compares a free machine's meters with what was booked of it: nobody plays, so whatever changed since the last time came from
 * elsewhere. Does nothing while somebody has the seat: its end compares.
 */
export async function readFree(
  { deps, seats, agents }: ReconcileParts,
  machineId: string,
  why: "hello" | "day",
): Promise<void> {
  const before = await seatOf(deps.db, machineId);
  if (before?.state !== "free") return;
  const shown = await agents.ask("egm.meters", { machineId });
  if (shown.is !== "done") return;
  const { meters, totals } = shown.data;
  await seats.within(machineId, async (seat) => {
    if (seat.row.state !== "free" || seat.row.epoch !== before.epoch) return;
    const nodeId = deps.config.play.NODE_ID;
    const reading = { machineId, playSessionId: null, why, shown: { meters, totals }, nodeId } as const;
    const taken = await takeReading(deps.ledger, seat.trx, reading);
    if (taken === null) return;
    const wrong = unexplained(taken.lines);
    const cleared = meters.credit === 0 ? await clearAccount(deps, seat, { kind: "late", lines: wrong }) : null;
    await concludeReading(seat.trx, reading, taken, cleared ?? (await noteLines(deps, seat, wrong)));
  });
}

async function seatOf(db: ReconcileParts["deps"]["db"], machineId: string) {
  return await db.selectFrom("seat").select(["state", "epoch"]).where("machine_id", "=", machineId).executeTakeFirst();
}
