create table auth_session (
  jti text primary key,
  player_id text not null references player (id),
  address text not null,
  created_at timestamptz not null default now(),
  -- The sign-in before this one, as the page shows it for as long as this one lasts.
  previous_logon timestamptz,
  previous_logon_ip text,
  -- Grows when the token is renewed.
  expires_at timestamptz not null,
  ended_at timestamptz,
  ended_reason text
);
create index auth_session_open on auth_session (player_id) where ended_at is null;
create index auth_session_expiry on auth_session (expires_at);

create table login_attempt (
  -- Hash of the normalised name: a password typed into the name field is not kept.
  name_hash bytea not null,
  address text not null,
  failed integer not null check (failed >= 0),
  last_at timestamptz not null,
  primary key (name_hash, address)
);
create index login_attempt_last on login_attempt (last_at);
