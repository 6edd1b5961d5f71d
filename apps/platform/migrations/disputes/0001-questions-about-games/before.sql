insert into staff_role (role, permissions, limits) values ('supervisor', array['player.see'], '{}'), ('auditor', array['player.see'], '{}'),
  ('attendant', array['floor.see'], '{}'), ('cashier', array['player.see'], '{}') on conflict (role) do nothing;
insert into staff (id, username, username_key, name, added_by) values ('st_ask', 'nilay', 'nilay', 'Nilay', 'test') on conflict do nothing;
insert into player (id, username, username_key, password) values ('p_ask', 'asks', 'asks', 'none'), ('p_other', 'other', 'other', 'none');
insert into agent (id, name) values ('ag_ask', 'ask');
insert into machine (id, agent_id, facts, meters, meters_at) values ('ask-01', 'ag_ask', '{}', '{}', now());
insert into play_session (id, machine_id, player_id) values ('ask-s', 'ask-01', 'p_ask');
insert into game (machine_id, game_number, play_session_id, stake, win, credit_before, credit_after, hand_paid, started_at, ended_at, taken_at)
  values ('ask-01', 1, 'ask-s', 100, 0, 500, 400, 0, now(), now(), now()), ('ask-01', 2, 'ask-s', 100, 0, 400, 300, 0, now(), now(), now());
