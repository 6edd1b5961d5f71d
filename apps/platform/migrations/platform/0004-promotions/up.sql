-- One claimed discount. Numbers of a player count 1, 2, 3 …
create table discount_claim (
  player_id text not null references player (id),
  number integer not null check (number >= 1),
  -- Minor units.
  amount bigint not null check (amount between 1 and 9000000000000),
  percent integer not null check (percent between 1 and 100),
  -- The net loss of all settled play sessions of the player up to this claim: what the next one begins from.
  loss_counted bigint not null,
  transfer_id text not null unique,
  claimed_at timestamptz not null,
  primary key (player_id, number)
);

-- A bonus that staff gave: open until it is claimed once, or runs out.
create table bonus_grant (
  id text primary key,
  player_id text not null references player (id),
  -- Minor units.
  amount bigint not null check (amount between 1 and 9000000000000),
  reason text not null check (length(reason) between 1 and 200),
  granted_by text not null check (length(granted_by) between 1 and 64),
  granted_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz check (expires_at > granted_at),
  claimed_at timestamptz,
  transfer_id text unique,
  check ((claimed_at is null) = (transfer_id is null))
);
create index bonus_grant_open on bonus_grant (player_id, granted_at, id) where claimed_at is null;
create index bonus_grant_newest on bonus_grant (granted_at desc, id desc);
create index bonus_grant_of_player on bonus_grant (player_id, granted_at desc, id desc);
