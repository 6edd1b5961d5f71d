-- Money that moved before there was a history.
select ledger.transfer('old1', 'deposit', 'cage', 'player:old', 100, '{}');
select ledger.hold('old2', 'cashIn', 'player:old', 'machine:m1', 60, '{"machineId": "m1"}');
select ledger.post('old2', 60, 'old2', '{}');
