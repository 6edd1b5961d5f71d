insert into player (id, username, username_key, password) values ('p_before', 'before', 'before', 'x');
insert into player_limit (player_id, kind, owner, value, effective_at, set_by)
  values ('p_before', 'loss', 'player', 500, clock_timestamp(), 'p_before');
