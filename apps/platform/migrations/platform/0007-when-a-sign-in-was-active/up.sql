alter table auth_session
  -- When the player last did something with it; the idle lock counts from here, on every node and across restarts.
  add column active_at timestamptz not null default now();
-- A sign-in opened by an earlier version was active when it was opened, as far as is known.
update auth_session set active_at = created_at;
