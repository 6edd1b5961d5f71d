-- A deposit of a provider goes back: the wallet gives what it has, the rest is owed, and no wallet is below zero.
do $$
declare
  answer ledger.answer;
begin
  perform ledger.transfer('pv-d1', 'deposit', 'provider:acme-pay', 'player:pv', 100, '{}');
  perform ledger.transfer('pv-i1', 'cashIn', 'player:pv', 'machine:pv', 70, '{}');
  answer := ledger.correct('pv-c0', 'pv-d1', null, '{}');
  assert answer.problem = 'wallet.insufficient_funds', answer;
  answer := ledger.correct('pv-c1', 'pv-d1', 30, '{}');
  assert answer.problem is null and (answer.record ->> 'fromBalanceMinor')::bigint = 0, answer;
  answer := ledger.transfer('pv-o1', 'chargeBack', 'owed:pv', 'provider:acme-pay', 70, '{}');
  assert answer.problem is null and (answer.record ->> 'fromBalanceMinor')::bigint = -70, answer;
  begin
    perform ledger.transfer('pv-d2', 'deposit', 'provider:Acme', 'player:pv', 1, '{}');
    assert false, 'an account of a wrong name was opened';
  exception when check_violation then null;
  end;
  assert not exists (select from ledger.breaches()), 'the ledger is out of balance';
end $$;
