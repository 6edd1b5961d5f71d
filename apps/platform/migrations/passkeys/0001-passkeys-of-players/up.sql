create table player_passkey (
  id text primary key,
  player_id text not null references player,
  credential_id text not null unique check (length(credential_id) between 1 and 1400),
  public_key bytea not null,
  -- Of signatures, where the authenticator counts them: it never falls.
  counter bigint not null,
  name text not null check (length(name) between 1 and 60),
  added_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz
);
create index player_passkey_of on player_passkey (player_id);

-- A code of the paper list, as a hash; used once.
create table player_recovery_code (
  player_id text not null references player,
  code_sha256 text not null,
  used_at timestamptz,
  primary key (player_id, code_sha256)
);

-- A question to a passkey that waits for its answer: good for one attempt, of the sign-in that it was made for.
create table player_ceremony (
  id text primary key,
  -- `signIn`, `add`, or the act that is confirmed.
  purpose text not null check (length(purpose) between 1 and 40),
  player_id text references player,
  jti text,
  challenge text not null,
  expires_at timestamptz not null,
  check ((player_id is null) = (jti is null) and (player_id is null) = (purpose = 'signIn'))
);
create index player_ceremony_ends on player_ceremony (expires_at);

alter table auth_session
  add column how text not null default 'password' check (how in ('password', 'passkey', 'recoveryCode', 'registration')),
  -- The user agent of the browser; empty: not known.
  add column device text not null default '' check (length(device) <= 200),
  -- By which it was made; the passkey may be gone.
  add column passkey_id text;

create or replace function audit.auth_session_tells() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform audit.note('success', 'player:' || new.player_id, 'player:' || new.player_id, new.address, null, null,
      case when new.how <> 'password' then jsonb_build_object('how', new.how) end);
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

create trigger player_passkey_tells after insert or update or delete on player_passkey
  for each row execute function audit.staff_tells('player.passkey', 'player:', 'player_id');
create trigger player_recovery_code_tells after update of used_at on player_recovery_code
  for each row execute function audit.staff_tells('player.recoveryCode', 'player:', 'player_id');
