do $$
begin
  perform ledger.transfer('back-1', 'chargeBack', 'owed:back', 'provider:acme', 40, '{"actor": "provider:acme"}');
  set constraints all immediate;
  assert (select (type, actor, facts ->> 'kind') = ('money.adjusted', 'provider:acme', 'chargeBack') from audit.entries
    where subject = 'transfer:back-1'), 'a charge-back is not in the audit log';
end $$;
