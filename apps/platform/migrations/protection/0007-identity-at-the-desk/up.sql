-- A person may declare a proof over before its document's last day.
alter table identity_decision drop constraint identity_decision_state_check;
alter table identity_decision add constraint identity_decision_state_check check (state in ('pending', 'verified', 'refused', 'expired'));

-- A birth date that would make a player older, until a second person has signed. It is personal data: kept apart like the record, and erased with it.
-- The approval holds its id and the age groups alone.
create table identity_correction (
  id text primary key,
  player_id text not null references player,
  -- What the record said when it was requested; null: it was erased.
  was date,
  birth_date date not null check (birth_date > '1890-01-01' and birth_date < '2100-01-01'),
  personal_number text check (personal_number ~ '^[0-9]{6,20}$'),
  document text check (length(document) between 1 and 100),
  requested_at timestamptz not null default clock_timestamp()
);
create index identity_correction_of_player on identity_correction (player_id);

-- That personal data were erased, and when. After it a birth date counts as corrected: erasing is no way around the second person.
create table identity_erasure (
  player_id text not null references player,
  erased_at timestamptz not null default clock_timestamp(),
  primary key (player_id, erased_at)
);
create function identity_erasure_stays() returns trigger language plpgsql as $$
begin
  raise exception 'that data were erased is never changed or removed (% refused)', lower(tg_op) using errcode = 'restrict_violation';
end $$;
create trigger identity_erasure_stays before update or delete on identity_erasure for each row execute function identity_erasure_stays();
create trigger identity_erasure_is_kept before truncate on identity_erasure for each statement execute function identity_erasure_stays();

create function identity_record_goes() returns trigger language plpgsql as $$
begin
  delete from identity_correction where player_id = old.player_id;
  insert into identity_erasure (player_id) values (old.player_id);
  return null;
end $$;
create trigger identity_record_goes after delete on identity_record for each row execute function identity_record_goes();
