do $$
declare
  entry record;
begin
  assert (select period = 'day' and not asks_again and player_limit_has_begun(l) from player_limit l where player_id = 'p_before' and kind = 'loss'),
    'a limit of before is one of a day and holds';
  insert into player_limit (player_id, kind, period, owner, value, effective_at, asks_again, set_by)
    values ('p_before', 'loss', 'week', 'player', 900, clock_timestamp() - interval '1 hour', true, 'player:p_before');
  assert not (select player_limit_has_begun(l) from player_limit l where period = 'week'), 'it waits for a yes';
  insert into player_limit_answer (limit_id, answer, answered_by) select id, 'yes', 'player:p_before' from player_limit where period = 'week';
  assert (select player_limit_has_begun(l) from player_limit l where period = 'week'), 'a yes makes it hold';
  begin
    delete from player_limit_answer;
    raise exception 'an answer was removed';
  exception when restrict_violation then null;
  end;
  begin
    insert into player_limit (player_id, kind, period, owner, value, effective_at, set_by)
      values ('p_before', 'session', 'week', 'player', 9, clock_timestamp(), 'p_before');
    raise exception 'a play session was limited by week';
  exception when check_violation then null;
  end;
end $$;
