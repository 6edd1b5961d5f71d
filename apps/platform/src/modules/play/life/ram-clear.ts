import type { MachineTotals } from "@longarm/contract/machine";
import type { Ledger } from "@longarm/ledger/ledger";
import type { Kysely, Transaction } from "kysely";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import type { Log } from "../../../log.ts";
import { concludeReading, noteDifference, takeBaseline, unexplained } from "../books/index.ts";
import { storeGamesBase } from "../machines.ts";
import type { MetersNow, PlayDb, PlayTransaction } from "../tables.ts";
import { isQuietAtRest } from "./at-rest.ts";
import type { LifeAnswer } from "./life.ts";
import type { LifeTables, ShownBefore } from "./tables.ts";

type Trx = Transaction<LifeTables>;

/** The last reading of a machine that was compared with the books. */
export type LastReading = {
  readonly number: number;
  readonly takenAt: Date;
  readonly credit: number;
  readonly gamesPlayed: number;
  readonly totals: object | null;
};

export async function lastReadingOf(db: Kysely<unknown>, machineId: string): Promise<LastReading | null> {
  const row = await db
    .withTables<LifeTables>()
    .selectFrom("meter_reading")
    .select(["number", "taken_at as takenAt", "credit", "games_played as gamesPlayed", "totals"])
    .where("machine_id", "=", machineId)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Orders a RAM clear: the machine is closed until it comes back with new meters, and what it counted before is kept. Refuses while anything of it is
 * open, since its own record of it would be lost.
 * @param people who answer for it: one or two staff ids, or `root:` and a system user.
 */
export async function orderRamClear(
  trx: Trx,
  machineId: string,
  { people, reason }: { readonly people: readonly string[]; readonly reason: string },
): Promise<LifeAnswer> {
  const open = await isQuietAtRest(trx, machineId);
  if (open !== null) return { is: "refused", sentence: open };
  const machine = await trx
    .selectFrom("machine as m")
    .innerJoin("machine_life as l", "l.machine_id", "m.id")
    .select(["m.meters", "m.meters_at", "m.games_base", "l.state"])
    .where("m.id", "=", machineId)
    .executeTakeFirst();
  if (machine === undefined) return { is: "refused", sentence: `There is no machine ${machineId}.` };
  if (machine.state !== "inService") return { is: "refused", sentence: `${machineId} is retired.` };
  const last = await lastReadingOf(trx as unknown as Kysely<unknown>, machineId);
  const before: ShownBefore = {
    credit: machine.meters.credit,
    gamesPlayed: machine.meters.gamesPlayed - machine.games_base,
    totals: last?.totals ?? null,
  };
  await trx
    .insertInto("ram_clear")
    .values({
      machine_id: machineId,
      people: [...people],
      reason,
      before_reading: last?.number ?? null,
      before: JSON.stringify(before),
      before_at: last?.takenAt ?? machine.meters_at,
    })
    .execute();
  return { is: "done" };
}

/** The RAM was not cleared: the machine continues with the meters that it has. */
export async function cancelRamClear(trx: Trx, machineId: string): Promise<LifeAnswer> {
  const cancelled = await trx
    .updateTable("ram_clear")
    .set({ state: "cancelled", decided_at: databaseNow() })
    .where("machine_id", "=", machineId)
    .where("state", "=", "waiting")
    .executeTakeFirst();
  if (cancelled.numUpdatedRows > 0n) return { is: "done" };
  return { is: "refused", sentence: `No RAM clear of ${machineId} waits.` };
}

type Shown = { readonly meters: MetersNow; readonly totals: MachineTotals | undefined };
/** `asBefore`: no RAM clear waits, or the machine still has its old meters. */
type Baseline =
  | { readonly is: "asBefore" }
  | { readonly is: "refused"; readonly sentence: string }
  | { readonly is: "begun"; readonly gamesBase: number };

/**
 * The machine came back: where a RAM clear waits and its meters have fallen, they are the baseline of every later comparison, its games are numbered
 * on from the last one that is booked, and the RAM clear is done. To be called under the seat's lock, with the meters as the machine counts them.
 * Credits that are on it are a difference for a person to explain.
 */
export async function beginBaseline(
  { ledger, log, nodeId }: { readonly ledger: Ledger; readonly log: Log; readonly nodeId: string },
  trx: PlayTransaction,
  machineId: string,
  { shown, takenGame }: { readonly shown: Shown; readonly takenGame: number },
): Promise<Baseline> {
  const life = trx.withTables<LifeTables>();
  const waiting = await life
    .selectFrom("ram_clear")
    .select(["id", "before"])
    .where("machine_id", "=", machineId)
    .where("state", "=", "waiting")
    .forUpdate()
    .executeTakeFirst();
  if (waiting === undefined || !hasFallen(waiting.before, shown)) return { is: "asBefore" };
  if (shown.meters.inGame || shown.meters.handPay !== undefined)
    return { is: "refused", sentence: `The machine ${machineId} is in a game after its RAM clear: end it there first` };
  const gamesBase = takenGame - shown.meters.gamesPlayed;
  if (gamesBase < 0)
    return {
      is: "refused",
      sentence: `The machine ${machineId} has played ${shown.meters.gamesPlayed} games since its RAM clear, more than the ${takenGame} before it: it needs another id`,
    };
  await storeGamesBase(trx, machineId, gamesBase);
  const numbered = { ...shown, meters: { ...shown.meters, gamesPlayed: takenGame } };
  const reading = { machineId, playSessionId: null, why: "ramClear", shown: numbered, nodeId } as const;
  const taken = await takeBaseline(ledger, trx, reading);
  const wrong = unexplained(taken.lines);
  const { credit } = shown.meters;
  const difference =
    wrong.length === 0
      ? null
      : await noteDifference(log, trx, {
          ...{ machineId, playSessionId: null, kind: "meters", ledgerMinor: 0, machineMinor: credit },
          about: { lines: wrong, after: "ramClear" },
        });
  await concludeReading(trx, reading, taken, difference);
  const after: ShownBefore = { credit, gamesPlayed: shown.meters.gamesPlayed, totals: shown.totals ?? null };
  await life
    .updateTable("ram_clear")
    .set({ state: "done", decided_at: databaseNow(), after: JSON.stringify(after), after_reading: taken.number })
    .where("id", "=", waiting.id)
    .execute();
  return { is: "begun", gamesBase };
}

/** Meters only rise; one that is lower than before was cleared. */
function hasFallen(before: ShownBefore, { meters, totals }: Shown): boolean {
  if (meters.gamesPlayed < before.gamesPlayed) return true;
  if (before.totals === null || totals === undefined) return false;
  const now = totals as Readonly<Record<string, unknown>>;
  return Object.entries(before.totals).some(([name, was]) => {
    const is = now[name];
    return typeof was === "number" && typeof is === "number" && is < was;
  });
}

/** Whether a RAM clear of the machine waits: its meters may fall. */
export async function awaitsRamClear(db: PlayDb, machineId: string): Promise<boolean> {
  const row = await db
    .withTables<LifeTables>()
    .selectFrom("ram_clear")
    .select("id")
    .where("machine_id", "=", machineId)
    .where("state", "=", "waiting")
    .executeTakeFirst();
  return row !== undefined;
}

export type RamClearRow = {
  readonly id: number;
  readonly state: "waiting" | "done" | "cancelled";
  readonly orderedAt: Date;
  readonly people: readonly string[];
  readonly reason: string;
  readonly before: ShownBefore;
  /** When what was before was last compared with the books: where the gap begins. */
  readonly gapFrom: Date;
  readonly after: ShownBefore | null;
  /** When the new baseline was taken: where the gap ends. */
  readonly gapTo: Date | null;
};

/** RAM clears of a machine, the newest first. */
export async function listRamClears(db: Kysely<unknown>, machineId: string): Promise<RamClearRow[]> {
  return await db
    .withTables<LifeTables>()
    .selectFrom("ram_clear")
    .select(["id", "state", "ordered_at as orderedAt", "people", "reason", "before", "before_at as gapFrom", "after"])
    .select(sql<Date | null>`decided_at`.as("gapTo"))
    .where("machine_id", "=", machineId)
    .orderBy("id", "desc")
    .limit(20)
    .execute();
}
