-- What the page of a play session reported of its picture: one a minute, and each with trouble. Rows older than recordings are removed.
create table picture_report (
  play_session_id text not null references play_session,
  at timestamptz not null,
  -- Glass to glass, ms; null: the page cannot measure it.
  delay_ms integer check (delay_ms between 0 and 10000),
  -- [from, to] of each freeze, ms since 1970.
  freezes jsonb not null
);
create index picture_report_of on picture_report (play_session_id, at);
create index picture_report_old on picture_report (at);
