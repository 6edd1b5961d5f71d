create table approval (
  id text primary key,
  kind text not null,
  -- machine:…, player:…, staff:….
  subject text not null check (length(subject) between 1 and 200),
  -- Minor units; null: no money is concerned.
  amount bigint,
  reason text not null check (length(reason) between 1 and 200),
  content jsonb not null check (jsonb_typeof(content) = 'object'),
  -- SHA-256 of the content: who signs repeats it.
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  requested_by text not null references staff,
  -- It is over when this sign-in ends.
  sign_in_id text not null references staff_sign_in,
  requested_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'refused', 'withdrawn')),
  decided_by text references staff,
  decided_at timestamptz,
  refusal text check (length(refusal) <= 200),
  check ((state = 'waiting') = (decided_at is null)),
  -- Also where a program has an error: the person who requested it never signs it.
  check (state not in ('done', 'refused') or decided_by <> requested_by)
);
create index approval_newest on approval (requested_at desc);

-- What was requested stays as it was, and what is decided stays decided.
create function approval_is_kept() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or old.state <> 'waiting'
    or (new.id, new.kind, new.subject, new.reason, new.content, new.hash, new.requested_by, new.sign_in_id, new.requested_at, new.expires_at)
      is distinct from (old.id, old.kind, old.subject, old.reason, old.content, old.hash, old.requested_by, old.sign_in_id, old.requested_at, old.expires_at)
    or new.amount is distinct from old.amount then
    raise exception 'what was requested for approval does not change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger approval_is_kept before update or delete on approval for each row execute function approval_is_kept();

create trigger approval_tells after insert or update on approval
  for each row execute function audit.staff_tells('staff.approval', 'approval:', 'id');
