-- It is in the sums, on the days on which it was booked, with what is corrected taken off.
do $$
declare
  told text;
begin
  select string_agg(concat_ws(' ', day, games, wagered, machine_paid, hand_paid, stake_squares), ', ' order by day) into told from report_games;
  assert told = '2026-11-19 1 100 200 50 10000, 2026-11-20 1 300 0 0 90000', told;
  select string_agg(concat_ws(' ', kind, amount, moves), ', ' order by kind, day) into told from report_money;
  assert told = 'cashIn 300 2, deposit 1000 1, game -100 1, game 300 1', told;
  select string_agg(concat_ws(' ', day, hour, sessions, seated_ms), ', ' order by day, hour) into told from report_seats;
  assert told = '2026-11-19 5 1 1800000, 2026-11-20 6 0 1800000', told;
  assert not exists (select from report_breaches()), 'the sums are not what they are made of';
end $$;
