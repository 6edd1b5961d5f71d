-- Keys of agents. The key itself is never stored. An agent has at most two that hold: its newest, and the one before it while both are accepted.
create table agent_key (
  id text primary key,
  agent_id text not null references agent,
  key_sha256 text not null unique,
  made_at timestamptz not null default clock_timestamp(),
  -- Null: it holds until an act ends it.
  ends_at timestamptz,
  -- When an agent last opened a link with it.
  last_used_at timestamptz,
  -- Why it was made, and why its end was set.
  reason text not null default '' check (length(reason) <= 200)
);
create index agent_key_of on agent_key (agent_id, made_at desc);
insert into agent_key (id, agent_id, key_sha256, made_at, ends_at)
  select 'ak_' || substr(md5(id), 1, 20), id, key_sha256, created_at, revoked_at from agent;
alter table agent drop column key_sha256;

-- What each agent said of itself when it last opened a link.
create table agent_hello (
  agent_id text primary key references agent,
  version text not null check (length(version) <= 64),
  -- How far its clock was ahead of the platform's, ms.
  clock_off_ms integer not null,
  at timestamptz not null default clock_timestamp()
);

create function agent_key_tells() returns trigger language plpgsql as $$
begin
  perform audit.note(case tg_op when 'INSERT' then 'agent.keyMade' else 'agent.keyEnds' end, 'platform', 'agent:' || new.agent_id, null,
    case tg_op when 'UPDATE' then jsonb_build_object('endsAt', old.ends_at) end, jsonb_build_object('endsAt', new.ends_at),
    jsonb_build_object('key', new.id, 'reason', new.reason));
  return null;
end $$;
create trigger agent_key_tells after insert on agent_key for each row execute function agent_key_tells();
create trigger agent_key_tells_end after update on agent_key for each row
  when (old.ends_at is distinct from new.ends_at) execute function agent_key_tells();

-- A key that has ended never holds again, and no other one takes its place under its id.
create function agent_key_stays() returns trigger language plpgsql as $$
begin
  if new.key_sha256 <> old.key_sha256 or new.agent_id <> old.agent_id or new.made_at <> old.made_at then
    raise exception 'the key % stays what it is', old.id using errcode = 'restrict_violation';
  end if;
  if old.ends_at <= clock_timestamp() and new.ends_at is distinct from old.ends_at then
    raise exception 'the key % has ended and stays so', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger agent_key_stays before update on agent_key for each row execute function agent_key_stays();
