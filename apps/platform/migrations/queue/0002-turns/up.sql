-- How long the play session at a machine may continue while somebody waits; a row of an earlier play session means nothing.
create table seat_turn (
  machine_id text primary key references machine,
  play_session_id text not null references play_session,
  -- As it was when the play session began.
  limit_min smallint not null check (limit_min between 1 and 1440),
  -- What is left while no player waits, ms.
  left_ms integer not null check (left_ms >= 0),
  -- While somebody waits: when it is over.
  ends_at timestamptz,
  -- When it was last seen whether somebody waits. Longer ago, and the time is stopped.
  looked_at timestamptz not null default clock_timestamp()
) with (fillfactor = 80);
