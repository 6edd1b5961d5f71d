import { prove } from "@longarm/platform/modules/reconciliation/index";
import { bookFaults, restless } from "../../proof/kills/books.ts";
import type { SoakHouse } from "./soak-house.ts";
import { TRANSFER_ALARM_MS } from "./soak-house.ts";

/** Beside its alarm: the moment that the answer itself takes, ms. */
const LATE_MS = 10_000;

/**
 * Everything that must be true of the money while people play: what `longarm reconcile` proves, the ledger's own rules, that each open hold belongs
 * to an open transfer, that no transfer is open for longer than its alarm, and that nobody was called.
 */
export async function moneyFaults({ db }: Pick<SoakHouse, "db">): Promise<string[]> {
  const proof = await prove(db.kysely, { is: "all" });
  const wrong = proof.checks.flatMap(({ name, count, breaches }) =>
    count === 0
      ? []
      : [`${name}: ${count} times, ${breaches.map(({ subject, detail }) => `${subject}: ${detail}`)[0]}`],
  );
  const { rows: late } = await db.pool.query<{ id: string; state: string }>(
    `select id, state from machine_transfer where state in ('asking', 'unknown')
     and created_at < clock_timestamp() - $1::int * interval '1 millisecond'`,
    [TRANSFER_ALARM_MS + LATE_MS],
  );
  return [
    ...wrong,
    ...(await bookFaults(db)),
    ...late.map(({ id, state }) => `the transfer ${id} is ${state} for longer than its alarm`),
  ];
}

/** What has not come home once everybody has gone. */
export function notAtRest({ db }: Pick<SoakHouse, "db">): Promise<string[]> {
  return restless(db);
}

/** Alarms for staff that a platform's metrics count; empty: nobody was called. */
export async function alarms(href: string): Promise<string[]> {
  const answer = await fetch(`${href}/metrics`);
  const lines = (await answer.text()).split("\n");
  return lines.filter((line) => line.startsWith("longarm_alarms_total{") && !line.endsWith(" 0"));
}
