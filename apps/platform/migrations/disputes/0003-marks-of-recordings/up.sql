-- A moment of the recording that staff marked, ms since 1970 by the agent's clock.
alter table dispute_step add column moment_ms double precision,
  drop constraint dispute_step_kind,
  add constraint dispute_step_kind check (kind in ('opened', 'taken', 'note', 'mark', 'question', 'addition', 'requested', 'decided')),
  add constraint dispute_step_moment check ((kind = 'mark') = (moment_ms is not null) and moment_ms between 0 and 8.64e15);

-- As before (0001), with the moment of a mark: the words stay in the question.
create or replace function dispute_tells() returns trigger language plpgsql as $$
declare
  about dispute;
  reader text;
  fact jsonb;
begin
  select * into about from dispute d where d.id = new.dispute_id;
  reader := coalesce('staff:' || (select s.username from staff s where s.id = new.staff_id), 'player:' || about.player_id);
  fact := jsonb_build_object('dispute', about.id, 'game', about.game_number || '.' || about.machine_id);
  if tg_table_name = 'dispute_reading' then
    fact := fact || jsonb_build_object('is', 'read');
  else
    fact := fact || jsonb_strip_nulls(jsonb_build_object('is', new.kind, 'momentMs', new.moment_ms));
  end if;
  perform audit.note('player.dispute', reader, 'player:' || about.player_id, null, null, null, fact);
  return null;
end $$;
