-- Who may open an agent link. The key itself is never stored.
create table agent (
  id text primary key,
  name text not null unique,
  key_sha256 text not null unique,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);

-- A machine as its agent last told it. `meters` are those of `meters_at`; live ones stay in memory.
create table machine (
  id text primary key,
  agent_id text not null references agent,
  facts jsonb not null,
  meters jsonb not null,
  meters_at timestamptz not null,
  lockup text,
  jackpots jsonb not null default '[]',
  watchable boolean not null default true,
  -- The last event taken; 0 before the first one.
  taken_seq bigint not null default 0 check (taken_seq >= 0),
  -- The last complete game taken; below it nothing is booked again.
  taken_game bigint not null default 0 check (taken_game >= 0),
  last_seen_at timestamptz not null default now()
);

-- Which node holds the link of a machine's agent, for as long as the lease goes. An id is one link's only.
create table agent_link (
  machine_id text primary key references machine,
  agent_id text not null references agent,
  node_id text not null,
  link_id text not null,
  lease_until timestamptz not null
);

-- One player on one machine, from sit to settled.
create table play_session (
  id text primary key,
  machine_id text not null references machine,
  player_id text not null,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  end_reason text,
  -- What was won less what was staked, minor units.
  net bigint not null default 0,
  cashed_in bigint not null default 0 check (cashed_in >= 0),
  cashed_out bigint not null default 0 check (cashed_out >= 0),
  games bigint not null default 0 check (games >= 0),
  free_spins bigint not null default 0 check (free_spins >= 0),
  check ((ended_at is null) = (end_reason is null))
);
create index play_session_of_player on play_session (player_id, started_at desc);

-- The exclusive right to one machine. The epoch only grows, also while nobody sits.
create table seat (
  machine_id text primary key references machine,
  epoch bigint not null default 0 check (epoch >= 0),
  state text not null default 'free',
  player_id text,
  play_session_id text references play_session,
  -- Why the play session has to end, once it has to.
  ending text,
  -- The game socket of the holder and the node that serves it; gone when the lease is not renewed.
  holder_socket text,
  holder_node text,
  holder_until timestamptz,
  -- When `timeUp` happens in this state.
  due_at timestamptz,
  check ((state = 'free') = (player_id is null)),
  check ((state = 'free') = (play_session_id is null)),
  check ((holder_socket is null) = (holder_node is null) and (holder_socket is null) = (holder_until is null)),
  check (state <> 'free' or holder_socket is null)
);
-- A player sits at one machine at a time.
create unique index seat_of_player on seat (player_id) where player_id is not null;
create index seat_due on seat (due_at) where due_at is not null;
create index seat_holder_until on seat (holder_until) where holder_until is not null;

create function seat_epoch_grows() returns trigger language plpgsql as $$
begin
  if new.epoch < old.epoch then
    raise exception 'the epoch of seat % may not fall from % to %', old.machine_id, old.epoch, new.epoch;
  end if;
  return new;
end $$;
create trigger seat_epoch_grows before update on seat for each row execute function seat_epoch_grows();

-- A money command to a machine, written before the agent is asked and decided once.
create table machine_transfer (
  id text primary key,
  -- The id its asker made: the web's own; absent for a cash-out of the platform.
  told_id text,
  machine_id text not null references machine,
  play_session_id text not null references play_session,
  player_id text not null,
  epoch bigint not null,
  direction text not null check (direction in ('cashIn', 'cashOut')),
  -- Minor units; null: everything on the machine.
  asked bigint check (asked > 0),
  -- What is on the machine by the ledger when a cash-out of everything was written; only shown as being checked.
  expected bigint not null default 0 check (expected >= 0),
  -- The node that asks; after its end nobody knows whether the machine was asked.
  node_id text not null,
  state text not null default 'asking' check (state in ('asking', 'unknown', 'done', 'refused')),
  amount bigint not null default 0 check (amount >= 0),
  reason text,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  check ((state in ('done', 'refused')) = (decided_at is not null)),
  check (state <> 'refused' or amount = 0),
  check (direction = 'cashOut' or (asked is not null and amount <= asked))
);
-- Never a second one whose outcome is open.
create unique index machine_transfer_open on machine_transfer (machine_id) where state in ('asking', 'unknown');
create index machine_transfer_of_player on machine_transfer (player_id) where state in ('asking', 'unknown');

create function machine_transfer_decided_once() returns trigger language plpgsql as $$
begin
  if old.state in ('done', 'refused') then
    raise exception 'the transfer % is decided and stays as it is', old.id;
  end if;
  return new;
end $$;
create trigger machine_transfer_decided_once before update on machine_transfer
  for each row execute function machine_transfer_decided_once();

-- Every complete game, as the machine's own meters tell it. Minor units.
create table game (
  machine_id text not null references machine,
  game_number bigint not null,
  play_session_id text references play_session,
  stake bigint not null check (stake >= 0),
  win bigint not null check (win >= 0),
  credit_before bigint not null check (credit_before >= 0),
  credit_after bigint not null check (credit_after >= 0),
  hand_paid bigint not null check (hand_paid >= 0 and hand_paid <= win),
  free_spins bigint not null check (free_spins >= 0),
  bonus boolean not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  taken_at timestamptz not null default now(),
  primary key (machine_id, game_number)
);
create index game_of_session on game (play_session_id, game_number);

-- Everything else a machine told, in its own order.
create table machine_event (
  machine_id text not null references machine,
  seq bigint not null,
  kind text not null,
  play_session_id text references play_session,
  happened_at timestamptz not null,
  taken_at timestamptz not null default now(),
  body jsonb not null,
  primary key (machine_id, seq)
);

-- A payout the machine does not make itself: owed until staff confirms, paid once.
create table hand_pay (
  machine_id text not null references machine,
  hand_pay_id text not null,
  amount bigint not null check (amount > 0),
  kind text not null check (kind in ('win', 'jackpot', 'cancelledCredits')),
  play_session_id text references play_session,
  player_id text,
  pending_since timestamptz not null default now(),
  confirmed_at timestamptz,
  confirmed_by text,
  primary key (machine_id, hand_pay_id)
);

-- A difference between machine and ledger, with the transfer that moved it to suspense: for a person to explain.
create table discrepancy (
  id bigint generated always as identity primary key,
  machine_id text not null references machine,
  play_session_id text references play_session,
  ledger_amount bigint not null,
  machine_amount bigint not null,
  transfer_id text,
  found_at timestamptz not null default now()
);
