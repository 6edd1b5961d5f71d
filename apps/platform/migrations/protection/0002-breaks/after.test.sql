do $$
declare
  ended bigint;
begin
  assert player_is_excluded('p_break'), 'an exclusion of before holds on';
  assert not player_is_excluded('p_open'), 'a player without a break is excluded';
  insert into player_break (player_id, kind, until, set_by) values ('p_open', 'forced', now() + interval '5 minutes', 'platform');
  assert not player_is_excluded('p_open'), 'a forced break keeps bonuses away';
  insert into player_break (player_id, kind, from_at, until, set_by)
    values ('p_open', 'exclusion', now() - interval '2 years', now() - interval '1 day', 'player:p_open') returning id into ended;
  assert player_is_excluded('p_open'), 'an exclusion ended by itself';
  begin
    update player_break set until = now() where id = ended;
    raise exception 'a break was shortened';
  exception when restrict_violation then null;
  end;
  begin
    delete from player_break where id = ended;
    raise exception 'a break was removed';
  exception when restrict_violation then null;
  end;
  insert into player_reopening (break_id, opens_at) values (ended, now() + interval '1 second');
  assert (select opens_at > now() + interval '23 hours' from player_reopening where break_id = ended), 'play opens sooner than a day later';
  assert player_is_excluded('p_open'), 'play opened at once';
  begin
    insert into player_break (player_id, kind, until, set_by) values ('p_open', 'exclusion', now() + interval '1 year', 'player:p_open') returning id into ended;
    insert into player_reopening (break_id, opens_at) values (ended, now() + interval '1 second');
    raise exception 'a running exclusion was opened';
  exception when check_violation then null;
  end;
end $$;
