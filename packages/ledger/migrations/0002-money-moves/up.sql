-- What every move answers: `problem` null when done; `replayed` when this id had done the same before.
create type ledger.answer as (problem text, replayed boolean, record jsonb);

create function ledger.done(replayed boolean, record jsonb) returns ledger.answer language sql immutable as
  $$ select row(null::text, replayed, record)::ledger.answer $$;

create function ledger.refused(problem text) returns ledger.answer language sql immutable as
  $$ select row(problem, false, null::jsonb)::ledger.answer $$;

create function ledger.address_of(account bigint) returns text language sql stable as
  $$ select address from ledger.accounts where id = account $$;

create function ledger.transfer_record(wanted text) returns jsonb language sql stable as $$
  select jsonb_build_object('id', t.id, 'kind', t.kind, 'from', f.address, 'to', o.address,
    'amountMinor', t.amount_minor, 'about', t.about, 'holdId', t.hold_id, 'corrects', t.corrects, 'createdAt', t.created_at,
    'fromBalanceMinor', (select balance_minor from ledger.postings where transfer_id = t.id and account_id = t.from_account),
    'toBalanceMinor', (select balance_minor from ledger.postings where transfer_id = t.id and account_id = t.to_account))
  from ledger.transfers t
  join ledger.accounts f on f.id = t.from_account
  join ledger.accounts o on o.id = t.to_account
  where t.id = wanted
$$;

create function ledger.hold_record(wanted text) returns jsonb language sql stable as $$
  select jsonb_build_object('id', h.id, 'kind', h.kind, 'from', f.address, 'to', o.address,
    'amountMinor', h.amount_minor, 'about', h.about, 'status', h.status, 'postedMinor', h.posted_minor,
    'voidReason', h.void_reason, 'createdAt', h.created_at, 'resolvedAt', h.resolved_at,
    'transferId', (select id from ledger.transfers where hold_id = h.id))
  from ledger.holds h
  join ledger.accounts f on f.id = h.from_account
  join ledger.accounts o on o.id = h.to_account
  where h.id = wanted
$$;

-- Makes missing accounts and locks both, in the order of their ids.
create function ledger.lock_accounts(p_from text, p_to text, out from_id bigint, out to_id bigint, out available bigint)
language plpgsql as $$
declare
  account ledger.accounts;
begin
  if (select count(*) from ledger.accounts where address in (p_from, p_to)) < 2 then
    insert into ledger.accounts (address) select a from unnest(array[p_from, p_to]) a order by a on conflict do nothing;
  end if;
  for account in select * from ledger.accounts where address in (p_from, p_to) order by id for no key update loop
    if account.address = p_from then
      from_id := account.id;
      available := account.balance_minor - account.held_minor;
    else
      to_id := account.id;
    end if;
  end loop;
end $$;

-- Only players are kept from going below zero.
create function ledger.can_give(p_from text, p_available bigint, p_amount bigint) returns boolean language sql immutable as
  $$ select p_from not like 'player:%' or p_available >= p_amount $$;

create function ledger.take_turn(p_id text) returns void language sql as
  $$ select pg_advisory_xact_lock(hashtextextended(p_id, 7045)) $$;

create function ledger.write_transfer(p_id text, p_kind text, p_from bigint, p_to bigint, p_amount bigint, p_about jsonb,
  p_hold text, p_corrects text) returns jsonb language plpgsql as $$
begin
  insert into ledger.transfers (id, kind, from_account, to_account, amount_minor, about, hold_id, corrects)
    values (p_id, p_kind, p_from, p_to, p_amount, p_about, p_hold, p_corrects);
  insert into ledger.postings (transfer_id, account_id, amount_minor)
    values (p_id, p_from, -p_amount), (p_id, p_to, p_amount);
  return ledger.transfer_record(p_id);
end $$;

create function ledger.transfer(p_id text, p_kind text, p_from text, p_to text, p_amount bigint, p_about jsonb)
returns ledger.answer language plpgsql as $$
declare
  earlier ledger.transfers;
  locked record;
begin
  perform ledger.take_turn(p_id);
  select * into earlier from ledger.transfers where id = p_id;
  if found then
    if earlier.hold_id is null and earlier.corrects is null
        and (earlier.kind, earlier.amount_minor, earlier.about) = (p_kind, p_amount, p_about)
        and ledger.address_of(earlier.from_account) = p_from and ledger.address_of(earlier.to_account) = p_to then
      return ledger.done(true, ledger.transfer_record(p_id));
    end if;
    return ledger.refused('transfer.id_conflict');
  end if;
  if exists (select from ledger.holds where id = p_id) then return ledger.refused('transfer.id_conflict'); end if;
  select * into locked from ledger.lock_accounts(p_from, p_to);
  if not ledger.can_give(p_from, locked.available, p_amount) then return ledger.refused('wallet.insufficient_funds'); end if;
  return ledger.done(false, ledger.write_transfer(p_id, p_kind, locked.from_id, locked.to_id, p_amount, p_about, null, null));
end $$;

create function ledger.hold(p_id text, p_kind text, p_from text, p_to text, p_amount bigint, p_about jsonb)
returns ledger.answer language plpgsql as $$
declare
  earlier ledger.holds;
  locked record;
begin
  perform ledger.take_turn(p_id);
  select * into earlier from ledger.holds where id = p_id;
  if found then
    if (earlier.kind, earlier.amount_minor, earlier.about) = (p_kind, p_amount, p_about)
        and ledger.address_of(earlier.from_account) = p_from and ledger.address_of(earlier.to_account) = p_to then
      return ledger.done(true, ledger.hold_record(p_id));
    end if;
    return ledger.refused('transfer.id_conflict');
  end if;
  if exists (select from ledger.transfers where id = p_id) then return ledger.refused('transfer.id_conflict'); end if;
  select * into locked from ledger.lock_accounts(p_from, p_to);
  if not ledger.can_give(p_from, locked.available, p_amount) then return ledger.refused('wallet.insufficient_funds'); end if;
  insert into ledger.holds (id, kind, from_account, to_account, amount_minor, about)
    values (p_id, p_kind, locked.from_id, locked.to_id, p_amount, p_about);
  return ledger.done(false, ledger.hold_record(p_id));
end $$;

-- `p_about` is added to what the hold said. The transfer may have an id of its own, or the hold's.
create function ledger.post(p_hold text, p_amount bigint, p_id text, p_about jsonb)
returns ledger.answer language plpgsql as $$
declare
  held ledger.holds;
  earlier ledger.transfers;
begin
  perform ledger.take_turn(p_hold);
  if p_id <> p_hold then perform ledger.take_turn(p_id); end if;
  select * into held from ledger.holds where id = p_hold;
  if not found then return ledger.refused('hold.unknown'); end if;
  if held.status = 'void' then return ledger.refused('hold.already_void'); end if;
  if held.status = 'posted' then
    select * into earlier from ledger.transfers where hold_id = p_hold;
    if (earlier.id, earlier.amount_minor, earlier.about) = (p_id, p_amount, held.about || p_about) then
      return ledger.done(true, ledger.transfer_record(earlier.id));
    end if;
    return ledger.refused('hold.already_posted');
  end if;
  if p_amount > held.amount_minor then return ledger.refused('hold.amount_exceeded'); end if;
  if exists (select from ledger.transfers where id = p_id)
      or (p_id <> p_hold and exists (select from ledger.holds where id = p_id)) then
    return ledger.refused('transfer.id_conflict');
  end if;
  perform ledger.lock_accounts(ledger.address_of(held.from_account), ledger.address_of(held.to_account));
  update ledger.holds set status = 'posted', posted_minor = p_amount where id = p_hold;
  return ledger.done(false, ledger.write_transfer(p_id, held.kind, held.from_account, held.to_account, p_amount,
    held.about || p_about, p_hold, null));
end $$;

create function ledger.void(p_hold text, p_reason text) returns ledger.answer language plpgsql as $$
declare
  held ledger.holds;
begin
  perform ledger.take_turn(p_hold);
  select * into held from ledger.holds where id = p_hold;
  if not found then return ledger.refused('hold.unknown'); end if;
  if held.status = 'posted' then return ledger.refused('hold.already_posted'); end if;
  if held.status = 'void' then return ledger.done(true, ledger.hold_record(p_hold)); end if;
  update ledger.holds set status = 'void', void_reason = p_reason where id = p_hold;
  return ledger.done(false, ledger.hold_record(p_hold));
end $$;

-- Moves money back. `p_amount` null: all that earlier corrections of that transfer have left.
create function ledger.correct(p_id text, p_transfer text, p_amount bigint, p_about jsonb)
returns ledger.answer language plpgsql as $$
declare
  wrong ledger.transfers;
  earlier ledger.transfers;
  locked record;
  rest bigint;
begin
  perform ledger.take_turn(p_id);
  select * into earlier from ledger.transfers where id = p_id;
  if found then
    if earlier.corrects = p_transfer and earlier.amount_minor = coalesce(p_amount, earlier.amount_minor)
        and earlier.about = p_about then
      return ledger.done(true, ledger.transfer_record(p_id));
    end if;
    return ledger.refused('transfer.id_conflict');
  end if;
  if exists (select from ledger.holds where id = p_id) then return ledger.refused('transfer.id_conflict'); end if;
  select * into wrong from ledger.transfers where id = p_transfer;
  if not found then return ledger.refused('transfer.unknown'); end if;
  select * into locked from ledger.lock_accounts(ledger.address_of(wrong.to_account), ledger.address_of(wrong.from_account));
  select wrong.amount_minor - coalesce(sum(amount_minor), 0) into rest from ledger.transfers where corrects = p_transfer;
  if rest = 0 or coalesce(p_amount, rest) > rest then return ledger.refused('transfer.corrected'); end if;
  if not ledger.can_give(ledger.address_of(wrong.to_account), locked.available, coalesce(p_amount, rest)) then
    return ledger.refused('wallet.insufficient_funds');
  end if;
  return ledger.done(false, ledger.write_transfer(p_id, 'correction', wrong.to_account, wrong.from_account,
    coalesce(p_amount, rest), p_about, null, p_transfer));
end $$;

-- Everything that must hold at any moment, read in one snapshot. No row: all is well.
create function ledger.breaches() returns table (rule text, subject text, detail text) language sql stable as $$
  select 'sum_zero', 'all accounts', 'balances sum to ' || sum(balance_minor)
    from ledger.accounts having sum(balance_minor) <> 0
  union all
  select 'balance_is_postings', a.address, format('balance %s, postings %s', a.balance_minor, coalesce(p.total, 0))
    from ledger.accounts a
    left join (select account_id, sum(amount_minor) as total from ledger.postings group by account_id) p on p.account_id = a.id
    where a.balance_minor <> coalesce(p.total, 0)
  union all
  select 'entries_without_gaps', a.address, format('%s entries counted, %s kept, last %s', a.entry_count, coalesce(p.kept, 0), p.last)
    from ledger.accounts a
    left join (select account_id, count(*) as kept, max(entry_number) as last from ledger.postings group by account_id) p
      on p.account_id = a.id
    where a.entry_count <> coalesce(p.kept, 0) or a.entry_count <> coalesce(p.last, 0)
  union all
  select 'held_is_open_holds', a.address, format('held %s, open holds %s', a.held_minor, coalesce(h.total, 0))
    from ledger.accounts a
    left join (select from_account, sum(amount_minor) as total from ledger.holds where status = 'open' group by from_account) h
      on h.from_account = a.id
    where a.held_minor <> coalesce(h.total, 0)
  union all
  select 'player_not_below_zero', address, format('balance %s, held %s', balance_minor, held_minor)
    from ledger.accounts where address like 'player:%' and balance_minor - held_minor < 0
  union all
  select 'transfer_balances', t.id, format('%s postings sum to %s', count(p.transfer_id), coalesce(sum(p.amount_minor), 0))
    from ledger.transfers t left join ledger.postings p on p.transfer_id = t.id
    group by t.id having count(p.transfer_id) <> 2 or sum(p.amount_minor) <> 0
  union all
  select 'hold_resolved_once', h.id, 'posted hold without its transfer'
    from ledger.holds h left join ledger.transfers t on t.hold_id = h.id and t.amount_minor = h.posted_minor
    where h.status = 'posted' and t.id is null
  union all
  select 'hold_resolved_once', h.id, 'transfer of a hold that was not posted'
    from ledger.holds h join ledger.transfers t on t.hold_id = h.id where h.status <> 'posted'
$$;
