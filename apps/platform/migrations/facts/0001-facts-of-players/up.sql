-- Webhook deliveries about one subject go out one after the other; null: in no order.
alter table outbox_delivery add column ordered_by text check (length(ordered_by) between 1 and 200);
create index outbox_delivery_in_order on outbox_delivery (target, ordered_by, id) where state = 'waiting' and ordered_by is not null;

create or replace function outbox_fans_out() returns trigger language plpgsql as $$
begin
  insert into outbox_delivery (fact_seq, channel, target, ordered_by) select new.seq, 'webhook', name, new.subject from webhook_target where active;
  return null;
end $$;

-- Writes a fact about a player, where somebody receives it. It runs at commit, when the transaction waits for no other row: the lock makes
-- numbers of one player's facts grow in the order in which they happened, and can be part of no deadlock.
create function note_player_fact(p_type text, p_player text, p_data jsonb) returns void language plpgsql as $$
declare
  about text := 'player:' || p_player;
begin
  if not exists (select from webhook_target where active) then return; end if;
  perform pg_advisory_xact_lock(hashtextextended('outbox/' || about, 0));
  insert into outbox_fact (id, type, subject, data)
    values ('evt_' || replace(gen_random_uuid()::text, '-', ''), p_type, about, jsonb_build_object('player', p_player) || p_data);
end $$;

-- Times in facts: ISO 8601 in UTC.
create function fact_time(t timestamptz) returns text language sql stable as $$
  select to_char(t at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

create function player_is_a_fact() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then perform note_player_fact('player.added', new.id, '{}');
  elsif (old.banned_at is null) <> (new.banned_at is null) then
    perform note_player_fact(case when new.banned_at is null then 'player.unbanned' else 'player.banned' end, new.id, '{}');
  end if;
  return null;
end $$;
create constraint trigger player_is_a_fact after insert or update of banned_at on player
  deferrable initially deferred for each row execute function player_is_a_fact();

-- `wallet.deposit`, `wallet.withdraw`, `wallet.cashIn`, … : the kind of the transfer. `amount` is what the wallet gained or gave.
create function posting_is_a_fact() returns trigger language plpgsql as $$
declare
  moved ledger.transfers;
  owner text := substring((select address from ledger.accounts where id = new.account_id) from '^player:(.*)$');
  machine text;
begin
  if owner is null then return null; end if;
  select * into moved from ledger.transfers where id = new.transfer_id;
  select substring(address from '^machine:(.*)$') into machine from ledger.accounts
    where id = case new.account_id when moved.from_account then moved.to_account else moved.from_account end;
  perform note_player_fact('wallet.' || moved.kind, owner, jsonb_build_object('transfer', moved.id, 'amount', new.amount_minor,
    'balance', new.balance_minor, 'machine', machine, 'at', fact_time(moved.created_at)));
  return null;
end $$;
create constraint trigger posting_is_a_fact after insert on ledger.postings
  deferrable initially deferred for each row execute function posting_is_a_fact();

create function player_limit_is_a_fact() returns trigger language plpgsql as $$
begin
  if new.kind = 'exclusion' then
    perform note_player_fact('player.exclusion', new.player_id, jsonb_build_object('by', new.owner,
      'until', fact_time(to_timestamp(new.value / 1000.0)), 'from', fact_time(new.effective_at)));
  else
    perform note_player_fact('player.limit', new.player_id, jsonb_build_object('limit', player_limit_key(new), 'value', new.value,
      'by', new.owner, 'from', fact_time(new.effective_at)));
  end if;
  return null;
end $$;
create constraint trigger player_limit_is_a_fact after insert on player_limit
  deferrable initially deferred for each row execute function player_limit_is_a_fact();

create function player_break_is_a_fact() returns trigger language plpgsql as $$
begin
  perform note_player_fact('player.break', new.player_id, jsonb_build_object('kind', new.kind, 'from', fact_time(new.from_at),
    'until', fact_time(new.until)));
  return null;
end $$;
create constraint trigger player_break_is_a_fact after insert on player_break
  deferrable initially deferred for each row execute function player_break_is_a_fact();

create function player_reopening_is_a_fact() returns trigger language plpgsql as $$
begin
  perform note_player_fact('player.reopening', (select b.player_id from player_break b where b.id = new.break_id),
    jsonb_build_object('from', fact_time(new.opens_at)));
  return null;
end $$;
create constraint trigger player_reopening_is_a_fact after insert on player_reopening
  deferrable initially deferred for each row execute function player_reopening_is_a_fact();

create function identity_decision_is_a_fact() returns trigger language plpgsql as $$
begin
  perform note_player_fact('player.identity', new.player_id, jsonb_build_object('state', new.state));
  return null;
end $$;
create constraint trigger identity_decision_is_a_fact after insert on identity_decision
  deferrable initially deferred for each row execute function identity_decision_is_a_fact();
