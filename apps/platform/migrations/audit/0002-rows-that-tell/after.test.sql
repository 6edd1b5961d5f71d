-- Each row that matters tells its changes in order, with before and after, and secrets are hidden.
do $$
declare
  told text;
begin
  insert into player (id, username, username_key, password) values ('p_ann', 'Ann', 'ann', '$argon2id$secret');
  update player set last_logon = now(), last_logon_ip = '203.0.113.1' where id = 'p_ann';
  update player set password = '$argon2id$other', password_changed_at = now() where id = 'p_ann';
  update player set banned_at = now() where id = 'p_ann';
  update player set email = 'ann@example.org', pin = 'x' where id = 'p_ann';
  insert into auth_session (jti, player_id, address, expires_at) values ('j1', 'p_ann', '203.0.113.1', now() + interval '1 hour');
  update auth_session set locked_at = now() where jti = 'j1';
  update auth_session set pin_failed = 1 where jti = 'j1';
  update auth_session set locked_at = null where jti = 'j1';
  update auth_session set ended_at = now(), ended_reason = 'logged out' where jti = 'j1';
  insert into agent (id, name, key_sha256) values ('ag_1', 'one', 'hash');
  update agent set revoked_at = now() where id = 'ag_1';
  insert into operator_command (id, kind, body, asked_by, expires_at) values ('op_1', 'simulate', '{}', 'eva', now());
  insert into bonus_grant (id, player_id, amount, reason, granted_by) values ('bg_1', 'p_ann', 5, 'welcome', 'eva');
  select string_agg(type, ', ' order by id) into told from audit.entries where type not like 'test.%';
  assert told = 'player.added, changedPassword, player.banned, player.changed, success, signIn.locked, signIn.unlocked, logoutSuccess, '
    'agent.enrolled, agent.revoked, staff.asked, staff.granted', told;
  assert not exists (select from audit.entries where concat(before, after, facts) like '%argon2id%'), 'a password hash is told';
  assert (select after ->> 'email' from audit.entries where type = 'player.changed') = 'ann@example.org', 'what it is now is not told';

  perform ledger.transfer('t1', 'deposit', 'cage', 'player:p_ann', 1000, '{"actor": "staff:eva"}');
  perform ledger.transfer('t2', 'cashIn', 'player:p_ann', 'machine:m1', 400, '{}');
  perform ledger.correct('t3', 't1', 100, '{}');
  set constraints all immediate;
  select string_agg(concat_ws(' ', type, actor, before ->> 'player:p_ann', after ->> 'player:p_ann'), ', ' order by id) into told
    from audit.entries where type like 'money.%';
  assert told = 'money.adjusted staff:eva 0 1000, money.corrected platform 600 500', told;

  perform set_config('application_name', 'psql', true);
  update player set email = null where id = 'p_ann';
  assert (select facts ->> 'is' || actor from audit.entries where type = 'data.changedOutside')
    = 'player.changed' || 'database:' || session_user, 'a change from outside is not told';
end $$;
