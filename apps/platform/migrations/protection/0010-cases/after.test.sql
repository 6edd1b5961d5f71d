do $$
begin
  assert (select permissions from staff_role where role = 'supervisor') @> array['care.see', 'care.act'], 'a supervisor may not act in cases';
  assert (select permissions from staff_role where role = 'auditor') @> array['care.see'], 'an auditor may not see cases';
  assert not (select permissions from staff_role where role = 'cashier') && array['care.see', 'care.act'], 'a cashier sees cases';
  insert into care_case (id, player_id, level) values ('cc_1', 'p_care', 'watch');
  insert into care_sign (case_id, measure, level, value, threshold) values ('cc_1', 'night', 'watch', 400, 360);
  begin
    insert into care_case (id, player_id, level) values ('cc_2', 'p_care', 'strong');
    raise exception 'a player has two open cases';
  exception when unique_violation then null;
  end;
  begin
    update care_case set closed_at = clock_timestamp(), closed_by = 'st_care', close_reason = 'talked' where id = 'cc_1';
    raise exception 'a case was closed without an outcome';
  exception when check_violation then null;
  end;
  begin
    update care_sign set value = 1;
    raise exception 'a sign was changed';
  exception when restrict_violation then null;
  end;
  update care_case set closed_at = clock_timestamp(), closed_by = 'st_care', close_reason = 'talked', outcome = 'talked' where id = 'cc_1';
  begin
    insert into care_step (case_id, kind, staff_id, text) values ('cc_1', 'note', 'st_care', 'later');
    raise exception 'a closed case got a note';
  exception when restrict_violation then null;
  end;
  begin
    update care_case set outcome = 'noConcern' where id = 'cc_1';
    raise exception 'the outcome of a case was changed';
  exception when restrict_violation then null;
  end;
  insert into care_case (id, player_id, level) values ('cc_2', 'p_care', 'strong');
end $$;
