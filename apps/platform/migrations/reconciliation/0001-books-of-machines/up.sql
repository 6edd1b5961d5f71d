-- A difference between machine and ledger: for a person to explain. While one of a machine is open nobody new sits down there.
alter table discrepancy
  add column kind text not null default 'settle' check (kind in ('settle', 'late', 'claim', 'meters', 'games')),
  -- What a person needs to understand it: lines of the comparison, the transfer, the games.
  add column about jsonb not null default '{}' check (jsonb_typeof(about) = 'object'),
  add column explained_at timestamptz,
  add column explained_by text check (length(explained_by) between 1 and 100),
  add column explanation text check (length(explanation) between 1 and 500),
  -- The transfer that took the money out of suspense again, when there was some.
  add column cleared_by text,
  add check ((explained_at is null) = (explained_by is null) and (explained_at is null) = (explanation is null)),
  add check (cleared_by is null or explained_at is not null);
create index discrepancy_open on discrepancy (machine_id) where explained_at is null;
create index discrepancy_of_transfer on discrepancy (transfer_id) where transfer_id is not null;
create index discrepancy_of_session on discrepancy (play_session_id) where play_session_id is not null;

create function discrepancy_stays() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    raise exception 'the difference % is part of the record', old.id using errcode = 'restrict_violation';
  end if;
  if old.explained_at is not null
    or (new.id, new.machine_id, new.play_session_id, new.ledger_amount, new.machine_amount, new.transfer_id, new.found_at, new.kind, new.about)
    is distinct from
    (old.id, old.machine_id, old.play_session_id, old.ledger_amount, old.machine_amount, old.transfer_id, old.found_at, old.kind, old.about) then
    raise exception 'the difference % is explained once and stays as it was found', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger discrepancy_stays before update or delete on discrepancy for each row execute function discrepancy_stays();

-- Running sums of what was booked of a machine since its first day here: the counterpart of its own meters. Minor units.
create table machine_books (
  machine_id text primary key references machine,
  games bigint not null default 0,
  wagered bigint not null default 0,
  won bigint not null default 0,
  -- The part of `won` that went to the credit meter.
  machine_paid bigint not null default 0,
  cash_in bigint not null default 0,
  cash_out bigint not null default 0
);

create function add_to_machine_books(p_machine text, p_games bigint, p_wagered bigint, p_won bigint, p_paid bigint, p_in bigint, p_out bigint)
returns void language sql as $$
  insert into machine_books as b (machine_id, games, wagered, won, machine_paid, cash_in, cash_out)
    values (p_machine, p_games, p_wagered, p_won, p_paid, p_in, p_out)
    on conflict (machine_id) do update set games = b.games + excluded.games, wagered = b.wagered + excluded.wagered,
      won = b.won + excluded.won, machine_paid = b.machine_paid + excluded.machine_paid,
      cash_in = b.cash_in + excluded.cash_in, cash_out = b.cash_out + excluded.cash_out
$$;

create function game_into_books() returns trigger language plpgsql as $$
begin
  perform add_to_machine_books(new.machine_id, 1, new.stake, new.win, new.win - new.hand_paid, 0, 0);
  return null;
end $$;
create trigger game_into_books after insert on game for each row execute function game_into_books();

create function transfer_into_books() returns trigger language plpgsql as $$
begin
  perform add_to_machine_books(new.machine_id, 0, 0, 0, 0,
    case when new.direction = 'cashIn' then new.amount else 0 end, case when new.direction = 'cashOut' then new.amount else 0 end);
  return null;
end $$;
create trigger transfer_into_books after update of state on machine_transfer for each row
  when (old.state is distinct from new.state and new.state = 'done' and new.amount > 0) execute function transfer_into_books();

insert into machine_books (machine_id, games, wagered, won, machine_paid, cash_in, cash_out)
  select m.id, coalesce(g.games, 0), coalesce(g.wagered, 0), coalesce(g.won, 0), coalesce(g.paid, 0), coalesce(t.cash_in, 0), coalesce(t.cash_out, 0)
  from machine m
  left join (select machine_id, count(*) as games, sum(stake) as wagered, sum(win) as won, sum(win - hand_paid) as paid
    from game group by machine_id) g on g.machine_id = m.id
  left join (select machine_id, sum(amount) filter (where direction = 'cashIn') as cash_in, sum(amount) filter (where direction = 'cashOut') as cash_out
    from machine_transfer where state = 'done' group by machine_id) t on t.machine_id = m.id;

-- What a machine counted and what was booked of it, at a moment when nothing was under way there. Never changed.
create table meter_reading (
  machine_id text not null references machine,
  number bigint not null check (number >= 1),
  taken_at timestamptz not null default clock_timestamp(),
  why text not null check (why in ('hello', 'settled', 'day')),
  play_session_id text references play_session,
  credit bigint not null,
  games_played bigint not null,
  -- The machine's own running meters; null: its agent does not tell them.
  totals jsonb,
  -- `machine_books` then.
  books jsonb not null,
  -- The ledger's account of the machine then.
  ledger_amount bigint not null,
  primary key (machine_id, number)
);
create index meter_reading_taken on meter_reading (taken_at);

-- One comparison: of a machine between two readings, or of the whole house for one UTC day. Never changed.
create table reconciliation (
  id bigint generated always as identity primary key,
  scope text not null check (scope in ('machine', 'day')),
  machine_id text references machine,
  reading bigint,
  play_session_id text references play_session,
  day date,
  made_at timestamptz not null default clock_timestamp(),
  -- The node that made it.
  made_by text not null,
  agrees boolean not null,
  -- What was compared, expected and found.
  lines jsonb not null check (jsonb_typeof(lines) = 'array'),
  -- The difference that a person must explain, when there is one.
  discrepancy_id bigint references discrepancy,
  check ((scope = 'machine') = (machine_id is not null and reading is not null)),
  check ((scope = 'day') = (day is not null)),
  foreign key (machine_id, reading) references meter_reading (machine_id, number)
);
create unique index reconciliation_of_day on reconciliation (day) where scope = 'day';
create index reconciliation_disagrees on reconciliation (made_at) where not agrees;
create index reconciliation_of_session on reconciliation (play_session_id) where play_session_id is not null;

create function reconciliation_stays() returns trigger language plpgsql as $$
begin
  raise exception '% never changes (% refused)', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;
create trigger meter_reading_stays before update or delete on meter_reading for each row execute function reconciliation_stays();
create trigger reconciliation_stays before update or delete on reconciliation for each row execute function reconciliation_stays();

-- Who looks after a transfer whose outcome is unknown: the node that asks its machine's record, since when, how often, and what came back.
create table transfer_recovery (
  transfer_id text primary key references machine_transfer,
  owner_node text not null,
  since timestamptz not null default clock_timestamp(),
  asked_times bigint not null default 0,
  last_asked_at timestamptz,
  last_answer text check (length(last_answer) <= 100)
);

-- Work that one node does for all: who has the turn, until when, and what it last found.
create table worker_turn (
  name text primary key,
  node_id text not null,
  until timestamptz not null,
  done_at timestamptz,
  found jsonb not null default '{}'
);

-- A proof of a period, and the lists of staff, find their rows by these.
create index game_taken on game using brin (taken_at) with (pages_per_range = 16, autosummarize = on);
create index machine_transfer_created on machine_transfer using brin (created_at) with (pages_per_range = 16, autosummarize = on);
create index machine_transfer_of_session on machine_transfer (play_session_id);
create index play_session_open on play_session (machine_id) where ended_at is null;

-- The ledger's id of a game or a hand pay, as the program makes it (modules/wallet/transfer-id.ts): readable where it fits, else hashed.
create function ledger_id_of(variadic parts text[]) returns text language sql immutable as $$
  select case when length(array_to_string(parts, ':')) <= 64 and array_to_string(parts, ':') ~ '^[A-Za-z0-9_.:-]+$'
    then array_to_string(parts, ':')
    else parts[1] || '.' || rtrim(translate(encode(sha256(convert_to(
      (select string_agg(length(part) || ':' || part, '' order by at) from unnest(parts) with ordinality as p (part, at)), 'UTF8')), 'base64'), '+/', '-_'), '=') end
$$;
