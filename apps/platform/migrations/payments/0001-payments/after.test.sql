do $$
begin
  insert into payment (id, player_id, request_id, kind, way, amount, code, changed_by)
    values ('pm_1', 'p_pay', 'request-1', 'deposit', 'desk', 25000, 'A11111', 'player:p_pay');
  begin
    insert into payment (id, player_id, request_id, kind, way, amount, changed_by)
      values ('pm_2', 'p_pay', 'request-1', 'deposit', 'desk', 25000, 'player:p_pay');
    raise exception 'one request made two payments';
  exception when unique_violation then null;
  end;
  begin
    insert into payment (id, player_id, request_id, kind, way, amount, code, changed_by)
      values ('pm_3', 'p_pay', 'request-3', 'withdrawal', 'desk', 25000, 'A11111', 'player:p_pay');
    raise exception 'one code leads to two payments';
  exception when unique_violation then null;
  end;
  begin
    update payment set amount = 1 where id = 'pm_1';
    raise exception 'the amount of a payment was changed';
  exception when restrict_violation then null;
  end;
  begin
    update payment set state = 'captured' where id = 'pm_1';
    raise exception 'a deposit is there without its transfer';
  exception when check_violation then null;
  end;
  update payment set state = 'expired', changed_by = 'platform' where id = 'pm_1';
  begin
    update payment set state = 'captured', moved = 25000, transfer_id = 't1' where id = 'pm_1';
    raise exception 'a payment that was over moved money';
  exception when restrict_violation then null;
  end;
  insert into payment (id, player_id, request_id, kind, way, amount, code, changed_by)
    values ('pm_4', 'p_pay', 'request-4', 'deposit', 'desk', 25000, 'A11111', 'player:p_pay');
  update payment set state = 'captured', moved = 25000, transfer_id = 't4', changed_by = 'staff:eva' where id = 'pm_4';
  begin
    update payment set state = 'requested' where id = 'pm_4';
    raise exception 'a payment that was made can be made again';
  exception when restrict_violation then null;
  end;
  assert (select count(*) from payment_step) = 4, 'a state was not written down';
  begin
    delete from payment_step;
    raise exception 'a step was removed';
  exception when restrict_violation then null;
  end;
end $$;
