-- The authenticator app of a player: the second step beside the password.
create table player_totp (
  player_id text primary key references player,
  -- The secret, encrypted and bound to its player.
  totp bytea not null,
  -- Of the newest code that was used: none up to it counts again.
  totp_step bigint not null check (totp_step > 0),
  added_at timestamptz not null default clock_timestamp()
);

create trigger player_totp_tells after insert or update or delete on player_totp
  for each row execute function audit.staff_tells('player.app', 'player:', 'player_id');
