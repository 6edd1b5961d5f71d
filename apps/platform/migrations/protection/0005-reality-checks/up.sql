-- How often a player wants a reality check. The newest row of a player holds; no row: the market's time.
create table reality_check_choice (
  id bigint generated always as identity primary key,
  player_id text not null references player,
  -- Minutes at machines; null: never, where the market lets the player say so.
  minutes int check (minutes in (15, 30, 45, 60)),
  chosen_at timestamptz not null default clock_timestamp()
);
create index reality_check_choice_newest on reality_check_choice (player_id, id desc);

-- A reality check that a player was shown, with the figures that it showed. The next one counts from its answer on.
create table reality_check (
  id text primary key check (length(id) between 1 and 64),
  player_id text not null references player,
  -- The seat at which it was shown last: a player who comes back finds it again.
  play_session_id text not null references play_session,
  shown_at timestamptz not null default clock_timestamp(),
  -- Time at machines, ms, and what was played in it, minor units.
  played_ms bigint not null check (played_ms >= 0),
  games int not null check (games >= 0),
  wagered bigint not null check (wagered >= 0),
  won bigint not null check (won >= 0),
  answered_at timestamptz,
  answer text check (answer in ('continue', 'leave', 'none')),
  check ((answered_at is null) = (answer is null))
);
create unique index reality_check_open on reality_check (player_id) where answered_at is null;
create index reality_check_answered on reality_check (player_id, answered_at desc) where answered_at is not null;

create function reality_check_stays() returns trigger language plpgsql as $$
begin
  raise exception 'a reality check that was answered stays as it was (% refused)', lower(tg_op) using errcode = 'restrict_violation';
end $$;
create trigger reality_check_stays before update on reality_check for each row when (old.answered_at is not null) execute function reality_check_stays();
create trigger reality_check_is_not_deleted before delete on reality_check for each row execute function reality_check_stays();
create trigger reality_check_is_kept before truncate on reality_check for each statement execute function reality_check_stays();
create trigger reality_check_choice_stays before update or delete on reality_check_choice for each row execute function reality_check_stays();
create trigger reality_check_choice_is_kept before truncate on reality_check_choice for each statement execute function reality_check_stays();
