-- The question of 0001 was decided long ago; another one was decided now.
alter table dispute disable trigger user;
update dispute set decided_at = now() - interval '1 year 1 day' where id = 'dq_1';
insert into dispute (id, player_id, machine_id, game_number, kind, due_at) values ('dq_3', 'p_ask', 'ask-01', 2, 'somethingElse', now());
alter table dispute enable trigger user;
insert into dispute_step (dispute_id, kind, text) values ('dq_3', 'opened', 'why too');
