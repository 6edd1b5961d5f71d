-- Calls for an attendant: which player, at which machine, why, and what staff made of it. Rows stay, so that it can be looked up later.
create table attendant_call (
  id bigint generated always as identity primary key,
  machine_id text not null references machine,
  player_id text not null references player,
  play_session_id text references play_session,
  -- By the machine's own word at that moment; player: it said nothing, the player wanted somebody.
  reason text not null check (reason in ('player', 'handPay', 'door', 'tilt', 'disabled', 'outOfService')),
  called_at timestamptz not null default clock_timestamp(),
  answered_at timestamptz,
  answered_by text check (length(answered_by) between 1 and 100),
  closed_at timestamptz,
  closed_by text check (length(closed_by) between 1 and 100),
  check ((answered_at is null) = (answered_by is null)),
  check ((closed_at is null) = (closed_by is null))
);
-- A player has one open call at a machine, however often the key is pressed.
create unique index attendant_call_open on attendant_call (player_id, machine_id) where closed_at is null;
create index attendant_call_of_player on attendant_call (player_id, called_at desc);

create function attendant_call_tells() returns trigger language plpgsql as $$
declare
  facts jsonb := jsonb_build_object('machine', new.machine_id, 'reason', new.reason, 'playSession', new.play_session_id);
begin
  if tg_op = 'INSERT' then
    perform audit.note('call.opened', 'player:' || new.player_id, 'call:' || new.id, null, null, facts, null);
  elsif old.closed_at is null and new.closed_at is not null then
    perform audit.note('call.closed', 'staff:' || new.closed_by, 'call:' || new.id, null, facts, null, null);
  elsif old.answered_at is null and new.answered_at is not null then
    perform audit.note('call.answered', 'staff:' || new.answered_by, 'call:' || new.id, null, null, facts, null);
  end if;
  return null;
end $$;
create trigger attendant_call_tells after insert or update on attendant_call
  for each row execute function attendant_call_tells();
