create table integration (
  id text primary key check (id ~ '^in_[A-Za-z0-9_-]{10,40}$'),
  name text not null check (name ~ '^[a-z][a-z0-9-]{1,31}$'),
  scopes text[] not null check (cardinality(scopes) between 1 and 50),
  added_at timestamptz not null default clock_timestamp(),
  added_by text not null check (length(added_by) between 1 and 100),
  -- It was removed: nothing of it is good any more.
  ended_at timestamptz
);
create unique index integration_named on integration (name) where ended_at is null;

create table integration_key (
  id text primary key check (id ~ '^ik_[A-Za-z0-9_-]{10,40}$'),
  integration_id text not null references integration,
  -- Sealed: a signature needs the secret itself.
  secret bytea not null check (octet_length(secret) between 50 and 500),
  made_at timestamptz not null default clock_timestamp(),
  -- Null: it is the newest.
  ends_at timestamptz
);
create unique index integration_key_newest on integration_key (integration_id) where ends_at is null;

-- A player as an integration knows it. It reaches no other player.
create table integration_player (
  integration_id text not null references integration,
  external_id text not null check (external_id ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$'),
  player_id text not null references player,
  linked_at timestamptz not null default clock_timestamp(),
  primary key (integration_id, external_id),
  unique (integration_id, player_id)
);

-- Nonces of accepted signatures, kept as long as their time would be accepted again.
create table integration_nonce (
  key_id text not null references integration_key,
  nonce text not null check (length(nonce) between 16 and 64),
  seen_at timestamptz not null default clock_timestamp(),
  primary key (key_id, nonce)
);
create index integration_nonce_seen on integration_nonce (seen_at);

-- Written in the transaction of what the request did.
create table integration_answer (
  integration_id text not null references integration,
  key text not null check (length(key) between 8 and 64),
  -- Of method, address and body: a repeat has the same.
  request_sha256 bytea not null check (octet_length(request_sha256) = 32),
  status integer not null check (status between 200 and 499),
  answer text not null check (length(answer) <= 65536),
  answered_at timestamptz not null default clock_timestamp(),
  primary key (integration_id, key)
);
create index integration_answer_at on integration_answer (answered_at);

create function integration_tells() returns trigger language plpgsql as $$
begin
  perform audit.note('integration.changed', 'platform', 'integration:' || new.name, null, null,
    jsonb_build_object('scopes', new.scopes, 'endedAt', new.ended_at), jsonb_build_object('id', new.id));
  return null;
end $$;
create trigger integration_tells after insert or update on integration for each row execute function integration_tells();

create function integration_key_tells() returns trigger language plpgsql as $$
begin
  perform audit.note('integration.key', 'platform', 'integration:' || (select name from integration where id = new.integration_id), null, null,
    jsonb_build_object('keyId', new.id, 'endsAt', new.ends_at), null);
  return null;
end $$;
create trigger integration_key_tells after insert or update on integration_key for each row execute function integration_key_tells();

create function integration_player_tells() returns trigger language plpgsql as $$
begin
  perform audit.note('integration.linked', 'platform', 'player:' || new.player_id, null, null, null,
    jsonb_build_object('integration', (select name from integration where id = new.integration_id), 'externalId', new.external_id));
  return null;
end $$;
create trigger integration_player_tells after insert on integration_player for each row execute function integration_player_tells();
