import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@longarm/database/connection";
import * as platform from "@longarm/platform/testing/longarm";
import { expect } from "vitest";
import type { TestVenue } from "./test-venue.ts";

type Ran = { readonly code: number; readonly said: readonly string[]; readonly complained: readonly string[] };

/** Runs staff's command line beside a running venue. */
export async function runLongarm(
  { databaseUrl }: Pick<TestVenue, "databaseUrl">,
  args: readonly string[],
): Promise<Ran> {
  const { code, said, complained } = await platform.longarm(args, { environment: { DATABASE_URL: databaseUrl } });
  return { code, said: said === "" ? [] : said.split("\n"), complained: complained === "" ? [] : [complained] };
}

/** Runs staff's command line beside a running venue; fails the test when it does not go well. Answers what it said. */
export async function longarm(venue: Pick<TestVenue, "databaseUrl">, ...args: string[]): Promise<string> {
  const { code, complained, said } = await runLongarm(venue, args);
  expect({ code, complained }).toEqual({ code: 0, complained: [] });
  return said.join("\n");
}

const LOOK_MS = 500;

/** Machines that owe a hand pay, or show one that was paid while they could not be reset. */
const OWED =
  "select m.id from machine m where m.meters ->> 'handPay' is not null or exists (select from hand_pay h where h.machine_id = m.id and h.confirmed_at is null)";

/** Staff who confirms every hand pay by the command line, and repeats it until it is done, for the length of the run. */
export async function confirmHandPays(
  venue: { readonly databaseUrl: string; readonly db: Pick<Database<unknown>, "pool"> },
  counts: { add(name: string): void },
  isRunning: () => boolean,
): Promise<void> {
  while (isRunning()) {
    const owed = await venue.db.pool.query<{ id: string }>(OWED).catch(() => undefined);
    for (const { id } of owed?.rows ?? []) {
      const { code } = await runLongarm(venue, ["handpay", "confirm", id]);
      counts.add(code === 0 ? "hand pays confirmed" : "hand pays to be confirmed again");
    }
    await pause(LOOK_MS);
  }
}
