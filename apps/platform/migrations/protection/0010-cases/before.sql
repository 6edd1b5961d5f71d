insert into staff_role (role, permissions, limits) values ('supervisor', array['player.see'], '{}'), ('auditor', array['player.see'], '{}'),
  ('cashier', array['player.see'], '{}') on conflict (role) do nothing;
insert into staff (id, username, username_key, name, added_by) values ('st_care', 'selin', 'selin', 'Selin', 'test') on conflict do nothing;
insert into player (id, username, username_key, password) values ('p_care', 'care', 'care', 'none');
