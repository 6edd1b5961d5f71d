-- What staff wants of a machine. No row: it is open to everybody.
create table machine_control (
  machine_id text primary key references machine,
  -- draining: who plays is brought to an end and nobody new sits; disabled: also no new game; stopped: the emergency stop.
  mode text not null default 'open' check (mode in ('open', 'draining', 'disabled', 'stopped')),
  -- When the machine itself confirmed the mode; null: it has still to be told.
  told_at timestamptz,
  reserved_for text references player,
  reserved_until timestamptz,
  reason text not null default '',
  changed_by text not null check (length(changed_by) between 1 and 100),
  changed_at timestamptz not null default clock_timestamp(),
  check ((reserved_for is null) = (reserved_until is null))
);
create index machine_control_reserved on machine_control (reserved_until) where reserved_until is not null;
create index machine_control_closed on machine_control (machine_id) where mode <> 'open' or told_at is null;

-- A limit of a player, set by the player or by the house; of both the stricter one holds. The last row of a kind and owner whose time has come
-- is the one that holds: a row that relaxes gets a time to come, and a stricter one after it takes its place.
create table player_limit (
  id bigint generated always as identity primary key,
  player_id text not null references player,
  -- cashIn: minor units put onto machines in 24 hours; loss: minor units lost in 24 hours; session: minutes of one play session;
  -- exclusion: milliseconds since 1970 until which no play is allowed.
  kind text not null check (kind in ('cashIn', 'loss', 'session', 'exclusion')),
  owner text not null check (owner in ('player', 'house')),
  -- Null: none.
  value bigint check (value >= 0),
  effective_at timestamptz not null,
  set_at timestamptz not null default clock_timestamp(),
  set_by text not null check (length(set_by) between 1 and 100)
);
create index player_limit_of_player on player_limit (player_id, kind, owner, id desc);

create function player_limit_stays() returns trigger language plpgsql as $$
begin
  raise exception 'a limit is never changed, the next row takes its place (% refused)', lower(tg_op) using errcode = 'restrict_violation';
end $$;
create trigger player_limit_stays before update or delete on player_limit
  for each row execute function player_limit_stays();
create trigger player_limit_is_kept before truncate on player_limit
  for each statement execute function player_limit_stays();

-- Both are told to the audit log, with what was before (its functions come with a later set and are looked for when a row is written).
create function machine_control_tells() returns trigger language plpgsql as $$
declare
  was jsonb := case when tg_op = 'INSERT' then '{"mode":"open"}' else to_jsonb(old) end;
  changed record;
begin
  if tg_op = 'DELETE' then
    perform audit.note('machine.control', 'platform', 'machine:' || old.machine_id, null, to_jsonb(old), null, null);
    return null;
  end if;
  select * into changed from audit.difference(was, to_jsonb(new), '{}', array['machine_id', 'told_at', 'changed_by', 'changed_at', 'reason']);
  if changed.after is not null then
    perform audit.note('machine.control', 'staff:' || new.changed_by, 'machine:' || new.machine_id, null, changed.before, changed.after,
      jsonb_build_object('reason', new.reason));
  end if;
  return null;
end $$;
create trigger machine_control_tells after insert or update or delete on machine_control
  for each row execute function machine_control_tells();

create function player_limit_tells() returns trigger language plpgsql as $$
declare
  held bigint := (select l.value from player_limit l where l.player_id = new.player_id and l.kind = new.kind and l.owner = new.owner
    and l.effective_at <= clock_timestamp() and l.id < new.id order by l.id desc limit 1);
begin
  perform audit.note('player.limit', 'staff:' || new.set_by, 'player:' || new.player_id, null, jsonb_build_object(new.kind, held),
    jsonb_build_object(new.kind, new.value), jsonb_build_object('owner', new.owner, 'effectiveAt', new.effective_at));
  return null;
end $$;
create trigger player_limit_tells after insert on player_limit for each row execute function player_limit_tells();
