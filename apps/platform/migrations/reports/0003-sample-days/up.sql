-- That this database has a history which no player made, and of which time: written by the demonstration's launcher alone, and empty in every production.
-- Reports say it.
create table sample_days (
  only_row boolean primary key default true check (only_row),
  from_at timestamptz not null,
  until_at timestamptz not null check (until_at > from_at),
  written_at timestamptz not null default clock_timestamp()
);
