insert into outbox_fact (id, type, subject, data) values ('evt_tries000001', 'task.opened', 'task:1', '{"task": 1}');
insert into outbox_delivery (fact_seq, channel, target, state, attempts, last_answer, ended_at)
  select seq, 'webhook', 'tries', 'dead', 10, '500', clock_timestamp() from outbox_fact where id = 'evt_tries000001';
