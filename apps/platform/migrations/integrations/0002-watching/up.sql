-- A token with which somebody outside watches machines. The token itself is not kept.
create table watch_key (
  id text primary key check (id ~ '^wk_[A-Za-z0-9_-]{10,40}$'),
  name text not null check (name ~ '^[a-z][a-z0-9-]{1,31}$'),
  token_sha256 bytea not null unique check (octet_length(token_sha256) = 32),
  -- Null: every machine that may be watched.
  machines text[] check (cardinality(machines) between 1 and 100),
  watches_max integer not null check (watches_max between 1 and 1000),
  made_at timestamptz not null default clock_timestamp(),
  made_by text not null check (length(made_by) between 1 and 100),
  ends_at timestamptz not null
);
create index watch_key_named on watch_key (name);

create function watch_key_tells() returns trigger language plpgsql as $$
begin
  perform audit.note('watchKey.changed', 'platform', 'watch-key:' || new.name, null, null,
    jsonb_build_object('machines', new.machines, 'watchesMax', new.watches_max, 'endsAt', new.ends_at), jsonb_build_object('id', new.id));
  return null;
end $$;
create trigger watch_key_tells after insert or update on watch_key for each row execute function watch_key_tells();

-- Who watches now; the id is the viewer's at the agent too. After a crash of the server nobody does.
create unlogged table watch (
  id text primary key check (id ~ '^wv_[A-Za-z0-9_-]{10,40}$'),
  key_id text not null references watch_key,
  machine_id text not null,
  -- The node that took the offer, and gives its place back.
  node_id text not null,
  -- Of the present ICE session.
  tag text not null,
  -- The newest offer: a restart changes its ICE credentials.
  offer text not null check (length(offer) <= 32768),
  candidates_left integer not null,
  restarted_at timestamptz not null default clock_timestamp(),
  began_at timestamptz not null default clock_timestamp()
);
create index watch_of_node on watch (node_id);
