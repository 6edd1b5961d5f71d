-- The life of each machine. `expected`: enrolled, and no agent has brought it yet. `retired`: out of the lobby and of the floor; its history stays.
create table machine_life (
  machine_id text primary key,
  state text not null check (state in ('expected', 'inService', 'retired')),
  -- Only this agent may bring it; null: the one that does.
  agent_id text references agent,
  -- The venue's name for it; null: the one that its agent reports.
  name text check (length(name) between 1 and 64),
  -- The group that it is put into when it comes.
  group_wanted text check (length(group_wanted) between 1 and 100),
  -- Of its paytable sheet, percent times 100.
  theoretical_return integer check (theoretical_return between 1 and 20000),
  enrolled_at timestamptz not null default clock_timestamp(),
  retired_at timestamptz,
  -- Who changed it last and why.
  changed_by text not null check (length(changed_by) between 1 and 100),
  reason text not null default '' check (length(reason) <= 200),
  check ((state = 'retired') = (retired_at is not null))
);
insert into machine_life (machine_id, state, enrolled_at, changed_by)
  select id, 'inService', least(last_seen_at, meters_at), 'platform' from machine;

create function machine_life_steps() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.state <> 'expected' then
      raise exception 'the life of % is part of the record', old.machine_id using errcode = 'restrict_violation';
    end if;
    return old;
  end if;
  if new.machine_id <> old.machine_id or new.enrolled_at <> old.enrolled_at
    or (old.state <> new.state and (old.state, new.state) not in (('expected', 'inService'), ('inService', 'retired'), ('retired', 'inService'))) then
    raise exception 'the machine % does not go from % to %', old.machine_id, old.state, new.state using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger machine_life_steps before update or delete on machine_life for each row execute function machine_life_steps();

create function machine_life_tells() returns trigger language plpgsql as $$
declare
  was jsonb := case when tg_op = 'INSERT' then '{}'::jsonb else to_jsonb(old) end;
  is_now jsonb := case when tg_op = 'DELETE' then '{}'::jsonb else to_jsonb(new) end;
  changed record;
begin
  select * into changed from audit.difference(was, is_now, '{}', array['machine_id', 'changed_by', 'reason', 'enrolled_at', 'retired_at']);
  if changed.before is null and changed.after is null then return null; end if;
  perform audit.note('machine.life', coalesce(is_now ->> 'changed_by', 'platform'), 'machine:' || coalesce(is_now ->> 'machine_id', was ->> 'machine_id'),
    null, changed.before, changed.after, jsonb_build_object('reason', coalesce(is_now ->> 'reason', '')));
  return null;
end $$;
create trigger machine_life_tells after insert or update or delete on machine_life for each row execute function machine_life_tells();

-- A RAM clear: what the machine had counted, what it counts now, and between them the gap that nobody counted. Rows stay.
create table ram_clear (
  id bigint generated always as identity primary key,
  machine_id text not null references machine,
  -- `waiting`: ordered, and the machine has not come back with new meters.
  state text not null default 'waiting' check (state in ('waiting', 'done', 'cancelled')),
  ordered_at timestamptz not null default clock_timestamp(),
  -- One or two people; `cli:` and a name for the command line.
  people text[] not null check (cardinality(people) between 1 and 2),
  reason text not null check (length(reason) between 1 and 200),
  -- The last reading before, and what the machine last reported: credit, games, running meters where they are known.
  before_reading bigint,
  before jsonb not null,
  before_at timestamptz not null,
  after_reading bigint,
  after jsonb,
  decided_at timestamptz,
  foreign key (machine_id, before_reading) references meter_reading (machine_id, number),
  foreign key (machine_id, after_reading) references meter_reading (machine_id, number),
  check ((state = 'waiting') = (decided_at is null)),
  check ((state = 'done') = (after is not null and after_reading is not null))
);
create unique index ram_clear_waiting on ram_clear (machine_id) where state = 'waiting';

create function ram_clear_stays() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or old.state <> 'waiting'
    or (new.id, new.machine_id, new.ordered_at, new.people, new.reason, new.before_reading, new.before, new.before_at)
      is distinct from (old.id, old.machine_id, old.ordered_at, old.people, old.reason, old.before_reading, old.before, old.before_at) then
    raise exception 'a RAM clear is part of the record' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger ram_clear_stays before update or delete on ram_clear for each row execute function ram_clear_stays();

create function ram_clear_tells() returns trigger language plpgsql as $$
begin
  perform audit.note('machine.ramClear', case when new.state = 'done' then 'platform' else 'staff:' || new.people[1] end, 'machine:' || new.machine_id, null,
    case tg_op when 'UPDATE' then jsonb_build_object('state', old.state, 'meters', new.before) end,
    jsonb_build_object('state', new.state, 'meters', new.after),
    jsonb_build_object('reason', new.reason, 'people', new.people, 'gapFrom', new.before_at, 'gapTo', new.decided_at));
  return null;
end $$;
create trigger ram_clear_tells after insert or update on ram_clear for each row execute function ram_clear_tells();

-- Added to the machine's own count of games, so that its games are numbered on after a RAM clear.
alter table machine add column games_base bigint not null default 0 check (games_base >= 0);
alter table meter_reading drop constraint meter_reading_why_check;
alter table meter_reading add constraint meter_reading_why_check check (why in ('hello', 'settled', 'day', 'play', 'ramClear'));
