insert into staff (id, username, username_key, name, added_by) values ('st_clip', 'melis', 'melis', 'Melis', 'test') on conflict do nothing;
insert into player (id, username, username_key, password) values ('p_clip', 'clips', 'clips', 'none');
insert into agent (id, name) values ('ag_clip', 'clip');
insert into machine (id, agent_id, facts, meters, meters_at) values ('clip-m', 'ag_clip', '{}', '{}', now());
insert into play_session (id, machine_id, player_id) values ('clip-s', 'clip-m', 'p_clip');
insert into clip (id, machine_id, play_session_id, game_number, from_ms, to_ms) values ('cl_1', 'clip-m', 'clip-s', 7, 1, 2);
