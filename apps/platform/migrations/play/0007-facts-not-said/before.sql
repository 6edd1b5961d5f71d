insert into agent (id, name, key_sha256) values ('said-agent', 'said', 'said');
insert into machine (id, agent_id, facts, meters, meters_at) values ('said-01', 'said-agent', '{}', '{}', now());
insert into game (machine_id, game_number, stake, win, credit_before, credit_after, hand_paid, free_spins, bonus, started_at, ended_at)
  values ('said-01', 1, 100, 0, 500, 400, 0, 3, true, now(), now());
