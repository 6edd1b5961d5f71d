do $$ begin
  assert (select wagered = 200 from play_session where id = 'sum-played'), 'the games of a play session are added up';
  assert (select wagered = 0 from play_session where id = 'sum-empty'), 'a play session without games wagered nothing';
end $$;
