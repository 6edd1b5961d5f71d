-- A command line that asks to be signed in. It is gone once the command line has its sign-in, or its time is over.
create table staff_device (
  id text primary key,
  -- What the command line proves itself with, and what a person types; neither is kept itself.
  device_code_sha256 text not null unique,
  user_code_sha256 text not null unique,
  computer text not null check (length(computer) between 1 and 100),
  os_user text not null check (length(os_user) between 1 and 100),
  requested_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  -- The command line may ask so often; who asks more often must wait longer.
  interval_s integer not null check (interval_s between 1 and 600),
  polled_at timestamptz,
  -- Who decided it, in which sign-in.
  state text not null default 'waiting' check (state in ('waiting', 'confirmed', 'refused')),
  staff_id text references staff,
  sign_in_id text references staff_sign_in,
  check ((state = 'waiting') = (staff_id is null)),
  check ((staff_id is null) = (sign_in_id is null))
);

-- A code that a person typed and no command line shows: after a few of them no code is looked up for a while.
create table staff_device_miss (
  id bigint generated always as identity primary key,
  staff_id text not null references staff,
  missed_at timestamptz not null default clock_timestamp()
);
create index staff_device_miss_of on staff_device_miss (staff_id, missed_at);
