do $$
begin
  insert into dispute_step (dispute_id, kind, staff_id, sender, text, sentence) values ('dq_3', 'requested', 'st_ask', 'Nilay', 'we looked', 'It was paid right');
  begin
    insert into dispute_step (dispute_id, kind, staff_id, sender, text) values ('dq_3', 'requested', 'st_ask', 'Nilay', 'no sentence');
    raise exception 'a verdict was requested without its sentence';
  exception when check_violation then null;
  end;
  begin
    update dispute_step set text = null, sentence = null, erased = true where dispute_id = 'dq_3';
    raise exception 'words of an open question were erased';
  exception when restrict_violation then null;
  end;
  begin
    update dispute_step set text = 'another', erased = true where dispute_id = 'dq_1';
    raise exception 'words of a question were changed';
  exception when restrict_violation or check_violation then null;
  end;
  begin
    update dispute_step set text = null, sentence = null, erased = true, sender = 'Okan' where dispute_id = 'dq_1' and staff_id is not null;
    raise exception 'who did it was changed';
  exception when restrict_violation then null;
  end;
  update dispute_step set text = null, sentence = null, erased = true where dispute_id = 'dq_1';
  begin
    update dispute_step set text = 'again', erased = false where dispute_id = 'dq_1' and kind = 'opened';
    raise exception 'erased words came back';
  exception when restrict_violation then null;
  end;
  begin
    delete from dispute_step where dispute_id = 'dq_1';
    raise exception 'a step was removed';
  exception when restrict_violation then null;
  end;
end $$;
