do $$
begin
  insert into identity_decision (player_id, state, decided_by, reason) values ('p_known', 'expired', 'eva', 'the document was lost');
  begin
    insert into identity_decision (player_id, state, valid_until, decided_by, reason) values ('p_known', 'expired', '2031-02-01', 'eva', 'lost');
    raise exception 'a proof that is over has a last day';
  exception when check_violation then null;
  end;
  insert into identity_correction (id, player_id, was, birth_date) values ('ic_1', 'p_known', '1990-05-31', '1980-05-31');
  delete from identity_record where player_id = 'p_known';
  assert not exists (select from identity_correction), 'a correction outlived the data';
  assert (select count(*) from identity_erasure where player_id = 'p_known') = 1, 'an erasure was not noted';
  assert (select count(*) from identity_decision where player_id = 'p_known') = 2, 'decisions went with the data';
  begin
    delete from identity_erasure;
    raise exception 'an erasure was forgotten';
  exception when restrict_violation then null;
  end;
end $$;
