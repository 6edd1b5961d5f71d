-- Facts for receivers outside of the platform. Each is written in the transaction of what it reports, so that neither exists without the other.
create table outbox_fact (
  seq bigint generated always as identity primary key,
  -- The same for each repeat: a receiver recognises by it what it has already.
  id text not null unique check (id ~ '^evt_[A-Za-z0-9_-]{10,40}$'),
  type text not null check (type ~ '^[a-z][A-Za-z]{0,31}(\.[A-Za-z]{1,32}){1,3}$'),
  subject text not null check (length(subject) between 1 and 200),
  -- Without names, addresses or other personal data.
  data jsonb not null check (jsonb_typeof(data) = 'object' and length(data::text) <= 16384),
  made_at timestamptz not null default clock_timestamp()
);
create index outbox_fact_made on outbox_fact (made_at);
create index outbox_fact_of_subject on outbox_fact (subject, seq);

-- Endpoints that receive every fact from now on. Where each is, only the server's configuration says.
create table webhook_target (name text primary key check (name ~ '^[a-z][a-z0-9-]{0,31}$'), active boolean not null default true);

-- One fact on its way to one receiver.
create table outbox_delivery (
  id bigint generated always as identity primary key,
  fact_seq bigint not null references outbox_fact on delete cascade,
  channel text not null check (channel in ('webhook', 'push')),
  -- The name of an endpoint, or the id of a device.
  target text not null check (length(target) between 1 and 64),
  -- Done and dropped ones need nothing more; dead ones were tried to the end, and a person may send them again.
  state text not null default 'waiting' check (state in ('waiting', 'done', 'dead', 'dropped')),
  attempts integer not null default 0,
  -- When it is tried next. While a node tries it: when another node takes over, should that one have died.
  due_at timestamptz not null default clock_timestamp(),
  lease text,
  tried_at timestamptz,
  last_answer text check (length(last_answer) <= 200),
  ended_at timestamptz,
  unique (fact_seq, channel, target),
  check ((state = 'waiting') = (ended_at is null))
);
create index outbox_delivery_due on outbox_delivery (channel, due_at) where state = 'waiting';
create index outbox_delivery_dead on outbox_delivery (id) where state = 'dead';
create index outbox_delivery_newest on outbox_delivery (channel, id desc);

-- The writer of a fact need not know who receives it.
create function outbox_fans_out() returns trigger language plpgsql as $$
begin
  insert into outbox_delivery (fact_seq, channel, target) select new.seq, 'webhook', name from webhook_target where active;
  return null;
end $$;
create trigger outbox_fans_out after insert on outbox_fact for each row execute function outbox_fans_out();

-- A browser of a member of staff that accepts pushes.
create table push_device (
  id text primary key,
  staff_id text not null references staff,
  endpoint text not null unique check (length(endpoint) between 10 and 1000),
  p256dh text not null check (length(p256dh) <= 200),
  auth text not null check (length(auth) <= 100),
  label text not null check (length(label) between 1 and 200),
  language text not null check (language in ('en', 'tr', 'ar')),
  added_at timestamptz not null default clock_timestamp(),
  used_at timestamptz
);
create index push_device_of on push_device (staff_id);

-- The key pair that names this platform to push services (VAPID). A new one would end every subscription.
create table push_key (
  id integer primary key check (id = 1),
  public_key text not null,
  private_key text not null,
  made_at timestamptz not null default clock_timestamp()
);

-- How far each member of staff has read the notifications.
create table staff_notice_read (staff_id text primary key references staff, seq bigint not null check (seq >= 0));

create function audit.push_device_tells() returns trigger language plpgsql as $$
declare
  device push_device := case when tg_op = 'DELETE' then old else new end;
begin
  perform audit.note('staff.pushDevice', 'platform', 'staff:' || device.staff_id, null, null, null, jsonb_build_object(
    'is', case tg_op when 'INSERT' then 'added' else 'removed' end, 'device', device.id, 'label', device.label));
  return null;
end $$;
create trigger push_device_tells after insert or delete on push_device for each row execute function audit.push_device_tells();
