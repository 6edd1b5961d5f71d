-- Messages of a verification service that were acted on: a repeat changes nothing. Kept as long as a repeat can pass the time window.
create table identity_message (
  id text primary key check (length(id) between 1 and 100),
  received_at timestamptz not null default clock_timestamp()
);
create index identity_message_old on identity_message (received_at);

-- A service decides under its own name, not as a member of staff.
create or replace function identity_decision_tells() returns trigger language plpgsql as $$
declare
  held text := (select d.state from identity_decision d where d.player_id = new.player_id and d.id < new.id order by d.id desc limit 1);
begin
  perform audit.note('player.identity', case when new.decided_by like 'service:%' then new.decided_by else 'staff:' || new.decided_by end,
    'player:' || new.player_id, null, jsonb_build_object('state', held),
    jsonb_build_object('state', new.state, 'validUntil', new.valid_until), jsonb_build_object('reason', new.reason));
  return null;
end $$;
