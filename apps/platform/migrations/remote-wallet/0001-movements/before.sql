insert into player (id, username, username_key, password) values ('p_far', 'far', 'far', 'none') on conflict do nothing;
