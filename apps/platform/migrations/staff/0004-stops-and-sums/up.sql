-- What staff wanted of the machine before it was stopped: the release goes back to it.
alter table emergency_stop_machine add column was text not null default 'open' check (was in ('open', 'draining', 'disabled'));
create index emergency_stop_machine_of on emergency_stop_machine (machine_id);

-- What a cashier moved alone in a business day.
create index receipt_of_cashier on receipt (cashier, made_at);
