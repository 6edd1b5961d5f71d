create index register_answer_of_register on register_answer (register, id);
create index register_answer_good on register_answer (register, id) where answer <> 'error';

-- A closed case whose words may be erased: no market lets go within a year, whatever a program wants.
create function care_case_is_over(p_case text) returns boolean language sql stable as $$
  select exists (select from care_case c where c.id = p_case and c.closed_at < clock_timestamp() - interval '1 year')
$$;
create index care_case_over on care_case (closed_at) where close_reason <> 'erased';

-- As before (0010), but the words of a case that is over may go; nothing else of it changes.
drop trigger care_step_stays on care_step;
create trigger care_step_stays before update on care_step for each row
  when (not (new.text is null and to_jsonb(new) - 'text' = to_jsonb(old) - 'text' and care_case_is_over(old.case_id)))
  execute function care_stays();
create trigger care_step_is_not_deleted before delete on care_step for each row execute function care_stays();
drop trigger care_case_stays on care_case;
create trigger care_case_stays before update on care_case for each row
  when ((old.closed_at is not null and not (new.close_reason = 'erased' and to_jsonb(new) - 'close_reason' = to_jsonb(old) - 'close_reason'
      and care_case_is_over(old.id)))
    or old.player_id <> new.player_id or old.opened_at <> new.opened_at or (old.level = 'strong' and new.level <> 'strong'))
  execute function care_stays();
drop trigger care_case_tells on care_case;
create trigger care_case_tells after insert on care_case for each row execute function care_tells();
create trigger care_case_change_tells after update on care_case for each row when (old.closed_at is null) execute function care_tells();
