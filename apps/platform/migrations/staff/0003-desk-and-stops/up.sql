-- What the second person sees beside the content. It is covered by the hash and never changes.
alter table approval add column evidence jsonb not null default '[]' check (jsonb_typeof(evidence) = 'array');
create or replace function approval_is_kept() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or old.state <> 'waiting'
    or (new.id, new.kind, new.subject, new.reason, new.content, new.evidence, new.hash, new.requested_by, new.sign_in_id, new.requested_at, new.expires_at)
      is distinct from (old.id, old.kind, old.subject, old.reason, old.content, old.evidence, old.hash, old.requested_by, old.sign_in_id, old.requested_at, old.expires_at)
    or new.amount is distinct from old.amount then
    raise exception 'what was requested for approval does not change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

-- Numbers of receipts and slips: each rises by one without a gap, also when a transaction that took one is rolled back.
create table staff_number (name text primary key, last bigint not null default 0 check (last >= 0));
insert into staff_number (name) values ('receipt'), ('slip');

-- A cashier at a desk with a float of cash. Amounts in minor units.
create table cashier_shift (
  id text primary key,
  staff_id text not null references staff,
  desk text not null check (length(desk) between 1 and 100),
  float_amount bigint not null check (float_amount >= 0),
  opened_at timestamptz not null default clock_timestamp(),
  closed_at timestamptz,
  -- What should have been there, and what was counted.
  expected bigint,
  counted bigint check (counted >= 0),
  note text check (length(note) between 1 and 200),
  check ((closed_at is null) = (expected is null) and (closed_at is null) = (counted is null))
);
create unique index cashier_shift_open on cashier_shift (staff_id) where closed_at is null;
create index cashier_shift_newest on cashier_shift (opened_at desc, id desc);

-- A deposit or withdrawal at a desk, as it is printed.
create table receipt (
  number bigint primary key,
  transfer_id text not null unique,
  -- The venue's own paper receipt, used once.
  paper text unique,
  kind text not null check (kind in ('deposit', 'withdrawal')),
  player_id text not null references player,
  amount bigint not null check (amount > 0),
  balance bigint not null,
  shift_id text not null references cashier_shift,
  cashier text not null references staff,
  signed_by text references staff check (signed_by <> cashier),
  reason text not null,
  one_person boolean not null,
  made_at timestamptz not null default clock_timestamp()
);
create index receipt_of_shift on receipt (shift_id);

-- A hand pay as it was paid. It is voided by a further state, never removed.
create table slip (
  number bigint primary key,
  machine_id text not null references machine,
  hand_pay_id text not null,
  kind text not null check (kind in ('win', 'jackpot', 'cancelledCredits')),
  player_id text,
  machine_amount bigint not null check (machine_amount > 0),
  paid_amount bigint not null check (paid_amount >= 0),
  paid_by text not null,
  signed_by text,
  reason text,
  one_person boolean not null,
  paid_at timestamptz not null default clock_timestamp(),
  voided_at timestamptz,
  voided_by text,
  void_reason text,
  unique (machine_id, hand_pay_id),
  check (signed_by <> paid_by),
  check ((voided_at is null) = (voided_by is null))
);

create function staff_paper_is_kept() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or tg_table_name = 'receipt' or to_jsonb(old) - array['voided_at', 'voided_by', 'void_reason']
      is distinct from to_jsonb(new) - array['voided_at', 'voided_by', 'void_reason'] or (to_jsonb(old) ->> 'voided_at') is not null then
    raise exception 'a number that was given out keeps its paper' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger receipt_is_kept before update or delete on receipt for each row execute function staff_paper_is_kept();
create trigger slip_is_kept before update or delete on slip for each row execute function staff_paper_is_kept();

-- An emergency stop. Its machines are those of its scope at that moment.
create table emergency_stop (
  id text primary key,
  scope jsonb not null check (jsonb_typeof(scope) = 'object'),
  set_by text not null,
  set_at timestamptz not null default clock_timestamp(),
  reason text check (length(reason) between 1 and 200),
  released_at timestamptz,
  released_by text[] not null default '{}',
  check ((released_at is null) = (released_by = '{}'))
);
create index emergency_stop_open on emergency_stop (set_at) where released_at is null;
create table emergency_stop_machine (
  stop_id text not null references emergency_stop,
  machine_id text not null references machine,
  primary key (stop_id, machine_id)
);

-- Who has a task that the state of the floor makes. The id names kind and subject; the row is forgotten when the task is over.
create table staff_task (
  id text primary key check (length(id) <= 200),
  owner text references staff,
  escalated boolean not null default false,
  snoozed_until timestamptz,
  changed_at timestamptz not null default clock_timestamp()
);

create table player_note (
  id text primary key,
  player_id text not null references player,
  staff_id text not null references staff,
  text text not null check (length(text) between 1 and 1000),
  made_at timestamptz not null default clock_timestamp()
);
create index player_note_of on player_note (player_id, made_at desc);

create trigger cashier_shift_tells after insert or update on cashier_shift for each row execute function audit.staff_tells('staff.shift', 'staff:', 'staff_id');
create trigger receipt_tells after insert on receipt for each row execute function audit.staff_tells('staff.receipt', 'player:', 'player_id');
create trigger slip_tells after insert or update on slip for each row execute function audit.staff_tells('staff.slip', 'machine:', 'machine_id');
create trigger emergency_stop_tells after insert or update on emergency_stop for each row execute function audit.staff_tells('staff.stop', 'stop:', 'id');
create trigger staff_task_tells after insert or update of owner, escalated on staff_task for each row execute function audit.staff_tells('staff.task', 'task:', 'id');

-- Why an act was done, where its person says so; the audit log keeps it with the act.
alter table staff_act add column reason text;
-- What it was about: the names of its address.
alter table staff_act add column about jsonb;
create or replace function audit.staff_act_tells() returns trigger language plpgsql as $$
begin
  perform audit.note('staff.act', 'platform', 'staff:' || new.staff_id, null, null, null, jsonb_strip_nulls(
    jsonb_build_object('act', new.id, 'call', new.call, 'content', new.content, 'about', new.about, 'reason', new.reason)));
  return null;
end $$;
