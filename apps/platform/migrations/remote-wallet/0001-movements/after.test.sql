do $$
begin
  insert into remote_move (id, player_id, kind, amount, state) values ('d1', 'p_far', 'debit', 500, 'requested');
  begin
    update remote_move set state = 'booked' where id = 'd1';
    raise exception 'a debit was booked that no wallet granted';
  exception when restrict_violation then null;
  end;
  update remote_move set state = 'granted' where id = 'd1';
  begin
    update remote_move set amount = 501 where id = 'd1';
    raise exception 'the amount of a movement was changed';
  exception when restrict_violation then null;
  end;
  update remote_move set state = 'booked' where id = 'd1';
  begin
    update remote_move set state = 'undoing' where id = 'd1';
    raise exception 'a debit was booked and undone';
  exception when restrict_violation then null;
  end;
  begin
    insert into remote_move (id, player_id, kind, amount, state) values ('c1', 'p_far', 'credit', 500, 'granted');
    raise exception 'a credit was granted';
  exception when check_violation then null;
  end;
  insert into remote_move (id, player_id, kind, amount, state) values ('c1', 'p_far', 'credit', 500, 'sending');
  begin
    delete from remote_move where id = 'c1';
    raise exception 'a movement was removed';
  exception when restrict_violation then null;
  end;
end $$;
