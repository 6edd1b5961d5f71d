insert into player (id, username, username_key, password) values ('p_break', 'deniz', 'deniz', 'none'), ('p_open', 'ece', 'ece', 'none');
insert into player_limit (player_id, kind, owner, value, effective_at, set_by)
  values ('p_break', 'exclusion', 'player', extract(epoch from now() + interval '1 day') * 1000, clock_timestamp(), 'deniz');
