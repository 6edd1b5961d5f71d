insert into player (id, username, username_key, password) values ('p_before', 'before', 'before', 'x');
insert into bonus_grant (id, player_id, amount, reason, granted_by) values ('bg_before', 'p_before', 500, 'welcome', 'ayse');
