-- A member of staff. An account that has ended keeps its row: the audit log and the books name it.
create table staff (
  id text primary key,
  username text not null check (length(username) between 2 and 40),
  -- The name in one spelling, so that no two members of staff look alike.
  username_key text not null unique,
  name text not null check (length(name) between 1 and 100),
  -- argon2id; null: only passkeys sign in.
  password text,
  -- The secret of the authenticator app, encrypted. It comes with the password.
  totp bytea,
  -- The newest time step whose six figures were used: they are good once.
  totp_step bigint not null default 0,
  added_at timestamptz not null default clock_timestamp(),
  added_by text not null check (length(added_by) between 1 and 100),
  ended_at timestamptz,
  check ((password is null) = (totp is null))
);

-- What each role may do, and what it may move alone, minor units.
create table staff_role (
  role text primary key,
  permissions text[] not null,
  limits jsonb not null check (jsonb_typeof(limits) = 'object')
);

create table staff_has_role (
  staff_id text not null references staff,
  role text not null references staff_role,
  primary key (staff_id, role)
);

create table staff_passkey (
  id text primary key,
  staff_id text not null references staff,
  credential_id text not null unique check (length(credential_id) between 1 and 1400),
  public_key bytea not null,
  -- Of signatures, where the authenticator counts them: it never falls.
  counter bigint not null,
  label text not null check (length(label) between 1 and 100),
  added_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz
);
create index staff_passkey_of on staff_passkey (staff_id);

-- A code of the paper list, as a hash; used once.
create table staff_recovery_code (
  staff_id text not null references staff,
  code_sha256 text not null,
  used_at timestamptz,
  primary key (staff_id, code_sha256)
);

-- A one-time link. A newer one of the same person ends the older ones.
create table staff_invitation (
  token_sha256 text primary key,
  staff_id text not null references staff,
  expires_at timestamptz not null
);

create table staff_sign_in (
  id text primary key,
  -- Of the cookie; the cookie itself is kept nowhere.
  secret_sha256 text not null unique,
  staff_id text not null references staff,
  how text not null check (how in ('passkey', 'password', 'recoveryCode', 'invitation', 'device')),
  device text not null check (length(device) <= 200),
  address text not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  active_at timestamptz not null default clock_timestamp(),
  locked_at timestamptz,
  ended_at timestamptz,
  ended_reason text,
  check ((ended_at is null) = (ended_reason is null))
);
create index staff_sign_in_of on staff_sign_in (staff_id, created_at desc);

-- A question to a passkey or an authenticator app that waits for its answer: good for one attempt.
create table staff_ceremony (
  id text primary key,
  purpose text not null check (purpose in ('signIn', 'unlock', 'passkey', 'invitePasskey', 'inviteTotp', 'stepUp')),
  staff_id text references staff,
  sign_in_id text references staff_sign_in,
  challenge text,
  -- Of a step-up: the hash of the act that it is for.
  content text,
  -- Of an invitation's password: its hash and the encrypted secret of the authenticator app.
  password text,
  totp bytea,
  expires_at timestamptz not null
);

-- A passkey has confirmed one act with one content; used once, in the transaction of the act.
create table staff_step_up (
  id text primary key,
  sign_in_id text not null references staff_sign_in,
  content text not null,
  expires_at timestamptz not null,
  used_at timestamptz
);

-- Acts that were done, by the id that their sender made. Rows stay: the same id is done once.
create table staff_act (
  id text primary key,
  staff_id text not null references staff,
  call text not null,
  content text not null,
  -- Null: it held a secret, which is shown once.
  answer jsonb,
  done_at timestamptz not null default clock_timestamp()
);

-- Rights and accounts. `was` and `now` of secrets say only that they changed.
create function audit.staff_tells() returns trigger language plpgsql as $$
declare
  was jsonb := case when tg_op = 'INSERT' then '{}'::jsonb else to_jsonb(old) end;
  is_now jsonb := case when tg_op = 'DELETE' then '{}'::jsonb else to_jsonb(new) end;
  changed record;
begin
  select * into changed from audit.difference(was, is_now, array['password', 'totp', 'public_key', 'credential_id', 'token_sha256'],
    array['totp_step', 'counter', 'last_used_at', 'username_key', 'code_sha256']);
  if changed.before is null and changed.after is null then return null; end if;
  perform audit.note(tg_argv[0], 'platform', tg_argv[1] || coalesce(is_now ->> tg_argv[2], was ->> tg_argv[2]), null,
    case when tg_op <> 'INSERT' then changed.before end, case when tg_op <> 'DELETE' then changed.after end,
    jsonb_build_object('is', case tg_op when 'INSERT' then 'added' when 'UPDATE' then 'changed' else 'removed' end));
  return null;
end $$;
create trigger staff_tells after insert or update or delete on staff
  for each row execute function audit.staff_tells('staff.account', 'staff:', 'id');
create trigger staff_role_tells after insert or update or delete on staff_role
  for each row execute function audit.staff_tells('staff.role', 'role:', 'role');
create trigger staff_has_role_tells after insert or update or delete on staff_has_role
  for each row execute function audit.staff_tells('staff.rights', 'staff:', 'staff_id');
create trigger staff_passkey_tells after insert or update or delete on staff_passkey
  for each row execute function audit.staff_tells('staff.passkey', 'staff:', 'staff_id');
create trigger staff_invitation_tells after insert or delete on staff_invitation
  for each row execute function audit.staff_tells('staff.invitation', 'staff:', 'staff_id');
create trigger staff_recovery_code_tells after update of used_at on staff_recovery_code
  for each row execute function audit.staff_tells('staff.recoveryCode', 'staff:', 'staff_id');

create function audit.staff_sign_in_tells() returns trigger language plpgsql as $$
declare
  facts jsonb := jsonb_build_object('signIn', new.id, 'how', new.how, 'device', new.device);
begin
  if tg_op = 'INSERT' then
    perform audit.note('staff.signedIn', 'platform', 'staff:' || new.staff_id, new.address, null, null, facts);
    return null;
  end if;
  if old.ended_at is null and new.ended_at is not null then
    perform audit.note('staff.signInEnded', 'platform', 'staff:' || new.staff_id, new.address, null, null,
      facts || jsonb_build_object('reason', new.ended_reason));
  end if;
  if (old.locked_at is null) <> (new.locked_at is null) then
    perform audit.note(case when new.locked_at is null then 'staff.unlocked' else 'staff.locked' end, 'platform', 'staff:' || new.staff_id,
      new.address, null, null, facts);
  end if;
  return null;
end $$;
create trigger staff_sign_in_tells after insert on staff_sign_in for each row execute function audit.staff_sign_in_tells();
create trigger staff_sign_in_tells_change after update on staff_sign_in for each row
  when (old.ended_at is distinct from new.ended_at or old.locked_at is distinct from new.locked_at)
  execute function audit.staff_sign_in_tells();

-- Every act, whatever rows it writes beside.
create function audit.staff_act_tells() returns trigger language plpgsql as $$
begin
  perform audit.note('staff.act', 'platform', 'staff:' || new.staff_id, null, null, null,
    jsonb_build_object('act', new.id, 'call', new.call, 'content', new.content));
  return null;
end $$;
create trigger staff_act_tells after insert on staff_act for each row execute function audit.staff_act_tells();
