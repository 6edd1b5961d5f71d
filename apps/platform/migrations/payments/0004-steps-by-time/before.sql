insert into player (id, username, username_key, password) values ('p_by_time', 'bytime', 'bytime', 'none') on conflict do nothing;
insert into payment (id, player_id, request_id, kind, way, amount, changed_by)
  values ('pm_t1', 'p_by_time', 'request-t1', 'deposit', 'acme', 25000, 'player:p_by_time');
