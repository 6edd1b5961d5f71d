alter table seat add column deposit_until timestamptz;
