-- Games of a player that were booked in a calendar month of the venue's time zone. Minor units.
create table report_player_games (
  player_id text not null,
  month date not null check (extract(day from month) = 1),
  games bigint not null,
  wagered bigint not null,
  -- With what was left to be paid by hand.
  won bigint not null,
  primary key (player_id, month)
) with (fillfactor = 70);

-- The first day of the calendar month of an instant, by the venue's clock, and when a month begins.
create function venue_month(at timestamptz) returns date language sql stable as
  $$ select date_trunc('month', at at time zone time_zone)::date from business_day_rule $$;
create function venue_month_begins(month date) returns timestamptz language sql stable as
  $$ select month::timestamp at time zone time_zone from business_day_rule $$;

create view report_player_games_source as
  select s.player_id, date_trunc('month', g.taken_at at time zone r.time_zone)::date as month, count(*)::bigint as games,
    sum(g.stake)::bigint as wagered, sum(g.win)::bigint as won
  from game g join play_session s on s.id = g.play_session_id cross join business_day_rule r group by 1, 2;

-- After `game_into_report`, by its name: both wait for the same turn.
create function game_into_report_of_player() returns trigger language plpgsql as $$
begin
  perform report_turn();
  insert into report_player_games as r (player_id, month, games, wagered, won)
    select s.player_id, venue_month(new.taken_at), 1, new.stake, new.win from play_session s where s.id = new.play_session_id
    on conflict (player_id, month) do update set games = r.games + 1, wagered = r.wagered + excluded.wagered, won = r.won + excluded.won;
  return null;
end $$;
create trigger game_into_report_of_player after insert on game for each row
  when (new.play_session_id is not null) execute function game_into_report_of_player();

-- As before, and the games of players.
create or replace function rebuild_reports() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7046);
  delete from report_games;
  delete from report_player_games;
  delete from report_money;
  delete from report_seats;
  insert into report_games (machine_id, day, games, wagered, machine_paid, hand_paid, stake_squares)
    select machine_id, day, games, wagered, machine_paid, hand_paid, stake_squares from report_games_source;
  insert into report_player_games (player_id, month, games, wagered, won)
    select player_id, month, games, wagered, won from report_player_games_source;
  insert into report_money (machine_id, day, kind, moves, amount) select machine_id, day, kind, moves, amount from report_money_source;
  insert into report_seats (machine_id, day, hour, sessions, seated_ms) select machine_id, day, hour, sessions, seated_ms from report_seats_source;
end $$;

-- As before, and the games of players.
alter function report_breaches() rename to report_breaches_of_machines;
create function report_breaches() returns table (roll_up text, subject text, detail text) language sql stable as $$
  select roll_up, subject, detail from report_breaches_of_machines()
  union all
  select 'games of players', concat_ws(' ', player_id, to_char(month, 'YYYY-MM')), format('kept %s, booked %s',
      coalesce(row(k.games, k.wagered, k.won)::text, 'nothing'), coalesce(row(s.games, s.wagered, s.won)::text, 'nothing'))
    from report_player_games k full join report_player_games_source s using (player_id, month)
    where (k.games, k.wagered, k.won) is distinct from (s.games, s.wagered, s.won)
$$;

insert into report_player_games (player_id, month, games, wagered, won) select player_id, month, games, wagered, won from report_player_games_source;
