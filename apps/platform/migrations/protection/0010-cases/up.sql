-- A player whose play shows signs of harm, or about whom staff is worried: one open case for each player.
create table care_case (
  id text primary key check (length(id) between 1 and 64),
  player_id text not null references player,
  -- The strongest sign: strong calls staff.
  level text not null check (level in ('watch', 'strong')),
  opened_at timestamptz not null default clock_timestamp(),
  -- Null: the platform.
  opened_by text references staff,
  owner text references staff,
  closed_at timestamptz,
  closed_by text references staff,
  outcome text check (outcome in ('noConcern', 'talked', 'limitSet', 'tookBreak', 'excluded', 'referred', 'noAnswer')),
  close_reason text check (length(close_reason) between 1 and 200),
  -- No case ends without a person, an outcome and a reason.
  check ((closed_at is null) = (outcome is null) and (closed_at is null) = (closed_by is null) and (closed_at is null) = (close_reason is null))
);
create unique index care_case_open on care_case (player_id) where closed_at is null;
create index care_case_of_player on care_case (player_id, opened_at desc);
create index care_case_listed on care_case (opened_at desc, id desc);

-- A figure that was reached, as it was then, and from where it counted then. Once for each measure and level of a case.
create table care_sign (
  id bigint generated always as identity primary key,
  case_id text not null references care_case,
  measure text not null check (measure ~ '^[A-Za-z]{1,32}$'),
  level text not null check (level in ('watch', 'strong')),
  value bigint not null check (value >= 0),
  threshold bigint not null check (threshold >= 0),
  found_at timestamptz not null default clock_timestamp(),
  unique (case_id, measure, level)
);

-- What was done in a case: rows are only added.
create table care_step (
  id bigint generated always as identity primary key,
  case_id text not null references care_case,
  kind text not null check (kind in ('opened', 'taken', 'note', 'letter', 'timeOut', 'closed')),
  -- Null: the platform.
  staff_id text references staff,
  at timestamptz not null default clock_timestamp(),
  text text check (length(text) between 1 and 1000),
  -- Of a time-out: its end.
  until timestamptz
);
create index care_step_of_case on care_step (case_id, id);

-- A letter of staff to a player.
create table care_letter (
  id text primary key check (length(id) between 1 and 64),
  step_id bigint not null unique references care_step,
  case_id text not null references care_case,
  player_id text not null references player,
  -- Who wrote it, by the name that the player reads.
  sender text not null check (length(sender) between 1 and 100),
  -- A limit that it suggests: its key and value. Null: none.
  advice_key text check (length(advice_key) between 1 and 32),
  advice_value bigint check (advice_value > 0),
  sent_at timestamptz not null default clock_timestamp(),
  -- When the player put it away.
  read_at timestamptz,
  check ((advice_key is null) = (advice_value is null))
);
create index care_letter_of_player on care_letter (player_id, sent_at desc);

-- When a player was last looked at.
create table care_look (
  player_id text primary key references player,
  looked_at timestamptz not null
);

-- Deposits and cash-ins that were refused: at most 20 of an hour, for a week.
create table care_refusal (
  id bigint generated always as identity primary key,
  player_id text not null references player,
  kind text not null check (kind in ('deposit', 'cashIn')),
  at timestamptz not null default clock_timestamp()
);
create index care_refusal_of_player on care_refusal (player_id, at);
create index care_refusal_old on care_refusal (at);

-- What a player says can be lost in a month, minor units. Rows are only added, the newest holds.
create table care_means (
  id bigint generated always as identity primary key,
  player_id text not null references player,
  amount bigint not null check (amount > 0),
  staff_id text references staff,
  reason text not null check (length(reason) between 1 and 200),
  declared_at timestamptz not null default clock_timestamp()
);
create index care_means_of_player on care_means (player_id, id desc);

create index play_session_ended on play_session (ended_at) where ended_at is not null;

create function care_stays() returns trigger language plpgsql as $$
begin
  raise exception 'what a case says is never changed or removed (% of % refused)', lower(tg_op), tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger care_case_stays before update on care_case for each row
  when (old.closed_at is not null or old.player_id <> new.player_id or old.opened_at <> new.opened_at or (old.level = 'strong' and new.level <> 'strong'))
  execute function care_stays();
create trigger care_case_is_not_deleted before delete on care_case for each row execute function care_stays();
create trigger care_case_is_kept before truncate on care_case for each statement execute function care_stays();
create trigger care_sign_stays before update or delete on care_sign for each row execute function care_stays();
create trigger care_sign_is_kept before truncate on care_sign for each statement execute function care_stays();
create trigger care_step_stays before update or delete on care_step for each row execute function care_stays();
create trigger care_step_is_kept before truncate on care_step for each statement execute function care_stays();
create trigger care_letter_stays before update on care_letter for each row
  when (old.read_at is not null or (old.id, old.step_id, old.case_id, old.player_id, old.sender, old.sent_at) is distinct from (new.id, new.step_id, new.case_id, new.player_id, new.sender, new.sent_at)
    or (old.advice_key, old.advice_value) is distinct from (new.advice_key, new.advice_value))
  execute function care_stays();
create trigger care_letter_is_not_deleted before delete on care_letter for each row execute function care_stays();
create trigger care_letter_is_kept before truncate on care_letter for each statement execute function care_stays();
create trigger care_means_stays before update or delete on care_means for each row execute function care_stays();
create trigger care_means_is_kept before truncate on care_means for each statement execute function care_stays();

-- Nothing is added to a case that is closed.
create function care_case_is_open() returns trigger language plpgsql as $$
begin
  if exists (select from care_case c where c.id = new.case_id and c.closed_at is not null) then
    raise exception 'the case % is closed and stays as it is', new.case_id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger care_sign_of_open before insert on care_sign for each row execute function care_case_is_open();
create trigger care_step_of_open before insert on care_step for each row execute function care_case_is_open();
create trigger care_letter_of_open before insert on care_letter for each row execute function care_case_is_open();

-- The audit log names measures and steps; figures and words stay in the case.
create function care_tells() returns trigger language plpgsql as $$
declare
  about text;
begin
  if tg_table_name = 'care_case' then
    if tg_op = 'INSERT' then
      perform audit.note('player.care', coalesce('staff:' || new.opened_by, 'platform'), 'player:' || new.player_id, null, null, null,
        jsonb_build_object('is', 'opened', 'case', new.id, 'level', new.level));
    elsif new.closed_at is not null then
      perform audit.note('player.care', 'staff:' || new.closed_by, 'player:' || new.player_id, null, null, null,
        jsonb_build_object('is', 'closed', 'case', new.id, 'outcome', new.outcome));
    end if;
    return null;
  end if;
  if tg_table_name = 'care_means' then
    perform audit.note('player.care', coalesce('staff:' || new.staff_id, 'platform'), 'player:' || new.player_id, null, null, null,
      jsonb_build_object('is', 'declared'));
    return null;
  end if;
  about := (select c.player_id from care_case c where c.id = new.case_id);
  if tg_table_name = 'care_sign' then
    perform audit.note('player.care', 'platform', 'player:' || about, null, null, null,
      jsonb_build_object('is', 'sign', 'case', new.case_id, 'measure', new.measure, 'level', new.level));
  else
    perform audit.note('player.care', coalesce('staff:' || new.staff_id, 'platform'), 'player:' || about, null, null, null,
      jsonb_strip_nulls(jsonb_build_object('is', new.kind, 'case', new.case_id, 'until', new.until)));
  end if;
  return null;
end $$;
create trigger care_case_tells after insert or update on care_case for each row execute function care_tells();
create trigger care_sign_tells after insert on care_sign for each row execute function care_tells();
create trigger care_step_tells after insert on care_step for each row when (new.kind not in ('opened', 'closed')) execute function care_tells();
create trigger care_means_tells after insert on care_means for each row execute function care_tells();

-- Roles of a venue that is there already get the new permissions of theirs, as those of a new venue have them.
update staff_role set permissions = permissions || array['care.see', 'care.act']
  where role = 'supervisor' and not permissions && array['care.see', 'care.act'];
update staff_role set permissions = permissions || array['care.see'] where role = 'auditor' and not permissions && array['care.see'];
