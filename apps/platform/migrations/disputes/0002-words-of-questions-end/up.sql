-- Words that were erased; the step stays, with who did it and when.
alter table dispute_step add column erased boolean not null default false,
  drop constraint dispute_step_kind_check, drop constraint dispute_step_check1,
  -- Requested: a verdict that waits for a second person, for staff alone.
  add constraint dispute_step_kind check (kind in ('opened', 'taken', 'note', 'question', 'addition', 'requested', 'decided')),
  add constraint dispute_step_sentence check ((kind in ('requested', 'decided') and not erased) = (sentence is not null)),
  add constraint dispute_step_erased check (not erased or text is null);
create index dispute_step_kept on dispute_step (at) where kind = 'decided' and not erased;

-- A question whose words may be erased: within a year of the verdict they are needed, whatever a program wants.
create function dispute_is_over(p_dispute text) returns boolean language sql stable as $$
  select exists (select from dispute d where d.id = p_dispute and d.decided_at < clock_timestamp() - interval '1 year')
$$;

-- As before (0001), but the words of a question that is over may go; nothing else of a step changes.
drop trigger dispute_step_stays on dispute_step;
create trigger dispute_step_stays before update on dispute_step for each row
  when (not (new.erased and new.text is null and new.sentence is null and dispute_is_over(old.dispute_id)
    and to_jsonb(new) - '{text,sentence,erased}'::text[] = to_jsonb(old) - '{text,sentence,erased}'::text[]))
  execute function dispute_stays();
create trigger dispute_step_is_not_deleted before delete on dispute_step for each row execute function dispute_stays();
