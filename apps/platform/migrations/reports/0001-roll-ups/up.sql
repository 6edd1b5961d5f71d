-- Where the venue's business day begins. The platform sets it from its settings, and the sums below are then made again.
create table business_day_rule (
  only_row boolean primary key default true check (only_row),
  time_zone text not null,
  begins_minutes integer not null check (begins_minutes between 0 and 1439)
);
insert into business_day_rule (time_zone, begins_minutes) values ('UTC', 360);

create function business_day_begins_by(day date, zone text, minutes integer) returns timestamptz language sql stable as
  $$ select (day + make_interval(mins => minutes)) at time zone zone $$;
-- Days follow each other also in a night in which the clock is changed.
create function business_day_by(at timestamptz, zone text, minutes integer) returns date language sql stable as $$
  select ((at at time zone zone) - make_interval(mins => minutes))::date
    - (at < business_day_begins_by(((at at time zone zone) - make_interval(mins => minutes))::date, zone, minutes))::integer
$$;

-- The business day of an instant, and when a business day begins.
create function business_day(at timestamptz) returns date language sql stable as
  $$ select business_day_by(at, time_zone, begins_minutes) from business_day_rule $$;
create function business_day_begins(day date) returns timestamptz language sql stable as
  $$ select business_day_begins_by(day, time_zone, begins_minutes) from business_day_rule $$;

-- Games of a machine that were booked in a business day. Minor units.
create table report_games (
  machine_id text not null,
  day date not null,
  games bigint not null,
  -- What was staked.
  wagered bigint not null,
  -- What was won and went to the credit meter.
  machine_paid bigint not null,
  -- What was won and left to be paid by hand.
  hand_paid bigint not null,
  -- The sum of the squares of the stakes: how far chance may take the hold from the paytable's.
  stake_squares numeric not null,
  primary key (machine_id, day)
) with (fillfactor = 70);
create index report_games_of_day on report_games (day);

-- What the ledger moved in a business day, by machine (empty: no machine has part in it) and kind. Minor units.
create table report_money (
  machine_id text not null,
  day date not null,
  kind text not null check (kind in ('deposit', 'withdraw', 'cashIn', 'cashOut', 'handPay', 'jackpot', 'cancelledCredits', 'game',
    'discount', 'bonus', 'suspense', 'claim')),
  -- Transfers, corrections among them.
  moves bigint not null,
  -- In the direction of the kind (`report_sign`); corrections of the kind are taken off.
  amount bigint not null,
  primary key (machine_id, day, kind)
) with (fillfactor = 70);
create index report_money_of_day on report_money (day);

-- Play sessions by machine, business day and hour of the venue's clock: how many began in it, and how long of it the seat was taken, ms.
create table report_seats (
  machine_id text not null,
  day date not null,
  hour smallint not null check (hour between 0 and 23),
  sessions bigint not null,
  seated_ms bigint not null,
  primary key (machine_id, day, hour)
) with (fillfactor = 70);
create index report_seats_of_day on report_seats (day);

-- Under which kind a transfer is counted: credits that a machine cancelled are the player's own, what an override adds to a hand pay is part of it,
-- and what is paid for a claim was never in suspense.
create function report_kind(kind text, from_address text, to_address text) returns text language sql immutable as $$
  select case when kind = 'handPay' and from_address like 'machine:%' then 'cancelledCredits'
    when kind = 'deposit' and from_address = 'house' then 'handPay'
    when kind = 'suspense' and 'suspense' not in (from_address, to_address) then 'claim'
    else kind end
$$;
-- 1 in the direction of its kind, else -1. A game: what the machine kept. Suspense: what went in.
create function report_sign(kind text, from_address text, to_address text) returns integer language sql immutable as $$
  select case when kind = 'game' and to_address like 'machine:%' then -1 when kind = 'suspense' and from_address = 'suspense' then -1 else 1 end
$$;
create function report_machine(from_address text, to_address text, about jsonb) returns text language sql immutable as $$
  select coalesce(substring(from_address from '^machine:(.*)$'), substring(to_address from '^machine:(.*)$'),
    substring(about ->> 'machineId' from '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$'), '')
$$;
-- The game that a transfer names; null: none.
create function report_game_number(about jsonb) returns bigint language sql immutable as
  $$ select substring(about ->> 'gameNumber' from '^[0-9]{1,15}$')::bigint $$;

-- A stay from one instant to another as pieces of business days and hours of the venue's clock, ms.
create function report_pieces(p_from timestamptz, p_to timestamptz) returns table (day date, hour smallint, ms bigint) language sql stable as $$
  with points as (
    select p_from as at
    union select h from business_day_rule r,
      generate_series(date_trunc('hour', p_from, r.time_zone) + interval '1 hour', p_to, interval '1 hour') h
    union select business_day_begins(d::date) from generate_series(business_day(p_from) + 1, business_day(p_to), interval '1 day') d),
  pieces as (select at, lead(at, 1, p_to) over (order by at) as until from points where at >= p_from and at < p_to)
  select business_day(p.at), extract(hour from p.at at time zone r.time_zone)::smallint,
    sum(floor(extract(epoch from p.until) * 1000) - floor(extract(epoch from p.at) * 1000))::bigint
  from pieces p, business_day_rule r group by 1, 2
$$;

-- The same sums, read from what they are made of.
create view report_games_source as
  select g.machine_id, business_day_by(g.taken_at, r.time_zone, r.begins_minutes) as day, count(*)::bigint as games,
    sum(g.stake)::bigint as wagered, sum(g.win - g.hand_paid)::bigint as machine_paid, sum(g.hand_paid)::bigint as hand_paid,
    sum(g.stake::numeric * g.stake) as stake_squares
  from game g cross join business_day_rule r group by 1, 2;

create view report_money_source as
  with recursive chain as (
    select c.id, c.corrects as origin, -1 as sign from ledger.transfers c where c.corrects is not null
    union all
    select c.id, o.corrects, -c.sign from chain c join ledger.transfers o on o.id = c.origin where o.corrects is not null),
  counted as (
    select t.id, 1 as sign, t.kind, t.from_account, t.to_account, t.about, t.amount_minor, coalesce(g.taken_at, t.created_at) as at
      from ledger.transfers t
      left join game g on t.kind = 'game' and g.machine_id = t.about ->> 'machineId' and g.game_number = report_game_number(t.about)
      where t.corrects is null
    union all
    select t.id, c.sign, o.kind, o.from_account, o.to_account, o.about, t.amount_minor, t.created_at
      from chain c join ledger.transfers t on t.id = c.id join ledger.transfers o on o.id = c.origin and o.corrects is null)
  select report_machine(f.address, o.address, c.about) as machine_id, business_day_by(c.at, r.time_zone, r.begins_minutes) as day,
    report_kind(c.kind, f.address, o.address) as kind, count(*)::bigint as moves,
    sum(c.sign * report_sign(c.kind, f.address, o.address) * c.amount_minor)::bigint as amount
  from counted c join ledger.accounts f on f.id = c.from_account join ledger.accounts o on o.id = c.to_account
  cross join business_day_rule r group by 1, 2, 3;

create view report_seats_source as
  select machine_id, day, hour, sum(sessions)::bigint as sessions, sum(ms)::bigint as seated_ms from (
    select p.machine_id, business_day_by(p.started_at, r.time_zone, r.begins_minutes) as day,
      extract(hour from p.started_at at time zone r.time_zone)::smallint as hour, 1 as sessions, 0 as ms
      from play_session p cross join business_day_rule r
    union all
    select p.machine_id, piece.day, piece.hour, 0, piece.ms
      from play_session p cross join lateral report_pieces(p.started_at, p.ended_at) piece where p.ended_at is not null) stays
  group by 1, 2, 3;

-- Who adds to a sum holds this until the end of the transaction; who makes all sums again waits for it, and then sees what was added.
create function report_turn() returns void language sql as $$ select pg_advisory_xact_lock_shared(7046) $$;

create function game_into_report() returns trigger language plpgsql as $$
begin
  perform report_turn();
  insert into report_games as r (machine_id, day, games, wagered, machine_paid, hand_paid, stake_squares)
    values (new.machine_id, business_day(new.taken_at), 1, new.stake, new.win - new.hand_paid, new.hand_paid, new.stake::numeric * new.stake)
    on conflict (machine_id, day) do update set games = r.games + 1, wagered = r.wagered + excluded.wagered,
      machine_paid = r.machine_paid + excluded.machine_paid, hand_paid = r.hand_paid + excluded.hand_paid,
      stake_squares = r.stake_squares + excluded.stake_squares;
  return null;
end $$;
create trigger game_into_report after insert on game for each row execute function game_into_report();

create function transfer_into_report() returns trigger language plpgsql as $$
declare
  origin ledger.transfers := new;
  sign integer := 1;
  giver text;
  taker text;
  at timestamptz := new.created_at;
begin
  perform report_turn();
  while origin.corrects is not null loop
    select * into strict origin from ledger.transfers where id = origin.corrects;
    sign := -sign;
  end loop;
  select address into strict giver from ledger.accounts where id = origin.from_account;
  select address into strict taker from ledger.accounts where id = origin.to_account;
  -- A game and its transfer count on the same day.
  if new.kind = 'game' then
    at := coalesce((select taken_at from game
      where machine_id = new.about ->> 'machineId' and game_number = report_game_number(new.about)), at);
  end if;
  insert into report_money as r (machine_id, day, kind, moves, amount)
    values (report_machine(giver, taker, origin.about), business_day(at), report_kind(origin.kind, giver, taker), 1,
      sign * report_sign(origin.kind, giver, taker) * new.amount_minor)
    on conflict (machine_id, day, kind) do update set moves = r.moves + 1, amount = r.amount + excluded.amount;
  return null;
end $$;
create trigger transfer_into_report after insert on ledger.transfers for each row execute function transfer_into_report();

create function session_into_report() returns trigger language plpgsql as $$
begin
  perform report_turn();
  if tg_op = 'INSERT' then
    insert into report_seats as r (machine_id, day, hour, sessions, seated_ms)
      select new.machine_id, business_day(new.started_at), extract(hour from new.started_at at time zone time_zone)::smallint, 1, 0
        from business_day_rule
      on conflict (machine_id, day, hour) do update set sessions = r.sessions + 1;
  end if;
  if new.ended_at is not null then
    insert into report_seats as r (machine_id, day, hour, sessions, seated_ms)
      select new.machine_id, piece.day, piece.hour, 0, piece.ms from report_pieces(new.started_at, new.ended_at) piece
      on conflict (machine_id, day, hour) do update set seated_ms = r.seated_ms + excluded.seated_ms;
  end if;
  return null;
end $$;
create trigger session_into_report after insert on play_session for each row execute function session_into_report();
create trigger session_end_into_report after update of ended_at on play_session for each row
  when (old.ended_at is null and new.ended_at is not null) execute function session_into_report();

-- Makes all sums again.
create function rebuild_reports() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7046);
  delete from report_games;
  delete from report_money;
  delete from report_seats;
  insert into report_games (machine_id, day, games, wagered, machine_paid, hand_paid, stake_squares)
    select machine_id, day, games, wagered, machine_paid, hand_paid, stake_squares from report_games_source;
  insert into report_money (machine_id, day, kind, moves, amount) select machine_id, day, kind, moves, amount from report_money_source;
  insert into report_seats (machine_id, day, hour, sessions, seated_ms) select machine_id, day, hour, sessions, seated_ms from report_seats_source;
end $$;

-- Sets where the business day begins. True: that is new, and all sums were made again.
create function set_business_day(p_zone text, p_minutes integer) returns boolean language plpgsql as $$
begin
  if exists (select from business_day_rule where (time_zone, begins_minutes) = (p_zone, p_minutes)) then return false; end if;
  perform pg_advisory_xact_lock(7046);
  update business_day_rule set time_zone = p_zone, begins_minutes = p_minutes;
  perform rebuild_reports();
  return true;
end $$;

-- Every sum that is not what it is made of, read in one snapshot. No row: all of them are.
create function report_breaches() returns table (roll_up text, subject text, detail text) language sql stable as $$
  select 'games', concat_ws(' ', machine_id, day), format('kept %s, booked %s',
      coalesce(row(k.games, k.wagered, k.machine_paid, k.hand_paid, k.stake_squares)::text, 'nothing'),
      coalesce(row(s.games, s.wagered, s.machine_paid, s.hand_paid, s.stake_squares)::text, 'nothing'))
    from report_games k full join report_games_source s using (machine_id, day)
    where (k.games, k.wagered, k.machine_paid, k.hand_paid, k.stake_squares)
      is distinct from (s.games, s.wagered, s.machine_paid, s.hand_paid, s.stake_squares)
  union all
  select 'money', concat_ws(' ', nullif(machine_id, ''), day, kind), format('kept %s in %s, the ledger has %s in %s',
      coalesce(k.amount, 0), coalesce(k.moves, 0), coalesce(s.amount, 0), coalesce(s.moves, 0))
    from report_money k full join report_money_source s using (machine_id, day, kind)
    where (k.amount, k.moves) is distinct from (s.amount, s.moves)
  union all
  select 'seats', concat_ws(' ', machine_id, day, hour), format('kept %s sessions and %s ms, there were %s and %s',
      coalesce(k.sessions, 0), coalesce(k.seated_ms, 0), coalesce(s.sessions, 0), coalesce(s.seated_ms, 0))
    from report_seats k full join report_seats_source s using (machine_id, day, hour)
    where (k.sessions, k.seated_ms) is distinct from (s.sessions, s.seated_ms)
  union all
  -- What machines kept by their meters is what the ledger moved for their games, day by day.
  select 'games and ledger', concat_ws(' ', machine_id, day), format('by the meters %s, by the ledger %s',
      coalesce(g.wagered - g.machine_paid, 0), coalesce(m.amount, 0))
    from report_games g full join (select * from report_money where kind = 'game') m using (machine_id, day)
    where coalesce(g.wagered - g.machine_paid, 0) <> coalesce(m.amount, 0)
$$;

select rebuild_reports();

-- What a machine keeps by its paytable sheet, from a business day on. Never changed: the newest row of the newest day holds.
create table paytable_sheet (
  id bigint generated always as identity primary key,
  machine_id text not null references machine,
  from_day date not null,
  -- Hundredths of a percent of what is staked.
  hold integer not null check (hold between 0 and 10000),
  -- Standard deviation of what one game pays back, in hundredths of its stake. Null: the sheet does not say.
  spread integer check (spread between 1 and 10000000),
  set_by text not null check (length(set_by) between 1 and 100),
  set_at timestamptz not null default clock_timestamp(),
  reason text not null check (length(reason) between 1 and 200)
);
create index paytable_sheet_of on paytable_sheet (machine_id, from_day desc, id desc);

create function paytable_sheet_stays() returns trigger language plpgsql as $$
begin
  raise exception 'a paytable sheet is never changed, the next row takes its place (% refused)', lower(tg_op) using errcode = 'restrict_violation';
end $$;
create trigger paytable_sheet_stays before update or delete on paytable_sheet for each row execute function paytable_sheet_stays();

create function paytable_sheet_tells() returns trigger language plpgsql as $$
declare
  held paytable_sheet;
begin
  select * into held from paytable_sheet p where p.machine_id = new.machine_id and p.from_day <= new.from_day and p.id < new.id
    order by p.from_day desc, p.id desc limit 1;
  perform audit.note('machine.paytable', 'staff:' || new.set_by, 'machine:' || new.machine_id, null,
    case when held.id is not null then jsonb_build_object('hold', held.hold, 'spread', held.spread, 'from_day', held.from_day) end,
    jsonb_build_object('hold', new.hold, 'spread', new.spread, 'from_day', new.from_day), jsonb_build_object('reason', new.reason));
  return null;
end $$;
create trigger paytable_sheet_tells after insert on paytable_sheet for each row execute function paytable_sheet_tells();
