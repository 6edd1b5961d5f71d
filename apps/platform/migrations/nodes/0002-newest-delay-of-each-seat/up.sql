-- The delay that the page of each seat's holder reported last, on whichever node: a row for each machine, written again every few seconds while it is
-- played. What is lost with the server's crash is reported again a moment later.
create unlogged table seat_delay (
  machine_id text primary key,
  epoch bigint not null,
  -- Glass to glass, ms.
  delay_ms integer not null check (delay_ms between 0 and 10000),
  at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
