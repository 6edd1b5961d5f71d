-- The venue's settings: each change is a new row with everything that the venue has set. The newest one holds.
create table settings_version (
  number integer primary key check (number >= 1),
  saved_at timestamptz not null,
  saved_by text not null check (length(saved_by) between 1 and 100),
  signed_by text check (length(signed_by) between 1 and 100),
  reason text not null check (length(reason) between 1 and 200),
  -- Whose content it has again; 0: of the time before the first one.
  rolled_back_to integer check (rolled_back_to >= 0 and rolled_back_to < number),
  content jsonb not null check (jsonb_typeof(content) = 'object' and length(content::text) <= 100000),
  before_hash text not null,
  hash text not null
);

-- Of everything that a row says, and of the row before.
create function settings_hash(v settings_version) returns text language sql immutable as $$
  select encode(sha256(convert_to(jsonb_build_array(v.before_hash, v.number, extract(epoch from v.saved_at)::text, v.saved_by, v.signed_by, v.reason,
    v.rolled_back_to, v.content)::text, 'UTF8')), 'hex')
$$;

-- The writer says what is new; the table itself says when, after which row, and the hash. Two writers of the same number: the primary key lets one in.
create function settings_version_links() returns trigger language plpgsql as $$
declare
  last settings_version;
begin
  select * into last from settings_version order by number desc limit 1;
  if new.number <> coalesce(last.number, 0) + 1 then
    raise exception 'version % of the settings does not follow %', new.number, coalesce(last.number, 0) using errcode = 'unique_violation';
  end if;
  new.saved_at := clock_timestamp();
  new.before_hash := coalesce(last.hash, '');
  new.hash := settings_hash(new);
  return new;
end $$;
create trigger settings_version_links before insert on settings_version for each row execute function settings_version_links();

create function settings_version_stays() returns trigger language plpgsql as $$
begin
  raise exception 'a version of the settings is never changed, the next one takes its place (% refused)', lower(tg_op) using errcode = 'restrict_violation';
end $$;
create trigger settings_version_stays before update or delete on settings_version for each row execute function settings_version_stays();
create trigger settings_version_remains before truncate on settings_version for each statement execute function settings_version_stays();

-- The first version that is not what was saved; null: every one is.
create function settings_break() returns integer language sql stable as $$
  select min(number) from (
    select v.number, v.hash = settings_hash(v) and v.before_hash = coalesce(lag(v.hash) over (order by v.number), '')
      and v.number = row_number() over (order by v.number) as is_whole
    from settings_version v
  ) as checked where not is_whole
$$;

create function settings_version_tells() returns trigger language plpgsql as $$
declare
  held jsonb;
  was jsonb;
  becomes jsonb;
begin
  select content into held from settings_version where number = new.number - 1;
  held := coalesce(held, '{}');
  select coalesce(jsonb_object_agg(key, held -> key), '{}'), coalesce(jsonb_object_agg(key, new.content -> key), '{}') into was, becomes
    from (select jsonb_object_keys(held || new.content) as key) as keys where held -> key is distinct from new.content -> key;
  perform audit.note('parameters.changed', 'staff:' || new.saved_by, 'settings', null, was, becomes, jsonb_strip_nulls(jsonb_build_object('version', new.number,
    'reason', new.reason, 'signedBy', new.signed_by, 'rolledBackTo', new.rolled_back_to)));
  return null;
end $$;
create trigger settings_version_tells after insert on settings_version for each row execute function settings_version_tells();
