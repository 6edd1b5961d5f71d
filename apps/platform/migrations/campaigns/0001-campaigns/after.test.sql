do $$
declare
  answer record;
begin
  insert into campaign (id, name, amount, claim_days, audience, budget, starts_at, ends_at, added_by, reason)
    values ('ca_1', 'Friday', 300, 7, '{"is": "list", "players": ["p_before"]}', 700, now(), now() + interval '1 day', 'okan', 'slow week');
  begin
    insert into bonus_grant (id, player_id, amount, reason, granted_by, campaign_id) values ('bg_1', 'p_before', 300, 'Friday', 'okan', 'ca_1');
    insert into bonus_grant (id, player_id, amount, reason, granted_by, campaign_id) values ('bg_2', 'p_before', 300, 'Friday', 'okan', 'ca_1');
    raise exception 'a player has two of one campaign';
  exception when unique_violation then null;
  end;
  begin
    update campaign set players = 1, granted = 300 where id = 'ca_1';
    raise exception 'a draft granted something';
  exception when restrict_violation then null;
  end;
  update campaign set state = 'running', started_at = now(), started_by = 'okan' where id = 'ca_1';
  begin
    update campaign set players = 3, granted = 900 where id = 'ca_1';
    raise exception 'the budget was exceeded';
  exception when check_violation then null;
  end;
  begin
    update campaign set budget = 9000 where id = 'ca_1';
    raise exception 'what was started changed';
  exception when restrict_violation then null;
  end;
  begin
    update campaign set state = 'draft' where id = 'ca_1';
    raise exception 'a running campaign became a draft';
  exception when restrict_violation then null;
  end;
  -- What was granted by hand before is paid as it was, also to an excluded player; what a campaign granted is not.
  insert into bonus_grant (id, player_id, amount, reason, granted_by, campaign_id) values ('bg_3', 'p_before', 300, 'Friday', 'okan', 'ca_1');
  insert into player_limit (player_id, kind, owner, value, effective_at, set_by)
    values ('p_before', 'exclusion', 'player', extract(epoch from now() + interval '1 day') * 1000, clock_timestamp(), 'p_before');
  select * into answer from claim_bonus('p_before');
  assert answer.amount = 500, 'the bonus by hand is paid';
  select * into answer from claim_bonus('p_before');
  assert answer.problem = 'claim.nothing', 'an excluded player claimed a bonus of a campaign';
  update campaign set state = 'ended', ended_at = now(), end_reason = 'staff' where id = 'ca_1';
  begin
    update campaign set state = 'running', ended_at = null, end_reason = null where id = 'ca_1';
    raise exception 'what ended runs again';
  exception when restrict_violation then null;
  end;
end $$;
