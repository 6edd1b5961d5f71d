-- Alarms that no other row says. One stays open until what it reports is over, or a person closes it.
create table alarm (
  id bigint generated always as identity primary key,
  alarm text not null check (alarm in ('seat', 'credits', 'moved', 'orphan', 'restored', 'events')),
  -- What it is about: `machine:nar-01`, `hold:tr_…`, `session:ps_…`, `node:main`.
  subject text not null check (length(subject) between 1 and 100),
  machine_id text references machine,
  facts jsonb not null default '{}' check (jsonb_typeof(facts) = 'object'),
  raised_at timestamptz not null default clock_timestamp(),
  closed_at timestamptz
);
-- Nodes that find the same thing open it once.
create unique index alarm_open on alarm (alarm, subject) where closed_at is null;
