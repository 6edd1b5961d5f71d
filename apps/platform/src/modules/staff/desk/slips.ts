import type { Slip } from "@longarm/contract/staff-money";
import type { Ledger } from "@longarm/ledger/ledger";
import { playerAccount } from "@longarm/ledger/rules/address";
import type { Kysely } from "kysely";
import type * as z from "zod/mini";
import { databaseNow } from "../../../database-time.ts";
import type { DeskHandPay } from "../../play/desk/index.ts";
import { deskHandPays } from "../../play/desk/index.ts";
import type { HandPayPaid } from "../../play/session/index.ts";
import { payHandPay } from "../../play/session/index.ts";
import type { PlayTables } from "../../play/tables.ts";
import { handPayTransferId } from "../../play/wallet/index.ts";
import { usernameOf } from "../../players/accounts/index.ts";
import { staffActor } from "../../records/audit/index.ts";
import type { StaffTables, StaffTransaction } from "../accounts/index.ts";
import { wholeOf } from "../accounts/index.ts";
import { Refused } from "../sign-in/index.ts";
import { nextNumber } from "./shifts.ts";
import { namesOf, personOf } from "./stops.ts";

type Db = Kysely<StaffTables>;
type ShownSlip = z.input<typeof Slip>;

/** A person as slips keep one: a staff id, or `root:` and the system user who acted without a sign-in. And the name of the ledger's actor. */
export type Payer = { readonly id: string; readonly actor: string };

export type HandPayOrder = {
  readonly machineId: string;
  readonly handPayId: string;
  /** What the machine owes, as the person saw it. */
  readonly machineAmount: number;
  /** Another amount, which two people decide; both are kept. */
  readonly override: { readonly amount: number; readonly reason: string } | null;
};

/** The hand pay that an order is about. @throws Refused: there is none, or it is another amount. */
export async function findOwed(db: Db, { machineId, handPayId, machineAmount }: HandPayOrder): Promise<DeskHandPay> {
  const rows = await deskHandPays(wholeOf(db), { state: "all", machineId, limit: 500 });
  const owed = rows.find(({ handPay }) => handPay === handPayId);
  if (owed === undefined) throw new Refused("thing.unknown", { kind: "hand pay" });
  if (owed.amount !== machineAmount) throw new Refused("approval.changed");
  return owed;
}

export type HandPayDone = { readonly slip: ShownSlip | null; readonly paid: HandPayPaid };

/**
 * Pays a hand pay and writes its slip. The ledger pays what the machine owes; what an override adds comes from the account `house`, and what it takes
 * off is corrected back, so that both figures stay in the books. A repeat answers the slip of the first time.
 */
export async function payByHand(
  trx: StaffTransaction,
  ledger: Ledger,
  order: HandPayOrder,
  people: { readonly by: Payer; readonly signedBy: string | null; readonly onePerson: boolean },
): Promise<HandPayDone> {
  const { machineId, handPayId, machineAmount, override } = order;
  const owed = await findOwed(trx, order);
  const { by, signedBy, onePerson } = people;
  const { paid, row } = await payHandPay(wholeOf(trx).withTables<PlayTables>(), ledger, {
    machineId,
    handPayId,
    staff: by.actor,
  });
  if (paid === "before") return { paid, slip: (await findSlip(trx, { machineId, handPayId })) ?? null };
  if (override !== null && row.player_id !== null)
    await applyOverride(ledger.within(trx), { ...order, override, playerId: row.player_id, actor: by.actor });
  const number = await nextNumber(trx, "slip");
  await trx
    .insertInto("slip")
    .values({
      number,
      machine_id: machineId,
      hand_pay_id: handPayId,
      kind: owed.kind,
      player_id: row.player_id,
      machine_amount: machineAmount,
      // Without a known player no wallet was paid.
      paid_amount: row.player_id === null ? 0 : (override?.amount ?? machineAmount),
      paid_by: by.id,
      signed_by: signedBy,
      reason: override?.reason ?? null,
      one_person: onePerson,
      voided_by: null,
      void_reason: null,
    })
    .execute();
  return { paid, slip: (await findSlip(trx, { machineId, handPayId })) ?? null };
}

type Overridden = HandPayOrder & {
  readonly override: { readonly amount: number; readonly reason: string };
  readonly playerId: string;
  readonly actor: string;
};

async function applyOverride(
  books: Ledger,
  { machineId, handPayId, machineAmount, override, playerId, actor }: Overridden,
): Promise<void> {
  const difference = override.amount - machineAmount;
  if (difference === 0) return;
  const { reason } = override;
  const id = overrideId(machineId, handPayId);
  const about = { machineId, handPayId, reason, actor: staffActor(actor).slice(0, 100) };
  const moved =
    difference > 0
      ? await books.transfer({
          id,
          kind: "deposit",
          from: "house",
          to: playerAccount(playerId),
          amountMinor: difference,
          about,
        })
      : await books.correct({
          id,
          transferId: handPayTransferId(machineId, handPayId),
          amountMinor: -difference,
          reason,
          actor: about.actor,
          about: { machineId, handPayId },
        });
  if (moved.is === "refused")
    throw new Refused("act.refused", { sentence: `The ledger refuses: ${moved.problem.detail}.` });
}

/** The ledger's id of what an override added or took off. */
const overrideId = (machineId: string, handPayId: string): string => handPayTransferId(machineId, `over.${handPayId}`);

/** Takes a paid hand pay back from the wallet, and voids its slip. The number stays. @throws Refused. */
export async function voidSlip(
  trx: StaffTransaction,
  ledger: Ledger,
  {
    number,
    by,
    actor,
    reason,
  }: { readonly number: number; readonly by: string; readonly actor: string; readonly reason: string },
): Promise<{ readonly playerId: string | null }> {
  const row = await trx.selectFrom("slip").selectAll().where("number", "=", number).forUpdate().executeTakeFirst();
  if (row === undefined) throw new Refused("thing.unknown", { kind: "slip" });
  if (row.voided_at !== null) throw new Refused("approval.changed");
  const paidId = handPayTransferId(row.machine_id, row.hand_pay_id);
  const books = ledger.within(trx);
  if (row.player_id !== null) {
    const back = { reason, actor: staffActor(actor).slice(0, 100), about: { slip: number } };
    const over = row.paid_amount - row.machine_amount;
    if (over > 0)
      await corrected(books, {
        ...back,
        id: `void.over.${number}`,
        transferId: overrideId(row.machine_id, row.hand_pay_id),
      });
    if (row.paid_amount > 0) await corrected(books, { ...back, id: `void.${number}`, transferId: paidId });
  }
  await trx
    .updateTable("slip")
    .set({ voided_at: databaseNow(), voided_by: by, void_reason: reason })
    .where("number", "=", number)
    .execute();
  return { playerId: row.player_id };
}

async function corrected(books: Ledger, command: Parameters<Ledger["correct"]>[0]): Promise<void> {
  const done = await books.correct(command);
  if (done.is === "refused")
    throw new Refused("act.refused", { sentence: `The wallet cannot give it back: ${done.problem.detail}.` });
}

type Wanted = { readonly number: number } | { readonly machineId: string; readonly handPayId: string };

const slipRows = (db: Db) =>
  db.selectFrom("slip as s").selectAll("s").select(usernameOf<string | null>("s.player_id").as("username"));

export async function findSlip(db: Db, wanted: Wanted): Promise<ShownSlip | undefined> {
  const query =
    "number" in wanted
      ? slipRows(db).where("s.number", "=", wanted.number)
      : slipRows(db).where("s.machine_id", "=", wanted.machineId).where("s.hand_pay_id", "=", wanted.handPayId);
  return (await shownSlips(db, await query.execute()))[0];
}

/** The slips of these hand pays, by `machine/handPay`. */
export async function slipsOf(
  db: Db,
  of: readonly { readonly machineId: string; readonly handPayId: string }[],
): Promise<ReadonlyMap<string, ShownSlip>> {
  if (of.length === 0) return new Map();
  const rows = await slipRows(db)
    .where("s.hand_pay_id", "in", [...new Set(of.map(({ handPayId }) => handPayId))])
    .where("s.machine_id", "in", [...new Set(of.map(({ machineId }) => machineId))])
    .execute();
  const shown = await shownSlips(db, rows);
  return new Map(
    rows.flatMap((row, index) => (shown[index] ? [[slipKey(row.machine_id, row.hand_pay_id), shown[index]]] : [])),
  );
}

export const slipKey = (machineId: string, handPayId: string): string => `${machineId}/${handPayId}`;

async function shownSlips(
  db: Db,
  rows: Awaited<ReturnType<ReturnType<typeof slipRows>["execute"]>>,
): Promise<ShownSlip[]> {
  const names = await namesOf(
    db,
    rows.flatMap((row) => [row.paid_by, row.signed_by, row.voided_by].filter((one) => one !== null)),
  );
  const person = (id: string | null) => (id === null ? null : personOf(names, id));
  return rows.map((row) => ({
    number: row.number,
    state: row.voided_at === null ? "paid" : "voided",
    kind: row.kind,
    machine: { id: row.machine_id, name: row.machine_id },
    player: row.player_id === null || row.username === null ? null : { id: row.player_id, username: row.username },
    machineAmount: row.machine_amount,
    paidAmount: row.paid_amount,
    at: row.paid_at.toISOString(),
    paidBy: personOf(names, row.paid_by),
    signedBy: person(row.signed_by),
    voidedBy: person(row.voided_by),
    reason: row.void_reason ?? row.reason,
    onePerson: row.one_person,
  }));
}
