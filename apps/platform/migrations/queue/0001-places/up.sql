-- A player's place in the queues of machines. It ends once and stays then: what waits became.
create table queue_place (
  id text primary key,
  player_id text not null references player,
  -- The order of joining, in every queue. It never changes.
  number bigint generated always as identity,
  -- Staff has moved the place: this counts in place of the number.
  rank bigint,
  -- What would do, any of these: `machine:nar-01`, `brand:Nar`, `denomination:10` (minor units).
  wants text[] not null check (cardinality(wants) between 1 and 20),
  joined_at timestamptz not null default clock_timestamp(),
  -- When a page of the player was last open.
  seen_at timestamptz not null default clock_timestamp(),
  -- How many others it still lets go first: one for each call that was missed or passed on.
  lets smallint not null default 0 check (lets >= 0),
  misses smallint not null default 0 check (misses >= 0),
  passes smallint not null default 0 check (passes >= 0),
  -- Not called before; null: at any time.
  not_before timestamptz,
  -- The problem that kept it from being called; null: none.
  kept_by text check (length(kept_by) between 1 and 60),
  -- The machine that is kept for it, until when.
  called_machine text references machine,
  called_at timestamptz,
  call_until timestamptz,
  -- The player plays elsewhere: letting the call pass is no miss then.
  call_elsewhere boolean not null default false,
  ended_at timestamptz,
  end_reason text check (length(end_reason) between 1 and 60),
  check ((called_machine is null) = (call_until is null) and (called_machine is null) = (called_at is null)),
  check ((ended_at is null) = (end_reason is null)),
  check (ended_at is null or called_machine is null)
) with (fillfactor = 80);
-- One call for a machine at a time.
create unique index queue_place_called on queue_place (called_machine) where called_machine is not null;
create unique index queue_place_once on queue_place (player_id, wants) where ended_at is null;
create index queue_place_wants on queue_place using gin (wants) with (fastupdate = off) where ended_at is null;
create index queue_place_of_player on queue_place (player_id, number desc);
