-- What a player chose in the page and wants to find in every browser. No row, or null: nothing yet.
create table player_profile (
  player_id text primary key references player,
  -- An AppearanceChoice of the contract.
  settings jsonb check (octet_length(settings::text) <= 4096),
  -- Ids of navigation items, in the order of starring.
  shortcuts text[] check (cardinality(shortcuts) <= 50),
  changed_at timestamptz not null default clock_timestamp()
);

-- Whether an e-mail address has an account already is looked up with each registration.
create index player_email on player (lower(email)) where email is not null;
