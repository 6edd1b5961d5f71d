alter table outbox_delivery drop constraint outbox_delivery_channel_check;
alter table outbox_delivery add constraint outbox_delivery_channel_check check (channel in ('webhook', 'push', 'mail'));

-- False: a fact that only its own receivers get.
alter table outbox_fact add column is_report boolean not null default true;
create or replace function outbox_fans_out() returns trigger language plpgsql as $$
begin
  if not new.is_report then return null; end if;
  insert into outbox_delivery (fact_seq, channel, target) select new.seq, 'webhook', name from webhook_target where active;
  return null;
end $$;

-- A mail that waits to be sent. It is deleted when it was sent, or has no receiver; who it is for is kept no longer than that.
create table outgoing_mail (
  id text primary key check (id ~ '^ml_[A-Za-z0-9_-]{10,40}$'),
  -- It is forgotten with its fact.
  fact_seq bigint not null unique references outbox_fact on delete cascade,
  kind text not null check (kind ~ '^[a-z][A-Za-z]{1,31}$'),
  -- Empty: there is no receiver. Somebody wanted a new password for a player who does not exist, and must not learn that by the time it takes.
  address text not null check (length(address) <= 254),
  language text not null check (language in ('en', 'tr', 'ar')),
  -- What the text names; never a code: the sender makes it of `code_id`.
  facts jsonb not null check (jsonb_typeof(facts) = 'object' and length(facts::text) <= 2000),
  code_id text,
  -- When it says nothing true any more.
  good_until timestamptz,
  made_at timestamptz not null default clock_timestamp()
);
