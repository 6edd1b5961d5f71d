-- Since when the provider is to do what it is to do now: of what comes to no end, though the provider answers, a person is called.
alter table provider_payment add column wants_at timestamptz not null default clock_timestamp();
