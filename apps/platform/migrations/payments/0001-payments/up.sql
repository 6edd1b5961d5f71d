-- Money that a player wants to add or to withdraw, and what became of it.
create table payment (
  id text primary key check (length(id) between 1 and 64),
  player_id text not null references player,
  -- The page's own id: the same one requests once.
  request_id text not null check (request_id ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{7,63}$'),
  kind text not null check (kind in ('deposit', 'withdrawal')),
  -- `desk`: the cashier's desk; else the name of a provider.
  way text not null check (way ~ '^[a-z][a-z0-9-]{0,31}$'),
  -- Minor units that were wanted.
  amount bigint not null check (amount between 1 and 9000000000000),
  state text not null default 'requested' check (state in ('requested', 'authorised', 'captured', 'inReview', 'approved', 'sent', 'paid',
    'refused', 'cancelled', 'expired', 'failed', 'reversed', 'chargedBack')),
  -- What the desk types; null: the way has none.
  code text check (code ~ '^[0-9A-Z]{6}$'),
  made_at timestamptz not null default clock_timestamp(),
  -- Then it is over by itself; null: it is not.
  expires_at timestamptz,
  -- Minor units that moved, and the ledger's transfer of them.
  moved bigint check (moved > 0),
  transfer_id text,
  -- Why it was refused, in the words of who refused.
  reason text check (length(reason) between 1 and 200),
  -- Who brought it into its state: `player:…`, `staff:…`, `platform`, `provider:…`.
  changed_by text not null check (length(changed_by) between 1 and 100),
  unique (player_id, request_id),
  check ((moved is null) = (transfer_id is null)),
  check ((transfer_id is not null) = (state in ('captured', 'paid', 'reversed', 'chargedBack')) or state in ('reversed', 'failed'))
);
-- A code leads to one payment while that can be paid.
create unique index payment_code on payment (code) where state in ('requested', 'authorised', 'inReview');
create index payment_of_player on payment (player_id, made_at desc, id desc);
create index payment_listed on payment (made_at desc, id desc);
create index payment_open on payment (expires_at) where state in ('requested', 'authorised', 'inReview', 'approved', 'sent');
create unique index payment_transfer on payment (transfer_id) where transfer_id is not null;

-- Each state that it had: rows are only added, by the trigger.
create table payment_step (
  id bigint generated always as identity primary key,
  payment_id text not null references payment,
  state text not null,
  at timestamptz not null default clock_timestamp(),
  changed_by text not null,
  reason text
);
create index payment_step_of on payment_step (payment_id, id);

create function payment_stays() returns trigger language plpgsql as $$
begin
  raise exception 'what a payment says is never changed or removed (% of % refused)', lower(tg_op), tg_table_name using errcode = 'restrict_violation';
end $$;
-- Money that has moved may still go back; every other end is final.
create trigger payment_stays before update on payment for each row
  when (to_jsonb(new) - '{state,expires_at,moved,transfer_id,reason,changed_by}'::text[] is distinct from
      to_jsonb(old) - '{state,expires_at,moved,transfer_id,reason,changed_by}'::text[]
    or (old.transfer_id is not null and new.transfer_id is distinct from old.transfer_id)
    or (old.state in ('refused', 'cancelled', 'expired', 'reversed', 'chargedBack') and new.state is distinct from old.state)
    or (old.state in ('captured', 'paid') and new.state not in (old.state, 'reversed', 'chargedBack', 'failed')))
  execute function payment_stays();
create trigger payment_is_not_deleted before delete on payment for each row execute function payment_stays();
create trigger payment_is_kept before truncate on payment for each statement execute function payment_stays();
create trigger payment_step_stays before update or delete on payment_step for each row execute function payment_stays();
create trigger payment_step_is_kept before truncate on payment_step for each statement execute function payment_stays();

create function payment_tells() returns trigger language plpgsql as $$
begin
  insert into payment_step (payment_id, state, changed_by, reason) values (new.id, new.state, new.changed_by, new.reason);
  perform audit.note('money.payment', new.changed_by, 'player:' || new.player_id, null, null, null,
    jsonb_strip_nulls(jsonb_build_object('is', new.state, 'payment', new.id, 'kind', new.kind, 'way', new.way, 'amount', new.amount,
      'moved', new.moved, 'transfer', new.transfer_id)));
  return null;
end $$;
create trigger payment_tells after insert on payment for each row execute function payment_tells();
create trigger payment_change_tells after update on payment for each row
  when (old.state is distinct from new.state) execute function payment_tells();
