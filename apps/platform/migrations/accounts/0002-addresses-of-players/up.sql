-- The address of a player that mail arrives at. No two players share one.
create table player_address (
  player_id text primary key references player,
  address text not null check (length(address) between 3 and 254),
  address_key text not null unique check (length(address_key) between 3 and 254),
  -- In which notices are written.
  language text not null check (language in ('en', 'tr', 'ar')),
  confirmed_at timestamptz not null default clock_timestamp()
);

-- A code on its way by e-mail. The code itself is made of the id by a key of the platform, and kept nowhere.
create table mailed_code (
  id text primary key check (id ~ '^mc_[A-Za-z0-9_-]{10,40}$'),
  -- To confirm an address, or to choose a new password.
  purpose text not null check (purpose in ('address', 'password')),
  -- Null: a new password for no player: it is answered as any other.
  player_id text references player,
  address text not null check (length(address) <= 254),
  language text not null check (language in ('en', 'tr', 'ar')),
  tries integer not null default 0 check (tries >= 0),
  expires_at timestamptz not null,
  check (purpose = 'password' or player_id is not null)
);
create index mailed_code_of on mailed_code (player_id, purpose);
create index mailed_code_end on mailed_code (expires_at);
