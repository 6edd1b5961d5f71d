-- What was decided of a player's identity: rows are only added, the newest holds. No personal data is in them.
create table identity_decision (
  id bigint generated always as identity primary key,
  player_id text not null references player,
  state text not null check (state in ('pending', 'verified', 'refused')),
  -- The document's last day; after it the player has to prove again. Null: none.
  valid_until date,
  decided_by text not null check (length(decided_by) between 1 and 100),
  reason text not null check (length(reason) between 1 and 200),
  decided_at timestamptz not null default clock_timestamp(),
  check (valid_until is null or state = 'verified')
);
create index identity_decision_of_player on identity_decision (player_id, id desc);

create function identity_decision_stays() returns trigger language plpgsql as $$
begin
  raise exception 'a decision of identity is never changed, the next row takes its place (% refused)', lower(tg_op) using errcode = 'restrict_violation';
end $$;
create trigger identity_decision_stays before update or delete on identity_decision for each row execute function identity_decision_stays();
create trigger identity_decision_is_kept before truncate on identity_decision for each statement execute function identity_decision_stays();

-- The personal data, apart from decisions, audit log and ledger: they are corrected, and erased when the law says so, and no chain breaks.
create table identity_record (
  player_id text primary key references player,
  birth_date date check (birth_date > '1890-01-01' and birth_date < '2100-01-01'),
  -- As the national register knows the person, digits alone.
  personal_number text check (personal_number ~ '^[0-9]{6,20}$'),
  document text check (length(document) between 1 and 100),
  changed_at timestamptz not null default clock_timestamp()
);

create function identity_decision_tells() returns trigger language plpgsql as $$
declare
  held text := (select d.state from identity_decision d where d.player_id = new.player_id and d.id < new.id order by d.id desc limit 1);
begin
  perform audit.note('player.identity', 'staff:' || new.decided_by, 'player:' || new.player_id, null, jsonb_build_object('state', held),
    jsonb_build_object('state', new.state, 'validUntil', new.valid_until), jsonb_build_object('reason', new.reason));
  return null;
end $$;
create trigger identity_decision_tells after insert on identity_decision for each row execute function identity_decision_tells();

-- The audit log knows which age group somebody was put into, never the date.
create function identity_record_tells() returns trigger language plpgsql as $$
declare
  was text := case when tg_op = 'INSERT' then null else identity_age_group(old.birth_date) end;
  becomes text := case when tg_op = 'DELETE' then null else identity_age_group(new.birth_date) end;
  whose text := case when tg_op = 'DELETE' then old.player_id else new.player_id end;
begin
  perform audit.note(case when tg_op = 'DELETE' then 'player.identityErased' else 'player.identityRecord' end, 'platform', 'player:' || whose, null,
    jsonb_build_object('ageGroup', was), jsonb_build_object('ageGroup', becomes), null);
  return null;
end $$;

create function identity_age_group(birth date) returns text language sql stable as $$
  select case when birth is null then 'unknown' when birth > current_date - interval '18 years' then 'below 18'
    when birth > current_date - interval '21 years' then '18 to 20' when birth > current_date - interval '25 years' then '21 to 24' else '25 and more' end
$$;
create trigger identity_record_tells after insert or update or delete on identity_record for each row execute function identity_record_tells();
