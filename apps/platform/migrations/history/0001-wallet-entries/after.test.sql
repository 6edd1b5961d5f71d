-- One of each kind: its type, where it says the money came from, its machine; and that it agrees with the ledger.
do $$
declare
  told text;
begin
  assert (select string_agg(concat_ws(' ', type, source, machine_id, amount, balance), ', ' order by entry_number)
    from wallet_entry where player_id = 'old') = '1 Cage  100 100, 3 Wallet m1 -60 40', 'what was there before is missing';

  perform ledger.transfer('t1', 'deposit', 'cage', 'player:ann', 1000, '{}');
  perform ledger.transfer('t2', 'withdraw', 'player:ann', 'cage', 100, '{}');
  perform ledger.transfer('t3', 'cashIn', 'player:ann', 'machine:m7', 300, '{"machineId": "m7"}');
  perform ledger.transfer('t4', 'cashOut', 'machine:m7', 'player:ann', 200, '{"machineId": "m7"}');
  perform ledger.transfer('t5', 'handPay', 'house', 'player:ann', 50, '{"machineId": "m7"}');
  perform ledger.transfer('t6', 'jackpot', 'house', 'player:ann', 60, '{"machineId": "m7"}');
  perform ledger.transfer('t7', 'discount', 'promotions', 'player:ann', 7, '{}');
  perform ledger.transfer('t8', 'bonus', 'promotions', 'player:ann', 8, '{}');
  perform ledger.transfer('t9', 'suspense', 'suspense', 'player:ann', 9, '{}');
  perform ledger.correct('c1', 't1', 10, '{}');
  perform ledger.correct('c3', 't3', 100, '{}');
  perform ledger.correct('c4', 't4', 20, '{}');
  perform ledger.correct('c2', 't2', 5, '{}');
  perform ledger.transfer('t10', 'jackpot', 'house', 'player:ann', 1, '{"machineId": "no machine!"}');
  perform ledger.transfer('g1', 'game', 'machine:m7', 'house', 5, '{"machineId": "m7"}');
  select string_agg(concat_ws(' ', transfer_id, type, source, nullif(machine_id, ''), amount), ', ' order by entry_number) into told
    from wallet_entry where player_id = 'ann';
  assert told = 't1 1 Cage 1000, t2 2 Wallet -100, t3 3 Wallet m7 -300, t4 4 Machine m7 200, t5 5 Cage m7 50, '
    't6 6 Machine m7 60, t7 1 Discount 7, t8 1 Bonus 8, t9 1 Cage 9, c1 2 Wallet -10, c3 4 Machine m7 100, '
    'c4 3 Wallet m7 -20, c2 1 Cage 5, t10 6 Cage 1', told;

  assert not exists (
    select from ledger.postings p join ledger.accounts a on a.id = p.account_id and a.address like 'player:%'
    join ledger.transfers t on t.id = p.transfer_id
    full join wallet_entry w on 'player:' || w.player_id = a.address and w.entry_number = p.entry_number
    where (p.transfer_id, p.amount_minor, p.balance_minor, t.created_at)
      is distinct from (w.transfer_id, w.amount, w.balance, w.at)), 'history and ledger differ';

  begin
    update wallet_entry set amount = 1;
    assert false, 'a history row was changed';
  exception when restrict_violation then null;
  end;
  assert not exists (select from ledger.breaches()), 'the ledger is out of balance';
end $$;
