insert into player (id, username, username_key, password) values ('p_prov', 'provides', 'provides', 'none') on conflict do nothing;
