insert into player (id, username, username_key, password) values ('p_pay', 'pays', 'pays', 'none') on conflict do nothing;
