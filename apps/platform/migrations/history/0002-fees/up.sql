-- A fee, and what came back of one, say that they are one.
alter table wallet_entry drop constraint wallet_entry_source_check;
alter table wallet_entry add constraint wallet_entry_source_check
  check (source in ('Wallet', 'Cage', 'Discount', 'Bonus', 'Fee', 'Machine'));

-- The history row of a posting; null: not on a player's account. A kind it does not know is told by its other side.
create or replace function wallet_entry_of(posting ledger.postings) returns wallet_entry language plpgsql stable as $$
declare
  owner text := (select address from ledger.accounts where id = posting.account_id);
  moved ledger.transfers;
  other text;
  machine text;
  entry wallet_entry;
begin
  if owner not like 'player:%' then return null; end if;
  select * into moved from ledger.transfers where id = posting.transfer_id;
  select address into other from ledger.accounts
    where id = case posting.account_id when moved.from_account then moved.to_account else moved.from_account end;
  -- What a transfer says of itself is free text; only what can be a machine's id is one.
  machine := coalesce(substring(other from '^machine:(.*)$'),
    substring(moved.about ->> 'machineId' from '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$'), '');
  entry.player_id := substring(owner from 8);
  entry.entry_number := posting.entry_number;
  entry.transfer_id := posting.transfer_id;
  entry.at := moved.created_at;
  entry.machine_id := machine;
  entry.amount := posting.amount_minor;
  entry.balance := posting.balance_minor;
  entry.type := case moved.kind
    when 'deposit' then 1 when 'discount' then 1 when 'bonus' then 1 when 'withdraw' then 2
    when 'cashIn' then 3 when 'cashOut' then 4 when 'handPay' then 5 when 'jackpot' then 6
    else case when other like 'machine:%' then case when posting.amount_minor < 0 then 3 else 4 end
      when posting.amount_minor < 0 then 2 else 1 end
  end;
  entry.source := case
    when moved.kind = 'discount' then 'Discount'
    when moved.kind = 'bonus' then 'Bonus'
    when other = 'fees' then 'Fee'
    when entry.type in (2, 3) then 'Wallet'
    when entry.type in (4, 6) and machine <> '' then 'Machine'
    else 'Cage' end;
  return entry;
end $$;
