-- Whether an endpoint receives each game too.
alter table webhook_target add column games boolean not null default false;

-- How far the games of a machine are reported.
create table game_feed (machine_id text primary key references machine, game_number bigint not null check (game_number >= 0));

-- What is not a game: few among many, where games are reported.
create index outbox_fact_beside_games on outbox_fact (seq) where type <> 'game.ended';

create or replace function outbox_fans_out() returns trigger language plpgsql as $$
begin
  if not new.is_report then return null; end if;
  insert into outbox_delivery (fact_seq, channel, target, ordered_by, due_at)
    select new.seq, 'webhook', t.name, new.subject,
      -- What is before it and waits for its next try would only be looked at over and over.
      greatest(clock_timestamp(), (select d.due_at from outbox_delivery d where d.state = 'waiting' and d.target = t.name
        and d.ordered_by = new.subject and d.lease is null order by d.id desc limit 1))
    from webhook_target t where t.active and (t.games or new.type <> 'game.ended');
  return null;
end $$;

-- Games that were played before are not reported.
create function report_games_from_now() returns void language sql as $$
  insert into game_feed (machine_id, game_number) select id, taken_game from machine
    on conflict (machine_id) do update set game_number = excluded.game_number
$$;

-- Reports the next games, at most so many; answers how many it went past. It makes none while `waiting_most` reports are due, or ten times as many wait.
-- Games of one machine go in the machine's order, and of one player in the order in which they were booked. A game has one id for ever: what a platform
-- reports again, restored from a backup, a receiver recognises.
create function report_games_played(most integer, waiting_most integer) returns integer language plpgsql as $$
declare
  -- Of one machine at once.
  each integer := greatest(1, most / 10);
  past integer;
begin
  if not exists (select from webhook_target where active and games) then return 0; end if;
  if not pg_try_advisory_xact_lock(hashtextextended('outbox/games', 0)) then return 0; end if;
  if (select count(*) >= 10 * waiting_most or count(*) filter (where due_at <= clock_timestamp()) >= waiting_most
    from (select due_at from outbox_delivery where state = 'waiting' and channel = 'webhook' limit 10 * waiting_most) w) then return 0; end if;
  insert into game_feed (machine_id, game_number) select m.id, 0 from machine m
    where not exists (select from game_feed f where f.machine_id = m.id) on conflict do nothing;
  with ahead as (
    select g.*, max(g.taken_at) over (partition by g.machine_id order by g.game_number) as booked_at,
      row_number() over (partition by g.machine_id order by g.game_number) as place
    from game_feed f join machine m on m.id = f.machine_id and m.taken_game > f.game_number
      cross join lateral (select * from game where machine_id = f.machine_id and game_number > f.game_number order by game_number limit each) g
  ), chosen as (
    -- Beyond the last one that was read of a machine, another of its games may be earlier.
    select * from ahead where booked_at <= (select coalesce(min(booked_at), 'infinity') from ahead where place = each)
      order by booked_at, machine_id, game_number limit most
  ), written as (
    insert into outbox_fact (id, type, subject, data)
      select 'evt_' || left(encode(sha256(convert_to('game ' || c.machine_id || ' ' || c.game_number, 'UTF8')), 'hex'), 40), 'game.ended',
        'games:' || s.player_id, jsonb_build_object('player', s.player_id, 'machine', c.machine_id, 'session', c.play_session_id,
          'game', c.game_number || '.' || c.machine_id, 'number', c.game_number, 'stake', c.stake, 'win', c.win, 'handPaid', c.hand_paid,
          'before', c.credit_before, 'after', c.credit_after, 'freeSpins', c.free_spins, 'bonus', c.bonus,
          'start', fact_time(c.started_at), 'end', fact_time(c.ended_at))
      from chosen c join play_session s on s.id = c.play_session_id order by c.booked_at, c.machine_id, c.game_number
    on conflict (id) do nothing
  ), moved as (
    update game_feed f set game_number = c.last from (select machine_id, max(game_number) as last from chosen group by machine_id) c
      where f.machine_id = c.machine_id
  )
  select count(*) into past from chosen;
  return past;
end $$;
