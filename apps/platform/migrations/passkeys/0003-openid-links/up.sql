-- Who a player is at the issuer. Only issuer and subject are compared: an issuer never gives them to another person.
create table player_openid_link (
  player_id text primary key references player,
  issuer text not null check (length(issuer) between 1 and 500),
  subject text not null check (length(subject) between 1 and 255),
  -- As the issuer named the person at the last sign-in: for the player to read.
  name text not null check (length(name) between 1 and 100),
  linked_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz,
  unique (issuer, subject)
);

-- A browser that was sent to the issuer and is not back yet: good for one answer.
create table player_openid_attempt (
  -- Of the secret that only this browser has; state, nonce and PKCE verifier are made of it and kept nowhere.
  browser_sha256 text primary key,
  -- Whose sign-in it changes; null: it makes one.
  act text check (act in ('link', 'confirm')),
  player_id text references player,
  jti text,
  redirect_uri text not null check (length(redirect_uri) between 1 and 500),
  began_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  check ((act is null) = (player_id is null) and (act is null) = (jti is null))
);
create index player_openid_attempt_ends on player_openid_attempt (expires_at);

alter table auth_session drop constraint auth_session_how_check;
alter table auth_session
  add constraint auth_session_how_check
    check (how in ('password', 'passkey', 'recoveryCode', 'registration', 'link', 'openId')),
  -- When its player signed in anew at the issuer, to confirm a change.
  add column confirmed_at timestamptz;

-- The log keeps no name and no subject of a person: it is never erased.
create function audit.player_openid_tells() returns trigger language plpgsql as $$
declare
  player text := case tg_op when 'DELETE' then old.player_id else new.player_id end;
begin
  perform audit.note('player.openId', 'platform', 'player:' || player, null, null, null,
    jsonb_build_object('is', case tg_op when 'INSERT' then 'added' else 'removed' end));
  return null;
end $$;
create trigger player_openid_link_tells after insert or delete on player_openid_link
  for each row execute function audit.player_openid_tells();
