-- Money that moves between the operator's own wallet and ours: out of it for a cash-in, back into it for everything that a player's account holds.
create table remote_move (
  id text primary key check (id ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$'),
  player_id text not null references player,
  kind text not null check (kind in ('debit', 'credit')),
  -- Minor units.
  amount bigint not null check (amount between 1 and 9000000000000),
  -- Debit: requested, then granted or refused or undoing; granted, then booked or undoing; undoing, then undone. Credit: sending, then done.
  state text not null check (state in ('requested', 'granted', 'refused', 'booked', 'undoing', 'undone', 'sending', 'done')),
  made_at timestamptz not null default clock_timestamp(),
  changed_at timestamptz not null default clock_timestamp(),
  -- From when on it is requested again, and how often it was.
  next_at timestamptz not null default clock_timestamp(),
  tries integer not null default 0 check (tries >= 0),
  last_answer text check (length(last_answer) <= 200),
  check ((kind = 'credit') = (state in ('sending', 'done')))
);
create index remote_move_due on remote_move (next_at) where state in ('undoing', 'sending');
create index remote_move_open on remote_move (changed_at) where state in ('requested', 'granted');
create index remote_move_of on remote_move (player_id, made_at desc);

-- What the operator's wallet said last.
create table remote_balance (
  player_id text primary key references player,
  balance bigint not null check (balance >= 0),
  at timestamptz not null default clock_timestamp()
);

create function remote_move_stays() returns trigger language plpgsql as $$
begin
  raise exception 'a movement of the operator''s wallet has one end (% refused)', lower(tg_op) using errcode = 'restrict_violation';
end $$;
create trigger remote_move_stays before update on remote_move for each row
  when (row (new.id, new.player_id, new.kind, new.amount, new.made_at) is distinct from row (old.id, old.player_id, old.kind, old.amount, old.made_at)
    or (new.state <> old.state and not (
      (old.state = 'requested' and new.state in ('granted', 'refused', 'undoing'))
      or (old.state = 'granted' and new.state in ('booked', 'undoing'))
      or (old.state = 'undoing' and new.state = 'undone')
      or (old.state = 'sending' and new.state = 'done'))))
  execute function remote_move_stays();
create trigger remote_move_is_not_deleted before delete on remote_move for each row execute function remote_move_stays();
create trigger remote_move_is_kept before truncate on remote_move for each statement execute function remote_move_stays();

create function remote_move_tells() returns trigger language plpgsql as $$
begin
  perform audit.note('money.remote', 'platform', 'player:' || new.player_id, null, null, null,
    jsonb_build_object('is', new.state, 'movement', new.id, 'kind', new.kind, 'amount', new.amount));
  return null;
end $$;
create trigger remote_move_tells after insert on remote_move for each row execute function remote_move_tells();
create trigger remote_move_change_tells after update on remote_move for each row
  when (old.state is distinct from new.state) execute function remote_move_tells();
