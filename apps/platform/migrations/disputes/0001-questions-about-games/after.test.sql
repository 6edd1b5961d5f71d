do $$
begin
  assert (select permissions from staff_role where role = 'supervisor') @> array['dispute.see', 'dispute.decide'], 'a supervisor may not decide questions';
  assert (select permissions from staff_role where role = 'attendant') @> array['dispute.see'], 'an attendant may not see questions';
  assert not (select permissions from staff_role where role = 'cashier') && array['dispute.see', 'dispute.decide'], 'a cashier sees questions';
  begin
    insert into dispute (id, player_id, machine_id, game_number, kind, due_at) values ('dq_0', 'p_other', 'ask-01', 1, 'somethingElse', now());
    raise exception 'a player asks about the game of another one';
  exception when restrict_violation then null;
  end;
  insert into dispute (id, player_id, machine_id, game_number, kind, due_at) values ('dq_1', 'p_ask', 'ask-01', 1, 'somethingElse', now());
  begin
    insert into dispute (id, player_id, machine_id, game_number, kind, due_at) values ('dq_2', 'p_ask', 'ask-01', 1, 'somethingElse', now());
    raise exception 'a game has two questions';
  exception when unique_violation then null;
  end;
  insert into dispute_step (dispute_id, kind, text) values ('dq_1', 'opened', 'why');
  insert into dispute_step (dispute_id, kind, staff_id, sender, text) values ('dq_1', 'question', 'st_ask', 'Nilay', 'when');
  begin
    insert into dispute_step (dispute_id, kind, staff_id, sender, text) values ('dq_1', 'question', 'st_ask', 'Nilay', 'and where');
    raise exception 'staff asks twice';
  exception when unique_violation then null;
  end;
  begin
    update dispute_step set text = 'because';
    raise exception 'the words of a question were changed';
  exception when restrict_violation then null;
  end;
  begin
    update dispute set decided_at = now(), verdict = 'houseOwes' where id = 'dq_1';
    raise exception 'the venue owes and pays nothing';
  exception when check_violation then null;
  end;
  insert into dispute_step (dispute_id, kind, staff_id, sender, text, sentence) values ('dq_1', 'decided', 'st_ask', 'Nilay', 'we looked', 'It was paid right');
  update dispute set decided_at = now(), verdict = 'paidRight' where id = 'dq_1';
  begin
    update dispute set verdict = 'unclear' where id = 'dq_1';
    raise exception 'a verdict was changed';
  exception when restrict_violation then null;
  end;
  begin
    insert into dispute_step (dispute_id, kind, text) values ('dq_1', 'addition', 'but');
    raise exception 'a decided question got more words';
  exception when restrict_violation then null;
  end;
  update dispute set read_at = now() where id = 'dq_1';
  begin
    delete from dispute_reading;
    delete from dispute where id = 'dq_1';
    raise exception 'a question was removed';
  exception when restrict_violation then null;
  end;
end $$;
