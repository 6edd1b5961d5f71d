do $$
begin
  insert into clip_reading (clip_id, staff_id) values ('cl_1', 'st_clip');
  insert into clip_reading (clip_id, staff_id) values ('cl_1', 'st_clip') on conflict do nothing;
  assert (select count(*) from audit.entries where facts ->> 'clip' = 'cl_1') = 1,
    'a reading of a clip is not in the audit log once';
  delete from clip where id = 'cl_1';
end $$;
