-- What staff asks of a running platform from another process. A row is taken once, by one node, and kept for ever: it is also the record of who did what.
create table operator_command (
  id text primary key,
  kind text not null,
  machine_id text references machine,
  body jsonb not null,
  asked_by text not null check (length(asked_by) between 1 and 100),
  asked_at timestamptz not null default clock_timestamp(),
  -- From then on nobody begins it any more.
  expires_at timestamptz not null,
  taken_at timestamptz,
  taken_by text,
  answered_at timestamptz,
  answer jsonb,
  check ((taken_at is null) = (taken_by is null)),
  check ((answered_at is null) = (answer is null))
);
create index operator_command_open on operator_command (asked_at) where taken_at is null and answered_at is null;

-- What was asked stays as it was asked; taken once, answered once, never removed.
create function operator_command_stays() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    raise exception 'the operator command % is part of the record', old.id;
  end if;
  if (new.id, new.kind, new.machine_id, new.body, new.asked_by, new.asked_at, new.expires_at)
    is distinct from (old.id, old.kind, old.machine_id, old.body, old.asked_by, old.asked_at, old.expires_at)
    or (old.taken_at is not null and (new.taken_at, new.taken_by) is distinct from (old.taken_at, old.taken_by))
    or old.answered_at is not null then
    raise exception 'the operator command % stays as it is', old.id;
  end if;
  return new;
end $$;
create trigger operator_command_stays before update or delete on operator_command
  for each row execute function operator_command_stays();
