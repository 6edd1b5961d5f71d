insert into agent (id, name, key_sha256) values ('sum-agent', 'sum', 'sum');
insert into machine (id, agent_id, facts, meters, meters_at) values ('sum-01', 'sum-agent', '{}', '{}', now());
insert into play_session (id, machine_id, player_id, games, net) values ('sum-played', 'sum-01', 'p', 2, -150), ('sum-empty', 'sum-01', 'p', 0, 0);
insert into game (machine_id, game_number, play_session_id, stake, win, credit_before, credit_after, hand_paid, free_spins, bonus, started_at, ended_at)
  values ('sum-01', 1, 'sum-played', 100, 50, 500, 450, 0, 0, false, now(), now()), ('sum-01', 2, 'sum-played', 100, 0, 450, 350, 0, 0, false, now(), now()),
    ('sum-01', 3, null, 100, 0, 350, 250, 0, 0, false, now(), now());
