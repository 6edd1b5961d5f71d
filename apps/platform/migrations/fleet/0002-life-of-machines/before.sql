insert into machine (id, agent_id, facts, meters, meters_at) values ('life-01', 'ag_overlap', '{"name":"Life"}', '{"credit":0}', now());
