insert into player (id, username, username_key, password) values ('p_terms', 'ozan', 'ozan', 'none');
