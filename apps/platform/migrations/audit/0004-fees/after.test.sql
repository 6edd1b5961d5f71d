do $$
begin
  perform ledger.transfer('fee-d', 'deposit', 'cage', 'player:fee', 100, '{}');
  perform ledger.transfer('fee-1', 'fee', 'player:fee', 'fees', 40, '{"actor": "player:fee"}');
  set constraints all immediate;
  assert (select (type, actor, facts ->> 'kind') = ('money.adjusted', 'player:fee', 'fee') from audit.entries
    where subject = 'transfer:fee-1'), 'a fee is not in the audit log';
end $$;
