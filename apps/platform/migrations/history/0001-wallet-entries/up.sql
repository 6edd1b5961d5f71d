-- One posting of a player's account, as the player's history tells it. Written by the trigger below and never changed; it can be
-- made again from the ledger (truncate, then the insert below) at any time.
create table wallet_entry (
  player_id text not null,
  -- The ledger's own: 1, 2, 3 … per account.
  entry_number bigint not null,
  transfer_id text not null,
  at timestamptz not null,
  -- Action code of the specification: 1 Deposit, 2 Withdraw, 3 Cash In, 4 Cash Out, 5 Hand Pay, 6 JACKPOT.
  type smallint not null check (type between 1 and 6),
  source text not null check (source in ('Wallet', 'Cage', 'Discount', 'Bonus', 'Machine')),
  -- Empty: no machine was part of it. A machine that the platform never knew may stand here.
  machine_id text not null check (source <> 'Machine' or machine_id <> ''),
  -- Minor units: what the wallet gained or gave, and what it held then.
  amount bigint not null,
  balance bigint not null,
  primary key (player_id, entry_number)
);
create index wallet_entry_of_player on wallet_entry (player_id, at, entry_number);
create index wallet_entry_of_type on wallet_entry (player_id, type, at, entry_number);
create index wallet_entry_of_kind on wallet_entry (player_id, type, source, machine_id, at, entry_number);

-- The history row of a posting; null: not on a player's account. A kind it does not know is told by its other side.
create function wallet_entry_of(posting ledger.postings) returns wallet_entry language plpgsql stable as $$
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
    when entry.type in (2, 3) then 'Wallet'
    when entry.type in (4, 6) and machine <> '' then 'Machine'
    else 'Cage' end;
  return entry;
end $$;

create function note_wallet_entry() returns trigger language plpgsql as $$
declare
  entry wallet_entry := wallet_entry_of(new);
begin
  if entry.player_id is not null then insert into wallet_entry select entry.*; end if;
  return null;
end $$;
create trigger postings_in_history after insert on ledger.postings for each row execute function note_wallet_entry();

insert into wallet_entry select (e.entry).*
  from (select wallet_entry_of(p) as entry from ledger.postings p
    join ledger.accounts a on a.id = p.account_id and a.address like 'player:%' offset 0) e;

create function refuse_history_change() returns trigger language plpgsql as $$
begin
  raise exception 'a history row never changes (% refused)', lower(tg_op) using errcode = 'restrict_violation';
end $$;
create trigger wallet_entry_immutable before update or delete on wallet_entry
  for each row execute function refuse_history_change();

-- Play sessions of a player in the order of the list, of all machines and of each.
create index play_session_listed on play_session (player_id, started_at, id);
create index play_session_of_machine on play_session (player_id, machine_id, started_at, id);
drop index play_session_of_player;
