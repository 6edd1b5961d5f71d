-- What a player played before games were added up for players: in the last hour of a month and in the first of the next, by the clock of UTC.
insert into agent (id, name) values ('ag_month', 'month');
insert into machine (id, agent_id, facts, meters, meters_at) values ('month-01', 'ag_month', '{}', '{}', now());
insert into play_session (id, machine_id, player_id) values ('month-s', 'month-01', 'month-player');
insert into game (machine_id, game_number, play_session_id, stake, win, credit_before, credit_after, hand_paid, started_at, ended_at, taken_at)
  values ('month-01', 1, 'month-s', 100, 250, 500, 600, 50, now(), now(), '2026-10-31 23:59:59Z'),
    ('month-01', 2, 'month-s', 300, 0, 600, 300, 0, now(), now(), '2026-11-01 00:00Z'),
    ('month-01', 3, null, 300, 0, 300, 0, 0, now(), now(), '2026-11-01 00:00Z');
select ledger.transfer('month1', 'deposit', 'cage', 'machine:month-01', 500, '{}');
select ledger.transfer('month2', 'game', 'house', 'machine:month-01', 100, '{"machineId": "month-01", "gameNumber": 1}');
select ledger.transfer('month3', 'game', 'machine:month-01', 'house', 300, '{"machineId": "month-01", "gameNumber": 2}');
select ledger.transfer('month4', 'game', 'machine:month-01', 'house', 300, '{"machineId": "month-01", "gameNumber": 3}');
