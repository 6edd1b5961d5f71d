-- A device may also be a player's: it belongs to one sign-in, and goes with it.
alter table push_device alter column staff_id drop not null;
alter table push_device
  add column player_id text references player,
  add column sign_in text unique references auth_session on delete cascade,
  add check (num_nonnulls(staff_id, player_id) = 1),
  add check ((player_id is null) = (sign_in is null));
create index push_device_of_player on push_device (player_id) where player_id is not null;

-- What staff does with own devices is audited; a player's are the player's own affair.
create or replace function audit.push_device_tells() returns trigger language plpgsql as $$
declare
  device push_device := case when tg_op = 'DELETE' then old else new end;
begin
  if device.staff_id is null then return null; end if;
  perform audit.note('staff.pushDevice', 'platform', 'staff:' || device.staff_id, null, null, null, jsonb_build_object(
    'is', case tg_op when 'INSERT' then 'added' else 'removed' end, 'device', device.id, 'label', device.label));
  return null;
end $$;
