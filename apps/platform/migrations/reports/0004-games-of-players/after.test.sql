do $$
declare
  told text;
begin
  select string_agg(concat_ws(' ', month, games, wagered, won), ', ' order by month) into told from report_player_games where player_id = 'month-player';
  assert told = '2026-10-01 1 100 250, 2026-11-01 1 300 0', told;
  -- A venue in Istanbul is three hours ahead.
  assert set_business_day('Europe/Istanbul', 360), 'the business day moved';
  select string_agg(concat_ws(' ', month, games, wagered, won), ', ' order by month) into told from report_player_games where player_id = 'month-player';
  assert told = '2026-11-01 2 400 250', told;
  assert not exists (select from report_breaches() where roll_up = 'games of players'), 'the sums are not what they are made of';
end $$;
