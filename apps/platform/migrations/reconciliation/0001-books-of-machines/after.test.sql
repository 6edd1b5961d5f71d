-- The books of a machine follow its games and transfers by themselves, each once, whoever writes them.
do $$
declare
  told text;
begin
  insert into machine_transfer (id, machine_id, play_session_id, player_id, epoch, direction, asked, node_id)
    values ('t2', 'm1', 'ps_1', 'p_1', 1, 'cashOut', null, 'main');
  update machine_transfer set state = 'unknown' where id = 't2';
  update machine_transfer set state = 'done', amount = 440, decided_at = now() where id = 't2';
  insert into game (machine_id, game_number, play_session_id, stake, win, credit_before, credit_after, hand_paid, free_spins, bonus, started_at, ended_at)
    values ('m1', 2, 'ps_1', 100, 900, 440, 340, 900, 0, false, now(), now());
  select concat_ws(' ', games, wagered, won, machine_paid, cash_in, cash_out) into told from machine_books where machine_id = 'm1';
  assert told = '2 200 940 40 500 440', told;

  insert into discrepancy (machine_id, ledger_amount, machine_amount) values ('m1', 5, 0);
  update discrepancy set explained_at = now(), explained_by = 'eva', explanation = 'a coin under the machine';
  begin
    update discrepancy set explanation = 'another one';
    assert false, 'an explanation was changed';
  exception when restrict_violation then null;
  end;
  begin
    delete from discrepancy;
    assert false, 'a difference was removed';
  exception when restrict_violation then null;
  end;

  assert ledger_id_of('game', 'm1', '7') = 'game:m1:7', ledger_id_of('game', 'm1', '7');
  assert ledger_id_of('handPay', repeat('a', 60), 'b:c') = 'handPay.C4NMlSiK3GLqYheGi6Mf0X5pkAbWamHUHAuxQa7VCK4', ledger_id_of('handPay', repeat('a', 60), 'b:c');
end $$;
