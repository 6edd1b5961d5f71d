import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@longarm/database/connection";
import { runLongarm } from "../../e2e/venue/command-line.ts";

const LOOK_MS = 500;

/** Machines that owe a hand pay, or show one that was paid while they could not be reset. */
const OWED =
  "select m.id from machine m where m.meters ->> 'handPay' is not null or exists (select from hand_pay h where h.machine_id = m.id and h.confirmed_at is null)";

/** Staff who confirms every hand pay by the command line, as often as it takes, until told to stop. */
export async function confirmHandPays(
  { venue, db }: { readonly venue: { readonly databaseUrl: string }; readonly db: Pick<Database<unknown>, "pool"> },
  counts: { add(name: string): void },
  goesOn: () => boolean,
): Promise<void> {
  while (goesOn()) {
    const owed = await db.pool.query<{ id: string }>(OWED).catch(() => undefined);
    for (const { id } of owed?.rows ?? []) {
      const { code } = await runLongarm(venue, ["handpay", "confirm", id]);
      counts.add(code === 0 ? "hand pays confirmed" : "hand pays to be confirmed again");
    }
    await pause(LOOK_MS);
  }
}
