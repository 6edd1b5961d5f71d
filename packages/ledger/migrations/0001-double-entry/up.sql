create schema ledger;

-- One line of the ledger. `balance_minor` and `held_minor` are sums of postings and open holds, kept by triggers.
create table ledger.accounts (
  id bigint generated always as identity primary key,
  address text not null unique
    check (address ~ '^(house|cage|suspense|promotions|(player|machine):[A-Za-z0-9][A-Za-z0-9_.:-]{0,63})$'),
  balance_minor bigint not null default 0 check (balance_minor between -9007199254740991 and 9007199254740991),
  held_minor bigint not null default 0 check (held_minor between 0 and 9007199254740991),
  entry_count bigint not null default 0,
  constraint player_not_below_zero check (address not like 'player:%' or balance_minor - held_minor >= 0)
);

-- Money set aside for a transfer that is not decided yet. Resolved once: posted (whole or part) or void.
create table ledger.holds (
  id text primary key check (id ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$'),
  kind text not null,
  from_account bigint not null references ledger.accounts,
  to_account bigint not null references ledger.accounts,
  amount_minor bigint not null check (amount_minor between 1 and 9000000000000),
  about jsonb not null check (jsonb_typeof(about) = 'object' and length(about::text) <= 6000),
  status text not null default 'open' check (status in ('open', 'posted', 'void')),
  posted_minor bigint,
  void_reason text check (length(void_reason) between 1 and 500),
  created_at timestamptz not null default clock_timestamp(),
  resolved_at timestamptz,
  check (from_account <> to_account),
  check ((status = 'open') = (resolved_at is null)),
  check ((status = 'posted') = (posted_minor is not null)),
  check ((status = 'void') = (void_reason is not null)),
  check (posted_minor between 1 and amount_minor)
);
create index holds_open_from on ledger.holds (from_account) where status = 'open';
create index holds_open_to on ledger.holds (to_account) where status = 'open';

-- One immutable, balanced move. Its id was made by whoever asked first and is kept for ever.
create table ledger.transfers (
  id text primary key check (id ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$'),
  kind text not null check (kind in ('deposit', 'withdraw', 'cashIn', 'cashOut', 'handPay', 'jackpot', 'game',
    'discount', 'bonus', 'correction', 'suspense')),
  from_account bigint not null references ledger.accounts,
  to_account bigint not null references ledger.accounts,
  amount_minor bigint not null check (amount_minor between 1 and 9000000000000),
  about jsonb not null check (jsonb_typeof(about) = 'object' and length(about::text) <= 12000),
  hold_id text unique references ledger.holds,
  corrects text references ledger.transfers,
  created_at timestamptz not null default clock_timestamp(),
  check (from_account <> to_account),
  check ((kind = 'correction') = (corrects is not null))
);
create index transfers_corrects on ledger.transfers (corrects) where corrects is not null;
alter table ledger.holds add check (kind in ('deposit', 'withdraw', 'cashIn', 'cashOut', 'handPay', 'jackpot', 'game',
  'discount', 'bonus', 'suspense'));

-- One side of a transfer on one account, with the balance it left. Entries of an account count 1, 2, 3 without gaps.
create table ledger.postings (
  account_id bigint not null references ledger.accounts,
  entry_number bigint not null,
  transfer_id text not null references ledger.transfers,
  amount_minor bigint not null check (amount_minor <> 0),
  balance_minor bigint not null,
  primary key (account_id, entry_number),
  unique (transfer_id, account_id)
);

create function ledger.refuse() returns trigger language plpgsql as $$
begin
  raise exception 'ledger.% never changes: correct by adding (% refused)', tg_table_name, lower(tg_op)
    using errcode = 'restrict_violation';
end $$;

create trigger transfers_immutable before update or delete on ledger.transfers for each row execute function ledger.refuse();
create trigger postings_immutable before update or delete on ledger.postings for each row execute function ledger.refuse();
create trigger holds_kept before delete on ledger.holds for each row execute function ledger.refuse();
create trigger accounts_kept before delete on ledger.accounts for each row execute function ledger.refuse();
create trigger transfers_whole before truncate on ledger.transfers execute function ledger.refuse();
create trigger postings_whole before truncate on ledger.postings execute function ledger.refuse();
create trigger holds_whole before truncate on ledger.holds execute function ledger.refuse();
create trigger accounts_whole before truncate on ledger.accounts execute function ledger.refuse();

-- The money of an account moves only inside the triggers of postings and holds below.
create function ledger.guard_account() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if (new.balance_minor, new.held_minor, new.entry_count) is distinct from (0::bigint, 0::bigint, 0::bigint) then
      raise exception 'an account begins empty' using errcode = 'check_violation';
    end if;
  elsif (new.id, new.address) is distinct from (old.id, old.address) then
    raise exception 'an account keeps its address' using errcode = 'restrict_violation';
  elsif pg_trigger_depth() < 2 then
    raise exception 'the money of an account changes only by transfers and holds' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger accounts_guard before insert or update on ledger.accounts for each row execute function ledger.guard_account();

-- A transfer and a hold share one space of ids; only a hold's own transfer may carry the hold's id.
create function ledger.guard_transfer() returns trigger language plpgsql as $$
begin
  new.created_at := clock_timestamp();
  if new.hold_id is distinct from new.id and exists (select from ledger.holds where id = new.id) then
    raise exception 'the id % belongs to a hold', new.id using errcode = 'unique_violation';
  end if;
  return new;
end $$;
create trigger transfers_guard before insert on ledger.transfers for each row execute function ledger.guard_transfer();

-- A posting must be what its transfer says; it carries its amount to the account and notes the balance left.
create function ledger.enter_posting() returns trigger language plpgsql as $$
declare
  told ledger.transfers;
  due bigint;
begin
  select * into told from ledger.transfers where id = new.transfer_id;
  due := case new.account_id when told.from_account then -told.amount_minor when told.to_account then told.amount_minor end;
  if due is null or new.amount_minor is distinct from due then
    raise exception 'the posting does not balance transfer %', new.transfer_id using errcode = 'check_violation';
  end if;
  update ledger.accounts set balance_minor = balance_minor + new.amount_minor, entry_count = entry_count + 1
    where id = new.account_id
    returning balance_minor, entry_count into new.balance_minor, new.entry_number;
  return new;
end $$;
create trigger postings_enter before insert on ledger.postings for each row execute function ledger.enter_posting();

-- At commit: both sides are there, so the postings sum to zero, and a transfer of a hold is what that hold resolved to.
create function ledger.check_transfer() returns trigger language plpgsql as $$
begin
  if (select count(*) from ledger.postings where transfer_id = new.id) <> 2 then
    raise exception 'transfer % does not have its two postings', new.id using errcode = 'check_violation';
  end if;
  if new.hold_id is not null and not exists (
      select from ledger.holds where id = new.hold_id and status = 'posted' and posted_minor = new.amount_minor
        and kind = new.kind and from_account = new.from_account and to_account = new.to_account) then
    raise exception 'transfer % is not what hold % was posted as', new.id, new.hold_id using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger transfers_at_commit after insert on ledger.transfers
  deferrable initially deferred for each row execute function ledger.check_transfer();

create function ledger.guard_hold() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status <> 'open' then
      raise exception 'a hold begins open' using errcode = 'check_violation';
    end if;
    if exists (select from ledger.transfers where id = new.id) then
      raise exception 'the id % belongs to a transfer', new.id using errcode = 'unique_violation';
    end if;
    new.created_at := clock_timestamp();
    update ledger.accounts set held_minor = held_minor + new.amount_minor where id = new.from_account;
    return new;
  end if;
  if old.status <> 'open' or new.status = 'open' then
    raise exception 'hold % resolves once', old.id using errcode = 'restrict_violation';
  end if;
  if (new.id, new.kind, new.from_account, new.to_account, new.amount_minor, new.about, new.created_at)
      is distinct from (old.id, old.kind, old.from_account, old.to_account, old.amount_minor, old.about, old.created_at) then
    raise exception 'hold % keeps its content', old.id using errcode = 'restrict_violation';
  end if;
  new.resolved_at := clock_timestamp();
  update ledger.accounts set held_minor = held_minor - old.amount_minor where id = old.from_account;
  return new;
end $$;
create trigger holds_guard before insert or update on ledger.holds for each row execute function ledger.guard_hold();

create function ledger.check_hold() returns trigger language plpgsql as $$
begin
  if new.status = 'posted' and not exists (select from ledger.transfers where hold_id = new.id) then
    raise exception 'hold % was posted without a transfer', new.id using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger holds_at_commit after update on ledger.holds
  deferrable initially deferred for each row execute function ledger.check_hold();
