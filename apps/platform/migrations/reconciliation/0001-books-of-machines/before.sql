-- A machine that was played before anything was compared.
insert into agent (id, name, key_sha256) values ('ag_1', 'floor', 'x');
insert into machine (id, agent_id, facts, meters, meters_at) values ('m1', 'ag_1', '{}', '{}', now());
insert into play_session (id, machine_id, player_id) values ('ps_1', 'm1', 'p_1');
insert into machine_transfer (id, machine_id, play_session_id, player_id, epoch, direction, asked, node_id, state, amount, decided_at)
  values ('t1', 'm1', 'ps_1', 'p_1', 1, 'cashIn', 500, 'main', 'done', 500, now());
insert into game (machine_id, game_number, play_session_id, stake, win, credit_before, credit_after, hand_paid, free_spins, bonus, started_at, ended_at)
  values ('m1', 1, 'ps_1', 100, 40, 500, 440, 0, 0, false, now(), now());
