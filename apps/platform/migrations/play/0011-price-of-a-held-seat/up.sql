-- What was paid for it, minor units, and by which transfer of the ledger; no transfer: it was free.
alter table seat_hold add column price bigint not null default 0 check (price >= 0);
alter table seat_hold add column transfer_id text unique;
alter table seat_hold add check ((price > 0) = (transfer_id is not null));
create index seat_hold_of_play_session on seat_hold (play_session_id, begun_at);
