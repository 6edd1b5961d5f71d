-- How far the record of a play session had come when its agent said so. Never changed: the audit log has each too.
create table record_anchor (
  machine_id text not null references machine,
  play_session_id text not null references play_session,
  links integer not null check (links >= 1),
  head text not null check (head ~ '^[0-9a-f]{64}$'),
  agent_id text not null references agent,
  noted_at timestamptz not null default clock_timestamp(),
  primary key (play_session_id, machine_id, links)
);

-- A part of a record, fetched from its agent.
create table clip (
  id text primary key,
  machine_id text not null references machine,
  play_session_id text not null references play_session,
  -- By the platform's count; null: a clip of a time.
  game_number bigint,
  -- Ms since 1970 by the agent's clock.
  from_ms double precision not null,
  to_ms double precision not null check (to_ms >= from_ms),
  state text not null default 'wanted' check (state in ('wanted', 'fetching', 'ready', 'missing')),
  reason text check (reason in ('notRecorded', 'deleted', 'agentAway', 'failed')),
  -- What it consists of, as its agent put it (`ClipManifest`).
  manifest jsonb,
  -- The agent's clock minus the platform's, and how exactly that is known, ms.
  skew_ms double precision,
  skew_within_ms double precision,
  wanted_at timestamptz not null default clock_timestamp(),
  next_at timestamptz not null default clock_timestamp(),
  tries integer not null default 0,
  unique (play_session_id, machine_id, from_ms, to_ms),
  check ((state = 'ready') = (manifest is not null)),
  check (state <> 'missing' or reason is not null)
);
create index clip_wanted on clip (next_at) where state in ('wanted', 'fetching');
create index clip_old on clip (wanted_at);

create table clip_part (
  clip_id text not null references clip on delete cascade,
  name text not null,
  sha256 text not null,
  bytes bytea not null,
  primary key (clip_id, name)
);
-- Video is not compressed again.
alter table clip_part alter bytes set storage external;

-- What holds a clip, and its session at the agent.
create table clip_hold (
  clip_id text not null references clip,
  case_id text not null,
  held_at timestamptz not null default clock_timestamp(),
  primary key (clip_id, case_id)
);
-- Whether the agent is to hold the session for a clip, until it has said that it does.
create table clip_hold_change (
  clip_id text primary key references clip on delete cascade,
  held boolean not null
);
