-- What needs a person: opened and closed by the platform from what other rows say. Until now only who had a task was kept.
alter table staff_task rename to staff_task_before;
drop trigger staff_task_tells on staff_task_before;

create table staff_task (
  number bigint generated always as identity primary key,
  -- Kind and subject.
  id text not null check (length(id) between 1 and 200),
  kind text not null check (kind ~ '^[A-Za-z]{1,32}$'),
  subject text not null check (length(subject) between 1 and 200),
  machine_id text references machine,
  player_id text,
  -- Minor units; null: no money is concerned.
  amount bigint,
  facts jsonb not null default '{}' check (jsonb_typeof(facts) = 'object'),
  -- Who may not see it: the person whom it is about.
  withheld_from text references staff,
  -- The permission that it needs, where its kind alone does not say.
  signs text,
  -- Since when the cause lasts, and when the platform noticed it.
  since timestamptz not null,
  opened_at timestamptz not null default clock_timestamp(),
  owner text references staff,
  owned_at timestamptz,
  -- Whose it is now, and how often it went to the role above.
  role text not null,
  level integer not null default 0 check (level >= 0),
  escalated_at timestamptz,
  snoozed_until timestamptz,
  closed_at timestamptz,
  -- Null: the platform, because the cause is gone.
  closed_by text references staff,
  close_reason text check (length(close_reason) between 1 and 200),
  check ((owner is null) = (owned_at is null)),
  check ((level > 0) = (escalated_at is not null)),
  check (closed_by is null or closed_at is not null)
);
-- Two nodes do not open it twice.
create unique index staff_task_open on staff_task (id) where closed_at is null;
create index staff_task_closed_by_person on staff_task (id) where closed_by is not null;
create index staff_task_newest on staff_task (opened_at desc);

-- The platform completes these at its first look, or closes them.
insert into staff_task (id, kind, subject, since, owner, owned_at, role, snoozed_until)
  select id, split_part(id, ':', 1), 'task:' || md5(id), changed_at, owner, case when owner is not null then changed_at end, 'attendant', snoozed_until
  from staff_task_before where split_part(id, ':', 1) ~ '^[A-Za-z]{1,32}$';
drop table staff_task_before;

create function audit.staff_task_tells() returns trigger language plpgsql as $$
declare
  facts jsonb := jsonb_build_object('kind', new.kind, 'subject', new.subject);
begin
  if tg_op = 'INSERT' then
    perform audit.note('staff.task', 'platform', 'task:' || new.id, null, null, null, facts || '{"is": "opened"}');
    return null;
  end if;
  if old.owner is distinct from new.owner then
    perform audit.note('staff.task', 'platform', 'task:' || new.id, null, jsonb_build_object('owner', old.owner),
      jsonb_build_object('owner', new.owner), facts || '{"is": "owner"}');
  end if;
  if old.level is distinct from new.level then
    perform audit.note('staff.task', 'platform', 'task:' || new.id, null, jsonb_build_object('role', old.role),
      jsonb_build_object('role', new.role), facts || '{"is": "escalated"}');
  end if;
  if old.closed_at is null and new.closed_at is not null then
    perform audit.note('staff.task', 'platform', 'task:' || new.id, null, null, null, facts || jsonb_strip_nulls(
      jsonb_build_object('is', 'closed', 'by', new.closed_by, 'reason', new.close_reason)));
  end if;
  return null;
end $$;
create trigger staff_task_tells after insert or update on staff_task for each row execute function audit.staff_task_tells();

-- When a kind should be done by, and when it goes to the role above: what the venue set in place of the design's times.
create table task_times (
  kind text primary key check (kind ~ '^[A-Za-z]{1,32}$'),
  target_s integer not null check (target_s between 10 and 604800),
  escalate_s integer not null check (escalate_s between 5 and 604800)
);
create trigger task_times_tells after insert or update or delete on task_times
  for each row execute function audit.staff_tells('staff.taskTimes', 'taskKind:', 'kind');
