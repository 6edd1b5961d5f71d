-- Bursts of refused sign-ins that are not over: written down once when they begin, and once more when they are over.
create table sign_in_burst (
  problem text not null,
  -- The player, or the hash of a name that no player has; empty: several names.
  subject text not null,
  -- An IPv4 address or the /64 network of an IPv6 one; empty: several of them.
  network text not null,
  -- The address of the first refusal.
  address text not null,
  times bigint not null default 1 check (times >= 1),
  first_at timestamptz not null default clock_timestamp(),
  last_at timestamptz not null default clock_timestamp(),
  -- When the audit log last heard of it.
  told_at timestamptz not null default clock_timestamp(),
  primary key (network, subject, problem)
);
