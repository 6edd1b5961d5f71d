-- Versions of the terms of use. Rows are only added: what a player accepted stays readable for ever. Of those that are valid the highest number holds.
create table terms_version (
  number integer primary key check (number > 0),
  valid_from timestamptz not null,
  -- By language, tr, en or ar: { title, changes: [up to ten lines], body }.
  texts jsonb not null check (jsonb_typeof(texts) = 'object' and texts <> '{}'::jsonb),
  entered_by text not null check (length(entered_by) between 1 and 100),
  reason text not null check (length(reason) between 1 and 200),
  entered_at timestamptz not null default clock_timestamp()
);

-- Who accepted which version, and when.
create table terms_acceptance (
  player_id text not null references player,
  number integer not null references terms_version,
  accepted_at timestamptz not null default clock_timestamp(),
  primary key (player_id, number)
);

create function terms_stay() returns trigger language plpgsql as $$
begin
  raise exception 'terms, and that somebody accepted them, are never changed or removed (% refused)', lower(tg_op) using errcode = 'restrict_violation';
end $$;
create trigger terms_version_stays before update or delete on terms_version for each row execute function terms_stay();
create trigger terms_version_is_kept before truncate on terms_version for each statement execute function terms_stay();
create trigger terms_acceptance_stays before update or delete on terms_acceptance for each row execute function terms_stay();
create trigger terms_acceptance_is_kept before truncate on terms_acceptance for each statement execute function terms_stay();

-- The version that holds now; null: the casino has entered none.
create function terms_now() returns integer language sql stable as $$
  select max(number) from terms_version where valid_from <= clock_timestamp()
$$;

create function terms_version_tells() returns trigger language plpgsql as $$
begin
  perform audit.note('terms.version', 'staff:' || new.entered_by, 'terms:' || new.number, null, null,
    jsonb_build_object('number', new.number, 'validFrom', new.valid_from, 'sha256', encode(sha256(convert_to(new.texts::text, 'UTF8')), 'hex')),
    jsonb_build_object('reason', new.reason));
  return null;
end $$;
create trigger terms_version_tells after insert on terms_version for each row execute function terms_version_tells();

create function terms_acceptance_tells() returns trigger language plpgsql as $$
begin
  perform audit.note('player.terms', 'player:' || new.player_id, 'player:' || new.player_id, null, null,
    jsonb_build_object('number', new.number), null);
  return null;
end $$;
create trigger terms_acceptance_tells after insert on terms_acceptance for each row execute function terms_acceptance_tells();
