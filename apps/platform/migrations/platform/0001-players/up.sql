create table player (
  id text primary key check (id ~ '^p_[A-Za-z0-9_-]{1,60}$'),
  -- As the player wrote it; shown.
  username text not null check (length(username) between 1 and 64),
  -- NFKC, lower case, one space between words: what signs in.
  username_key text not null unique,
  email text,
  name text not null default '',
  lastname text not null default '',
  -- argon2id in the PHC form.
  password text not null,
  -- SHA-256 of the PIN, encrypted: key id, nonce, tag and text. Null: no PIN.
  pin bytea,
  player_group text not null default 'player',
  type text not null default 'player',
  permissions integer[] not null default '{145}',
  -- Made by the demo seed: its password is known to everybody.
  demo boolean not null default false,
  banned_at timestamptz,
  last_logon timestamptz,
  last_logon_ip text,
  created_at timestamptz not null default now()
);

create table platform_key (
  kid text primary key,
  purpose text not null check (purpose in ('token', 'pin')),
  secret bytea not null check (length(secret) >= 32),
  created_at timestamptz not null default now(),
  -- A retired key still reads what it has made; it makes nothing new.
  retired_at timestamptz
);
-- One key of each purpose makes new things: two processes that start together agree on it.
create unique index platform_key_current on platform_key (purpose) where retired_at is null;
