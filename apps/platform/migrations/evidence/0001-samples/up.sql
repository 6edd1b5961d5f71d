-- Days of which games were drawn, by the venue's days.
create table sampled_day (
  day date primary key,
  drawn_at timestamptz not null default clock_timestamp()
);

-- A game that was drawn, and what recording, meters and ledger say of it.
create table game_sample (
  machine_id text not null references machine,
  game_number bigint not null,
  day date not null references sampled_day,
  state text not null default 'waiting' check (state in ('waiting', 'agrees', 'differs', 'unproved')),
  -- What is wrong, or what there was nothing to prove it by.
  why jsonb not null default '[]',
  -- Its clip was requested for it.
  requested_at timestamptz,
  looked_at timestamptz,
  decided_at timestamptz,
  primary key (machine_id, game_number),
  check ((state = 'waiting') = (decided_at is null))
);
create index game_sample_waiting on game_sample (requested_at) where state = 'waiting';
create index game_sample_decided on game_sample (day, machine_id);

create function game_sample_is_final() returns trigger language plpgsql as $$
begin
  if old.state <> 'waiting' then raise exception 'the result of a drawn game is final' using errcode = 'check_violation'; end if;
  return new;
end $$;
create trigger game_sample_is_final before update on game_sample for each row execute function game_sample_is_final();
