-- One of each move on an empty ledger: what they answer, and that nothing is out of balance afterwards.
do $$
declare
  answer ledger.answer;
begin
  answer := ledger.transfer('t1', 'deposit', 'cage', 'player:ann', 100, '{}');
  assert answer.problem is null and (answer.record ->> 'toBalanceMinor')::bigint = 100, answer;
  answer := ledger.hold('h1', 'cashIn', 'player:ann', 'machine:m7', 60, '{}');
  assert answer.problem is null and answer.record ->> 'status' = 'open', answer;
  answer := ledger.hold('h2', 'cashIn', 'player:ann', 'machine:m7', 41, '{}');
  assert answer.problem = 'wallet.insufficient_funds', answer;
  answer := ledger.post('h1', 50, 'h1', '{}');
  assert answer.problem is null and (answer.record ->> 'fromBalanceMinor')::bigint = 50, answer;
  answer := ledger.void('h1', 'late');
  assert answer.problem = 'hold.already_posted', answer;
  answer := ledger.correct('c1', 't1', 50, '{}');
  assert answer.problem is null and (answer.record ->> 'corrects') = 't1', answer;
  assert not exists (select from ledger.breaches()), 'the ledger is out of balance';
end $$;
