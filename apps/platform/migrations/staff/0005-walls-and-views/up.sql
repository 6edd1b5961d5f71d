-- A screen on a wall, which shows the floor and cannot act. Its row stays when it has ended: the audit log names it.
create table wall_display (
  id text primary key,
  name text not null check (length(name) between 1 and 100),
  -- The one group of machines that it shows; null: the whole floor.
  shows_group text check (length(shows_group) between 1 and 100),
  -- Of its token; the token itself is kept nowhere.
  token_sha256 text not null unique,
  made_by text not null references staff,
  made_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz,
  seen_from text,
  ended_at timestamptz,
  ended_by text references staff,
  check ((ended_at is null) = (ended_by is null))
);
create trigger wall_display_tells after insert or delete or update of name, shows_group, token_sha256, ended_at on wall_display
  for each row execute function audit.staff_tells('staff.display', 'display:', 'id');

-- A view of a page that a member of staff keeps: the part of its address that says what is shown and how.
create table staff_view (
  id text primary key,
  staff_id text not null references staff,
  page text not null check (page in ('floor')),
  name text not null check (length(name) between 1 and 100),
  search text not null check (length(search) <= 500),
  made_at timestamptz not null default clock_timestamp()
);
create index staff_view_of on staff_view (staff_id, page, made_at);
