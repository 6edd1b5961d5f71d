-- The same as modules/wallet/transfer-id.ts makes them.
do $$ begin
  assert ledger_id_of('handPay', 'a', 'b:c') = 'handPay.zmn7nXu3uwVpWaoBJdlCq80HcqstNiAK39rcf7aBsF4', ledger_id_of('handPay', 'a', 'b:c');
  assert ledger_id_of('handPay', 'a:b', 'c') = 'handPay.Nxs7mnMPek0ipBlYi0DMPc4CHiEw4aQ1gl_KnuGmEmA', ledger_id_of('handPay', 'a:b', 'c');
  assert ledger_id_of('handPay', 'nar-01', 'hp-1') = 'handPay:nar-01:hp-1', ledger_id_of('handPay', 'nar-01', 'hp-1');
  assert ledger_id_of('game', 'a:1', '2') = 'game:a:1:2', ledger_id_of('game', 'a:1', '2');
end $$;
