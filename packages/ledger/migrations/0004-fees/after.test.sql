-- A fee goes from a wallet to its account, not below zero, and back by a correction.
do $$
declare
  answer ledger.answer;
begin
  perform ledger.transfer('fee-d1', 'deposit', 'cage', 'player:fee', 100, '{}');
  answer := ledger.transfer('fee-f1', 'fee', 'player:fee', 'fees', 60, '{}');
  assert answer.problem is null and (answer.record ->> 'fromBalanceMinor')::bigint = 40, answer;
  answer := ledger.transfer('fee-f2', 'fee', 'player:fee', 'fees', 41, '{}');
  assert answer.problem = 'wallet.insufficient_funds', answer;
  answer := ledger.correct('fee-c1', 'fee-f1', null, '{}');
  assert answer.problem is null and (answer.record ->> 'toBalanceMinor')::bigint = 100, answer;
  begin
    perform ledger.transfer('fee-f3', 'toll', 'player:fee', 'fees', 1, '{}');
    assert false, 'a kind that is not known was taken';
  exception when check_violation then null;
  end;
  assert not exists (select from ledger.breaches()), 'the ledger is out of balance';
end $$;
