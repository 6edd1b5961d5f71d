do $$
begin
  assert terms_now() is null, 'terms hold that were never entered';
  insert into terms_version (number, valid_from, texts, entered_by, reason)
    values (1, now() - interval '1 hour', '{"en":{"title":"Terms","changes":[],"body":"One"}}', 'eva', 'the first'),
      (2, now() + interval '1 day', '{"en":{"title":"Terms","changes":["two"],"body":"Two"}}', 'eva', 'the second');
  assert terms_now() = 1, 'a version holds before its time';
  insert into terms_acceptance (player_id, number) values ('p_terms', 1);
  begin
    update terms_version set texts = '{"en":{}}' where number = 1;
    raise exception 'terms were changed';
  exception when restrict_violation then null;
  end;
  begin
    delete from terms_acceptance;
    raise exception 'an acceptance was removed';
  exception when restrict_violation then null;
  end;
end $$;
