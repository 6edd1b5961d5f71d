import type { AccountAddress } from "../rules/address.ts";
import type { Account, Hold, RawHold, RawTransfer, Statement, StatementRow, Transfer } from "../rules/records.ts";
import { toHold, toTransfer } from "../rules/records.ts";
import type { Run } from "./source.ts";

export async function accounts(run: Run, addresses: readonly AccountAddress[]): Promise<Account[]> {
  const rows = await run<Account>(
    `select address, balance_minor as "balanceMinor", held_minor as "heldMinor",
       balance_minor - held_minor as "availableMinor" from ledger.accounts where address = any($1)`,
    [addresses],
  );
  const found = new Map(rows.map((row) => [row.address, row]));
  return addresses.map((address) => found.get(address) ?? emptyAccount(address));
}

/** An account without postings. */
export function emptyAccount(address: AccountAddress): Account {
  return { address, balanceMinor: 0, heldMinor: 0, availableMinor: 0 };
}

/** Rows of one page: 1 to 500. */
const STATEMENT_ROWS_MAX = 500;

export type StatementPage = {
  /** Only entries older than this number: `nextBefore` of the page before. */
  readonly before?: number | undefined;
  /** 1 to 500; 50 when absent or no number. Others are brought into this range. */
  readonly limit?: number | undefined;
};

export async function statement(run: Run, address: AccountAddress, page: StatementPage): Promise<Statement> {
  const limit = Math.min(Math.max(Math.trunc(page.limit || 50), 1), STATEMENT_ROWS_MAX);
  const rows = await run<StatementRow>(
    `select p.entry_number as "entryNumber", t.id as "transferId", t.kind, p.amount_minor as "amountMinor",
       p.balance_minor as "balanceMinor", t.about, t.hold_id as "holdId", t.corrects, t.created_at as "createdAt",
       ledger.address_of(case when t.from_account = p.account_id then t.to_account else t.from_account end) as "counterparty"
     from ledger.postings p join ledger.transfers t on t.id = p.transfer_id
     where p.account_id = (select id from ledger.accounts where address = $1) and ($2::bigint is null or p.entry_number < $2)
     order by p.entry_number desc limit $3`,
    [address, page.before ?? null, limit],
  );
  const last = rows.at(-1);
  return { rows, nextBefore: last && last.entryNumber > 1 ? last.entryNumber : null };
}

/** Open holds that take from the account or would give to it, oldest first. */
export async function holdsOf(run: Run, address: AccountAddress): Promise<Hold[]> {
  const rows = await run<{ record: RawHold }>(
    `with mine as (select id from ledger.accounts where address = $1)
     select ledger.hold_record(h.id) as record from ledger.holds h
     where h.status = 'open' and (h.from_account = (select id from mine) or h.to_account = (select id from mine))
     order by h.created_at, h.id`,
    [address],
  );
  return rows.map(({ record }) => toHold(record));
}

export async function findTransfer(run: Run, id: string): Promise<Transfer | undefined> {
  const [row] = await run<{ record: RawTransfer | null }>("select ledger.transfer_record($1) as record", [id]);
  return row?.record ? toTransfer(row.record) : undefined;
}

export async function findHold(run: Run, id: string): Promise<Hold | undefined> {
  const [row] = await run<{ record: RawHold | null }>("select ledger.hold_record($1) as record", [id]);
  return row?.record ? toHold(row.record) : undefined;
}

/** One rule that does not hold, of which account or transfer. */
export type Breach = { readonly rule: string; readonly subject: string; readonly detail: string };

export async function breaches(run: Run): Promise<Breach[]> {
  return await run<Breach>("select * from ledger.breaches()", []);
}
