-- The newest code of a player that a system made; it signs in once.
create table login_link (
  player_id text primary key references player,
  -- Of the code: what opens a sign-in is kept nowhere.
  code_sha256 bytea not null unique check (octet_length(code_sha256) = 32),
  made_by text not null check (length(made_by) between 1 and 100),
  -- Whence it may be used, as limits count addresses; null: from anywhere.
  network text check (length(network) between 1 and 64),
  expires_at timestamptz not null
);

alter table auth_session drop constraint auth_session_how_check;
alter table auth_session
  add constraint auth_session_how_check check (how in ('password', 'passkey', 'recoveryCode', 'registration', 'link'));
