create schema audit;

-- One thing that happened. Written in the transaction of what it tells; never changed, never removed.
create table audit.entries (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- Which node wrote it, or the application name of the connection.
  source text not null check (length(source) between 1 and 100),
  type text not null check (type ~ '^[a-z][A-Za-z]{0,40}([.][a-z][A-Za-z]{0,40})?$'),
  -- Who did it: player:…, staff:…, agent:…, node:…, visitor, database:….
  actor text not null check (length(actor) between 1 and 200),
  -- To whom or what: player:…, machine:…, agent:…, node:…, transfer:….
  subject text check (length(subject) between 1 and 200),
  -- From which address it was asked.
  address text check (length(address) between 1 and 100),
  before jsonb check (octet_length(before::text) <= 32768),
  after jsonb check (octet_length(after::text) <= 32768),
  facts jsonb not null default '{}' check (jsonb_typeof(facts) = 'object' and octet_length(facts::text) <= 32768)
);
create index entries_at on audit.entries (at, id);
create index entries_of_type on audit.entries (type, id);
create index entries_of_subject on audit.entries (subject, id) where subject is not null;

-- Written with its entry, taken away with its link: what is to be linked, without looking through all entries.
create table audit.waiting (entry_id bigint primary key references audit.entries);

-- The chain: each hash covers the hash before it, the position and the whole entry.
create table audit.links (
  position bigint primary key check (position >= 1),
  entry_id bigint not null unique references audit.entries,
  hash bytea not null check (octet_length(hash) = 32),
  linked_at timestamptz not null default clock_timestamp()
);

create function audit.refuse() returns trigger language plpgsql as $$
begin
  raise exception 'audit.% only grows (% refused)', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;
create trigger entries_immutable before update or delete on audit.entries for each row execute function audit.refuse();
create trigger entries_whole before truncate on audit.entries execute function audit.refuse();
create trigger links_immutable before update or delete on audit.links for each row execute function audit.refuse();
create trigger links_whole before truncate on audit.links execute function audit.refuse();
create trigger waiting_immutable before update on audit.waiting for each row execute function audit.refuse();
create trigger waiting_whole before truncate on audit.waiting execute function audit.refuse();

-- The time is the database's, whatever was asked for.
create function audit.take_entry() returns trigger language plpgsql as $$
begin
  new.at := clock_timestamp();
  return new;
end $$;
create trigger entries_time before insert on audit.entries for each row execute function audit.take_entry();

create function audit.await_link() returns trigger language plpgsql as $$
begin
  insert into audit.waiting (entry_id) values (new.id);
  return null;
end $$;
create trigger entries_waiting after insert on audit.entries for each row execute function audit.await_link();

create function audit.keep_waiting() returns trigger language plpgsql as $$
begin
  if not exists (select from audit.links where entry_id = old.entry_id) then
    raise exception 'entry % is not linked yet', old.entry_id using errcode = 'restrict_violation';
  end if;
  return old;
end $$;
create trigger waiting_kept before delete on audit.waiting for each row execute function audit.keep_waiting();

-- A value with its length in front of it: no two different entries are written alike. Nothing: a dash.
create function audit.field(value text) returns text language sql immutable as
  $$ select case when value is null then '-' else octet_length(value) || ':' || value end || ';' $$;

-- What a hash covers of an entry. The program has the same in chain.ts, and checks by its own.
create function audit.canonical(at_position bigint, e audit.entries) returns text language sql stable as $$
  select audit.field(at_position::text) || audit.field(e.id::text)
    || audit.field(to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
    || audit.field(e.source) || audit.field(e.type) || audit.field(e.actor) || audit.field(e.subject) || audit.field(e.address)
    || audit.field(e.before::text) || audit.field(e.after::text) || audit.field(e.facts::text)
$$;

-- Links up to `most` entries that wait, in their order; answers how many. One process at a time: another that comes meanwhile answers 0.
create function audit.link_waiting(most integer) returns integer language plpgsql as $$
declare
  tail bytea;
  place bigint;
  entry audit.entries;
  linked integer := 0;
begin
  if not exists (select from audit.waiting) or not pg_try_advisory_xact_lock(7045, 5001) then return 0; end if;
  select position, hash into place, tail from audit.links order by position desc limit 1;
  if not found then
    place := 0;
    tail := decode(repeat('00', 32), 'hex');
  end if;
  for entry in
    select e.* from audit.entries e where e.id in (select entry_id from audit.waiting order by entry_id limit most) order by e.id
  loop
    place := place + 1;
    tail := sha256(tail || convert_to(audit.canonical(place, entry), 'UTF8'));
    insert into audit.links (position, entry_id, hash) values (place, entry.id, tail);
    delete from audit.waiting where entry_id = entry.id;
    linked := linked + 1;
  end loop;
  return linked;
end $$;

-- Who acts in this transaction, as the program says (set_config('longarm.actor', …, true)); else what `otherwise` says.
create function audit.actor_now(otherwise text) returns text language sql stable as
  $$ select left(coalesce(nullif(current_setting('longarm.actor', true), ''), otherwise), 200) $$;

-- What is longer than an entry takes is kept by its hash: the entry must never be what makes a change fail.
create function audit.short(value jsonb) returns jsonb language sql immutable as $$
  select case when octet_length(value::text) > 30000
    then jsonb_build_object('cut', octet_length(value::text), 'sha256', encode(sha256(convert_to(value::text, 'UTF8')), 'hex')) else value end
$$;

-- Writes an entry for a changed row. A connection that is none of ours has changed it from outside.
create function audit.note(p_type text, p_actor text, p_subject text, p_address text, p_before jsonb, p_after jsonb, p_facts jsonb)
returns void language plpgsql as $$
declare
  application text := coalesce(nullif(current_setting('application_name', true), ''), 'unnamed');
  ours boolean := application like 'longarm%';
begin
  insert into audit.entries (source, type, actor, subject, address, before, after, facts) values (
    left(coalesce(nullif(current_setting('longarm.source', true), ''), application), 100),
    case when ours then p_type else 'data.changedOutside' end,
    case when ours then audit.actor_now(p_actor) else left('database:' || session_user, 200) end,
    left(p_subject, 200), left(nullif(p_address, ''), 100), audit.short(p_before), audit.short(p_after),
    audit.short(coalesce(p_facts, '{}')) || case when ours then '{}' else jsonb_build_object('is', p_type, 'application', left(application, 64),
      'from', coalesce(host(inet_client_addr()), 'this computer')) end);
end $$;

-- Of the columns that differ: what they were and what they are. `hidden` ones say only that they changed, `ignored` ones do not count.
create function audit.difference(was jsonb, now jsonb, hidden text[], ignored text[], out before jsonb, out after jsonb)
language sql immutable as $$
  select jsonb_object_agg(key, case when key = any(hidden) then to_jsonb('[hidden]'::text) else was -> key end),
    jsonb_object_agg(key, case when key = any(hidden) then to_jsonb('[hidden, changed]'::text) else now -> key end)
  from jsonb_object_keys(was || now) key where was -> key is distinct from now -> key and key <> all(ignored)
$$;
