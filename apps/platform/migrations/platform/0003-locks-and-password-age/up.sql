alter table auth_session
  -- Set while the idle lock holds; the PIN takes it away.
  add column locked_at timestamptz,
  -- Wrong PINs in a row; at the limit the sign-in ends.
  add column pin_failed integer not null default 0 check (pin_failed >= 0);

-- When the player last changed it. Null: it is still the one the player was added with.
alter table player add column password_changed_at timestamptz;
