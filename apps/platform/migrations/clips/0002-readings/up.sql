-- Who of staff read a clip; readings within an hour of the clock are one.
create table clip_reading (
  clip_id text not null references clip on delete cascade,
  staff_id text not null references staff,
  hour timestamptz not null default date_trunc('hour', clock_timestamp(), 'UTC'),
  primary key (clip_id, staff_id, hour)
);

create function clip_reading_tells() returns trigger language plpgsql as $$
begin
  perform audit.note('recording.read', 'staff:' || s.username, 'player:' || p.player_id, null, null, null,
      jsonb_build_object('clip', c.id, 'machineId', c.machine_id, 'playSession', c.play_session_id, 'game', c.game_number))
    from clip c join play_session p on p.id = c.play_session_id, staff s where c.id = new.clip_id and s.id = new.staff_id;
  return null;
end $$;
create trigger clip_reading_tells after insert on clip_reading for each row execute function clip_reading_tells();
