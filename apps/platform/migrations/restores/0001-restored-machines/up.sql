-- A backup was restored into this database.
create table restore_run (
  id text primary key,
  restored_at timestamptz not null default clock_timestamp(),
  -- The moment of the backup: what happened after it is not in this database.
  taken_at timestamptz not null,
  file_sha256 text not null check (file_sha256 ~ '^[0-9a-f]{64}$'),
  restored_by text not null check (length(restored_by) between 1 and 100)
);

-- A machine as the backup knew it. While `compared_at` is null nobody sits down there.
create table restored_machine (
  machine_id text primary key references machine,
  restore_id text not null references restore_run,
  -- Of its seat in the backup: a higher one tells that somebody took the seat since.
  epoch bigint not null,
  -- The first event that came since with a number that was not the next one.
  first_seq bigint,
  compared_at timestamptz,
  -- Games, credits or running meters were not those of the backup.
  moved boolean,
  check ((compared_at is null) = (moved is null))
);
create index restored_machine_open on restored_machine (machine_id) where compared_at is null;
