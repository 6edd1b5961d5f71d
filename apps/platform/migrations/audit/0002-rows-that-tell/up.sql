-- A player's account. The last sign-in is told by the sign-in itself.
create function audit.player_tells() returns trigger language plpgsql as $$
declare
  changed record;
  rest text[] := array['last_logon', 'last_logon_ip', 'password_changed_at', 'username_key'];
begin
  if tg_op <> 'UPDATE' then
    select * into changed from audit.difference(case when tg_op = 'DELETE' then to_jsonb(old) else '{}' end,
      case when tg_op = 'INSERT' then to_jsonb(new) else '{}' end, array['password', 'pin'], rest);
    perform audit.note(case tg_op when 'INSERT' then 'player.added' else 'player.removed' end, 'platform',
      'player:' || case tg_op when 'INSERT' then new.id else old.id end, null,
      case when tg_op = 'DELETE' then changed.before end, case when tg_op = 'INSERT' then changed.after end, null);
    return null;
  end if;
  if new.password is distinct from old.password then
    perform audit.note('changedPassword', 'player:' || new.id, 'player:' || new.id, null, null, null, null);
  end if;
  if new.banned_at is distinct from old.banned_at then
    perform audit.note(case when new.banned_at is null then 'player.unbanned' else 'player.banned' end, 'platform', 'player:' || new.id, null,
      jsonb_build_object('banned_at', old.banned_at), jsonb_build_object('banned_at', new.banned_at), null);
  end if;
  select * into changed from audit.difference(to_jsonb(old), to_jsonb(new), array['pin'], rest || array['password', 'banned_at']);
  if changed.after is not null then
    perform audit.note('player.changed', 'platform', 'player:' || new.id, null, changed.before, changed.after, null);
  end if;
  return null;
end $$;
create trigger player_tells after insert or update or delete on player for each row execute function audit.player_tells();

-- Signing in and out, and the idle lock.
create function audit.auth_session_tells() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform audit.note('success', 'player:' || new.player_id, 'player:' || new.player_id, new.address, null, null, null);
    return null;
  end if;
  if old.ended_at is null and new.ended_at is not null then
    perform audit.note(case when new.ended_reason = 'logged out' then 'logoutSuccess' else 'signIn.ended' end,
      case when new.ended_reason = 'logged out' then 'player:' || new.player_id else 'platform' end, 'player:' || new.player_id, new.address, null, null, jsonb_build_object('reason', new.ended_reason));
  end if;
  if (old.locked_at is null) <> (new.locked_at is null) then
    perform audit.note(case when new.locked_at is null then 'signIn.unlocked' else 'signIn.locked' end, 'player:' || new.player_id,
      'player:' || new.player_id, new.address, null, null, null);
  end if;
  return null;
end $$;
create trigger auth_session_tells after insert on auth_session for each row execute function audit.auth_session_tells();
create trigger auth_session_tells_change after update on auth_session for each row
  when (old.ended_at is distinct from new.ended_at or old.locked_at is distinct from new.locked_at) execute function audit.auth_session_tells();

-- Keys of this platform: made, retired; never shown.
create function audit.platform_key_tells() returns trigger language plpgsql as $$
declare
  row_now platform_key := case when tg_op = 'DELETE' then old else new end;
begin
  perform audit.note('key.' || case tg_op when 'INSERT' then 'made' when 'UPDATE' then 'changed' else 'removed' end, 'platform',
    'key:' || row_now.kid, null, null, null, jsonb_build_object('purpose', row_now.purpose, 'retired', row_now.retired_at is not null));
  return null;
end $$;
create trigger platform_key_tells after insert or update or delete on platform_key for each row execute function audit.platform_key_tells();

-- Who may open an agent link.
create function audit.agent_tells() returns trigger language plpgsql as $$
declare
  changed record;
  word text := case tg_op when 'INSERT' then 'enrolled' when 'DELETE' then 'removed' else 'changed' end;
begin
  if tg_op = 'UPDATE' and old.revoked_at is null and new.revoked_at is not null then word := 'revoked'; end if;
  select * into changed from audit.difference(case when tg_op = 'INSERT' then '{}' else to_jsonb(old) end,
    case when tg_op = 'DELETE' then '{}' else to_jsonb(new) end, array['key_sha256'], '{}');
  if changed.after is not null or changed.before is not null then
    perform audit.note('agent.' || word, 'platform', 'agent:' || case tg_op when 'DELETE' then old.id else new.id end, null,
      case when tg_op <> 'INSERT' then changed.before end, case when tg_op <> 'DELETE' then changed.after end, null);
  end if;
  return null;
end $$;
create trigger agent_tells after insert or update or delete on agent for each row execute function audit.agent_tells();

-- A machine: what keeps it from being played. Its meters change with every game and are not told here.
create function audit.machine_tells() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform audit.note('machine.added', 'agent:' || new.agent_id, 'machine:' || new.id, null, null,
      jsonb_build_object('name', left(new.facts ->> 'name', 100), 'lockup', new.lockup, 'offline', new.offline), null);
    return null;
  end if;
  if old.lockup is distinct from new.lockup then
    perform audit.note(case when new.lockup is null then 'machine.unlocked' else 'machine.locked' end, 'agent:' || new.agent_id,
      'machine:' || new.id, null, jsonb_build_object('lockup', old.lockup), jsonb_build_object('lockup', new.lockup), null);
  end if;
  if old.offline <> new.offline then
    perform audit.note(case when new.offline then 'machine.away' else 'machine.back' end, 'agent:' || new.agent_id, 'machine:' || new.id,
      null, jsonb_build_object('offline', old.offline), jsonb_build_object('offline', new.offline), null);
  end if;
  if old.agent_id <> new.agent_id or old.watchable <> new.watchable then
    perform audit.note('machine.changed', 'agent:' || new.agent_id, 'machine:' || new.id, null,
      jsonb_build_object('agent_id', old.agent_id, 'watchable', old.watchable),
      jsonb_build_object('agent_id', new.agent_id, 'watchable', new.watchable), null);
  end if;
  return null;
end $$;
create trigger machine_tells after insert on machine for each row execute function audit.machine_tells();
create trigger machine_tells_change after update on machine for each row
  when (old.lockup is distinct from new.lockup or old.offline <> new.offline or old.agent_id <> new.agent_id or old.watchable <> new.watchable)
  execute function audit.machine_tells();

-- What staff asks of the running platform, and what became of it.
create function audit.operator_command_tells() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform audit.note('staff.asked', 'staff:' || new.asked_by, coalesce('machine:' || new.machine_id, 'platform'), null, null, null,
      jsonb_build_object('operation', new.id, 'kind', new.kind, 'asked', new.body));
  elsif old.answered_at is null and new.answered_at is not null then
    perform audit.note('staff.answered', 'staff:' || new.asked_by, coalesce('machine:' || new.machine_id, 'platform'), null, null, null,
      jsonb_build_object('operation', new.id, 'kind', new.kind, 'takenBy', new.taken_by, 'answer', new.answer));
  end if;
  return null;
end $$;
create trigger operator_command_tells after insert or update on operator_command for each row execute function audit.operator_command_tells();

create function audit.bonus_grant_tells() returns trigger language plpgsql as $$
begin
  perform audit.note('staff.granted', 'staff:' || new.granted_by, 'player:' || new.player_id, null, null, null,
    jsonb_build_object('grant', new.id, 'amount', new.amount, 'reason', new.reason, 'expiresAt', new.expires_at));
  return null;
end $$;
create trigger bonus_grant_tells after insert on bonus_grant for each row execute function audit.bonus_grant_tells();

create function audit.hand_pay_tells() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform audit.note('handPay.pending', 'machine:' || new.machine_id, 'machine:' || new.machine_id, null, null, null,
      jsonb_build_object('handPay', new.hand_pay_id, 'amount', new.amount, 'kind', new.kind, 'player', new.player_id));
  elsif old.confirmed_at is null and new.confirmed_at is not null then
    perform audit.note('handPay.confirmed', 'staff:' || coalesce(new.confirmed_by, 'unnamed'), 'machine:' || new.machine_id, null, null, null,
      jsonb_build_object('handPay', new.hand_pay_id, 'amount', new.amount, 'kind', new.kind, 'player', new.player_id));
  end if;
  return null;
end $$;
create trigger hand_pay_tells after insert or update on hand_pay for each row execute function audit.hand_pay_tells();

create function audit.discrepancy_tells() returns trigger language plpgsql as $$
begin
  perform audit.note('money.discrepancy', 'platform', 'machine:' || new.machine_id, null, null, null, to_jsonb(new));
  return null;
end $$;
create trigger discrepancy_tells after insert on discrepancy for each row execute function audit.discrepancy_tells();

-- A transfer whose outcome nobody knows, and what was found out about it.
create function audit.machine_transfer_tells() returns trigger language plpgsql as $$
begin
  perform audit.note(case when new.state = 'unknown' then 'money.unknown' else 'money.decided' end, 'platform', 'transfer:' || new.id, null,
    jsonb_build_object('state', old.state), jsonb_build_object('state', new.state, 'amount', new.amount, 'reason', new.reason),
    jsonb_build_object('machine', new.machine_id, 'player', new.player_id, 'direction', new.direction, 'asked', new.asked));
  return null;
end $$;
create trigger machine_transfer_tells after update on machine_transfer for each row
  when (old.state is distinct from new.state and 'unknown' in (old.state, new.state)) execute function audit.machine_transfer_tells();

-- Money that no game and no cash-in or cash-out moved: with the balances before and after, so it waits for the postings.
create function audit.transfer_tells() returns trigger language plpgsql as $$
declare
  told jsonb := ledger.transfer_record(new.id);
  was_from bigint := (told ->> 'fromBalanceMinor')::bigint + new.amount_minor;
  was_to bigint := (told ->> 'toBalanceMinor')::bigint - new.amount_minor;
begin
  perform audit.note(case when new.kind = 'correction' then 'money.corrected' else 'money.adjusted' end,
    coalesce(nullif(new.about ->> 'actor', ''), 'platform'), 'transfer:' || new.id, null,
    jsonb_build_object(told ->> 'from', was_from, told ->> 'to', was_to),
    jsonb_build_object(told ->> 'from', told -> 'fromBalanceMinor', told ->> 'to', told -> 'toBalanceMinor'),
    jsonb_build_object('kind', new.kind, 'amountMinor', new.amount_minor, 'corrects', new.corrects, 'about', new.about));
  return null;
end $$;
create constraint trigger transfer_tells after insert on ledger.transfers deferrable initially deferred for each row
  when (new.kind in ('deposit', 'withdraw', 'correction', 'suspense', 'handPay', 'jackpot', 'discount', 'bonus'))
  execute function audit.transfer_tells();
