insert into player (id, username, username_key, password) values ('p_known', 'derya', 'derya', 'none');
insert into identity_record (player_id, birth_date, document) values ('p_known', '1990-05-31', 'passport');
insert into identity_decision (player_id, state, valid_until, decided_by, reason) values ('p_known', 'verified', '2031-02-01', 'eva', 'seen');
