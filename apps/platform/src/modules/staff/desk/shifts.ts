import type { Receipt, Shift } from "@longarm/contract/staff-money";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type * as z from "zod/mini";
import { databaseNow } from "../../../database-time.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import { usernameOf } from "../../players/accounts/index.ts";
import type { StaffTables, StaffTransaction } from "../accounts/index.ts";
import { Refused } from "../sign-in/index.ts";

type Db = Kysely<StaffTables>;
type ShownShift = z.input<typeof Shift>;
type ShownReceipt = z.input<typeof Receipt>;

const shiftRows = (db: Db) =>
  db
    .selectFrom("cashier_shift as c")
    .innerJoin("staff as p", "p.id", "c.staff_id")
    .selectAll("c")
    .select("p.name")
    .select([
      sql<number>`(select coalesce(sum(amount), 0)::bigint from receipt r where r.shift_id = c.id and r.kind = 'deposit')`.as(
        "cashIn",
      ),
      sql<number>`(select coalesce(sum(amount), 0)::bigint from receipt r where r.shift_id = c.id and r.kind = 'withdrawal')`.as(
        "cashOut",
      ),
    ]);

type Row = Awaited<ReturnType<ReturnType<typeof shiftRows>["executeTakeFirstOrThrow"]>>;

/** An open shift shows its cashier no sums: the count is blind. */
function shownShift(row: Row, viewer: string): ShownShift {
  const { expected, counted } = row;
  const isBlind = row.closed_at === null && row.staff_id === viewer;
  return {
    id: row.id,
    cashier: { id: row.staff_id, name: row.name },
    desk: row.desk,
    openedAt: row.opened_at.toISOString(),
    closedAt: row.closed_at?.toISOString() ?? null,
    float: row.float_amount,
    cashIn: isBlind ? null : row.cashIn,
    cashOut: isBlind ? null : row.cashOut,
    expected,
    counted,
    difference: expected === null || counted === null ? null : counted - expected,
    note: row.note,
  };
}

/** The open shift of a cashier, as they see it; null: none. */
export async function openShiftOf(db: Db, staffId: string): Promise<ShownShift | null> {
  const row = await shiftRows(db).where("c.staff_id", "=", staffId).where("c.closed_at", "is", null).executeTakeFirst();
  return row === undefined ? null : shownShift(row, staffId);
}

/** Opens a shift with a float of cash. @throws Refused `shift.open`. */
export async function openShift(
  trx: StaffTransaction,
  random: Random,
  staffId: string,
  { desk, float }: { readonly desk: string; readonly float: number },
): Promise<ShownShift> {
  const opened = await trx
    .insertInto("cashier_shift")
    .values({
      id: newId(random, "sh"),
      staff_id: staffId,
      desk,
      float_amount: float,
      expected: null,
      counted: null,
      note: null,
    })
    .onConflict((conflict) => conflict.column("staff_id").where("closed_at", "is", null).doNothing())
    .executeTakeFirst();
  if (opened.numInsertedOrUpdatedRows !== 1n) throw new Refused("shift.open");
  const shift = await openShiftOf(trx, staffId);
  if (shift === null) throw new Error("a shift that was opened is open");
  return shift;
}

/** Closes the caller's shift with the cash that was counted before the page showed what should be there. @throws Refused `shift.none`. */
export async function closeShift(
  trx: StaffTransaction,
  staffId: string,
  { counted, note }: { readonly counted: number; readonly note?: string | undefined },
): Promise<ShownShift> {
  const { id } = await lockShift(trx, staffId);
  const shift = shiftRows(trx).where("c.id", "=", id);
  const { float_amount: float, cashIn, cashOut } = await shift.executeTakeFirstOrThrow();
  await trx
    .updateTable("cashier_shift")
    .set({ closed_at: databaseNow(), expected: float + cashIn - cashOut, counted, note: note ?? null })
    .where("id", "=", id)
    .execute();
  return shownShift(await shift.executeTakeFirstOrThrow(), staffId);
}

/** Locks the open shift of a cashier, so that it is not closed while money moves. @throws Refused `shift.none`. */
export async function lockShift(trx: StaffTransaction, staffId: string): Promise<{ readonly id: string }> {
  const row = await trx
    .selectFrom("cashier_shift")
    .select("id")
    .where("staff_id", "=", staffId)
    .where("closed_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw new Refused("shift.none");
  return row;
}

/** Shifts, the newest first, as the viewer sees them. `from` and `to`: those that were opened in between. */
export async function listShifts(
  db: Db,
  viewer: string,
  wanted: { readonly from?: Date; readonly to?: Date; readonly after: string | undefined; readonly limit: number },
): Promise<ShownShift[]> {
  const rows = await shiftRows(db)
    .$if(wanted.from !== undefined, (query) => query.where("c.opened_at", ">=", wanted.from ?? new Date(0)))
    .$if(wanted.to !== undefined, (query) => query.where("c.opened_at", "<", wanted.to ?? new Date(0)))
    .$if(wanted.after !== undefined, (query) =>
      query.where(
        sql<boolean>`(c.opened_at, c.id) < (select opened_at, id from cashier_shift where id = ${wanted.after ?? ""})`,
      ),
    )
    .orderBy("c.opened_at", "desc")
    .orderBy("c.id", "desc")
    .limit(wanted.limit)
    .execute();
  return rows.map((row) => shownShift(row, viewer));
}

type ReportedShift = ShownShift & { readonly receipts: number };

/**
 * Shifts that were opened in a time, the newest first, with the number of receipts of each, and sums of those that are closed: an open one is counted
 * blind. `limit`: of the rows; the sums are of all.
 */
export async function reportShifts(
  db: Db,
  viewer: string,
  { from, to, limit }: { readonly from: Date; readonly to: Date; readonly limit: number },
) {
  const rows = await shiftRows(db)
    .select(sql<number>`(select count(*)::int from receipt r where r.shift_id = c.id)`.as("receipts"))
    .where("c.opened_at", ">=", from)
    .where("c.opened_at", "<", to)
    .orderBy("c.opened_at", "desc")
    .orderBy("c.id", "desc")
    .execute();
  const closed = rows.filter((row) => row.closed_at !== null);
  const sum = (of: (row: Row) => number) => closed.reduce((all, row) => all + of(row), 0);
  const difference = ({ counted, expected }: Row) => (counted ?? 0) - (expected ?? 0);
  return {
    rows: rows.slice(0, limit).map((row): ReportedShift => ({ ...shownShift(row, viewer), receipts: row.receipts })),
    rowsAreMore: rows.length > limit,
    total: {
      shifts: rows.length,
      open: rows.length - closed.length,
      cashIn: sum(({ cashIn }) => cashIn),
      cashOut: sum(({ cashOut }) => cashOut),
      difference: sum(difference),
      short: closed.filter((row) => difference(row) < 0).length,
      over: closed.filter((row) => difference(row) > 0).length,
    },
  };
}

/** The next number: without a gap, because its row is locked until the transaction ends and a rolled back one gives it back. */
export async function nextNumber(trx: StaffTransaction, name: "receipt" | "slip"): Promise<number> {
  const { last } = await trx
    .updateTable("staff_number")
    .set({ last: sql<number>`last + 1` })
    .where("name", "=", name)
    .returning("last")
    .executeTakeFirstOrThrow();
  return last;
}

export type NewReceipt = {
  readonly transferId: string;
  readonly paper: string | null;
  readonly kind: "deposit" | "withdrawal";
  readonly playerId: string;
  readonly amount: number;
  readonly balance: number;
  readonly shiftId: string;
  readonly cashier: string;
  readonly signedBy: string | null;
  readonly reason: string;
  readonly onePerson: boolean;
};

/** Writes what is printed of a deposit or a withdrawal. @throws Refused `wallet.receiptUsed`. */
export async function writeReceipt(trx: StaffTransaction, given: NewReceipt): Promise<ShownReceipt> {
  const { paper } = given;
  const used =
    paper !== null && (await trx.selectFrom("receipt").select("number").where("paper", "=", paper).executeTakeFirst());
  if (used) throw new Refused("wallet.receiptUsed");
  const number = await nextNumber(trx, "receipt");
  await trx
    .insertInto("receipt")
    .values({
      number,
      transfer_id: given.transferId,
      paper,
      kind: given.kind,
      player_id: given.playerId,
      amount: given.amount,
      balance: given.balance,
      shift_id: given.shiftId,
      cashier: given.cashier,
      signed_by: given.signedBy,
      reason: given.reason,
      one_person: given.onePerson,
    })
    .execute();
  const written = await findReceipt(trx, number);
  if (written === undefined) throw new Error("a receipt that was written is in its table");
  return written;
}

/** What a cashier has moved since then without a second person. */
export async function movedAlone(
  trx: StaffTransaction,
  { cashier, kind, since }: Pick<NewReceipt, "cashier" | "kind"> & { readonly since: Date },
): Promise<number> {
  const { sum } = await trx
    .selectFrom("receipt")
    .select(sql<number>`coalesce(sum(amount), 0)::bigint`.as("sum"))
    .where("cashier", "=", cashier)
    .where("kind", "=", kind)
    .where("signed_by", "is", null)
    .where("made_at", ">=", since)
    .executeTakeFirstOrThrow();
  return sum;
}

export async function findReceipt(db: Db, number: number): Promise<ShownReceipt | undefined> {
  const row = await db
    .selectFrom("receipt as r")
    .innerJoin("staff as c", "c.id", "r.cashier")
    .leftJoin("staff as s", "s.id", "r.signed_by")
    .selectAll("r")
    .select(["c.name as cashierName", "s.name as signedName", usernameOf("r.player_id").as("username")])
    .where("r.number", "=", number)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    number: row.number,
    kind: row.kind,
    at: row.made_at.toISOString(),
    player: { id: row.player_id, username: row.username },
    amount: row.amount,
    balance: row.balance,
    cashier: { id: row.cashier, name: row.cashierName },
    signedBy: row.signed_by === null ? null : { id: row.signed_by, name: row.signedName ?? "" },
    shift: row.shift_id,
    reason: row.reason,
    onePerson: row.one_person,
  };
}
