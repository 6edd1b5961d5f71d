-- What was played before there were reports.
insert into agent (id, name) values ('ag_old', 'old');
insert into machine (id, agent_id, facts, meters, meters_at) values ('m1', 'ag_old', '{}', '{}', now());
insert into game (machine_id, game_number, stake, win, credit_before, credit_after, hand_paid, started_at, ended_at, taken_at)
  values ('m1', 1, 100, 250, 500, 600, 50, now(), now(), '2026-11-20 05:59:59Z'), ('m1', 2, 300, 0, 600, 300, 0, now(), now(), '2026-11-20 06:00Z');
select ledger.transfer('old1', 'deposit', 'cage', 'player:old', 1000, '{}');
select ledger.transfer('old2', 'cashIn', 'player:old', 'machine:m1', 500, '{"machineId": "m1"}');
select ledger.transfer('old3', 'game', 'house', 'machine:m1', 100, '{"machineId": "m1", "gameNumber": 1}');
select ledger.transfer('old4', 'game', 'machine:m1', 'house', 300, '{"machineId": "m1", "gameNumber": 2}');
select ledger.correct('old5', 'old2', 200, '{}');
insert into play_session (id, machine_id, player_id, started_at, ended_at, end_reason) values ('s1', 'm1', 'old', '2026-11-20 05:30Z', '2026-11-20 06:30Z', 'left');
