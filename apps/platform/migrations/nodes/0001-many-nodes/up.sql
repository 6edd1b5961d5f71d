-- Keys that all nodes share for other purposes than tokens and PINs: the bus, the addresses of stills.
alter table platform_key drop constraint platform_key_purpose_check;
alter table platform_key add constraint platform_key_purpose_check check (purpose ~ '^[a-z]{2,16}$');

-- The newest picture of each machine: put to whatever node the agent reached, shown by every one.
create unlogged table machine_still (
  machine_id text primary key,
  tag text not null,
  webp bytea not null,
  taken_at timestamptz not null default clock_timestamp()
);

-- Who watches what, a row for each spectator's socket; those of a node that has ended are removed by the others.
create unlogged table watcher (
  socket_id text primary key,
  machine_id text not null,
  player_id text not null,
  node_id text not null
);
create index watcher_of_machine on watcher (machine_id);
create index watcher_of_player on watcher (player_id);
