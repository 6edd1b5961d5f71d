do $$
begin
  insert into dispute_step (dispute_id, kind, staff_id, sender, text, moment_ms) values ('dq_3', 'mark', 'st_ask', 'Nilay', 'four of a kind', 1763668721123.5);
  begin
    insert into dispute_step (dispute_id, kind, staff_id, sender, text) values ('dq_3', 'mark', 'st_ask', 'Nilay', 'no moment');
    raise exception 'a mark has no moment';
  exception when check_violation then null;
  end;
  begin
    insert into dispute_step (dispute_id, kind, staff_id, sender, text, moment_ms) values ('dq_3', 'note', 'st_ask', 'Nilay', 'a note', 1);
    raise exception 'a note has a moment';
  exception when check_violation then null;
  end;
  begin
    update dispute_step set moment_ms = 1 where dispute_id = 'dq_3' and kind = 'mark';
    raise exception 'a mark was moved';
  exception when restrict_violation then null;
  end;
end $$;
