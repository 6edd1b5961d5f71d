-- The tries that failed, the newest last: [{"at": "2026-11-30T02:00:00Z", "answer": "503"}]; without an answer a person sent it again. Arrived ones cost no more
-- than before: their last try is in `tried_at` and `last_answer`.
alter table outbox_delivery
  add column failures jsonb not null default '[]' check (jsonb_typeof(failures) = 'array' and length(failures::text) <= 32768);

-- Adds one, and forgets the oldest beyond forty.
create function outbox_failed(failures jsonb, answer text) returns jsonb language sql volatile as $$
  select case when jsonb_array_length(failures) >= 40 then failures - 0 else failures end
    || jsonb_build_array(jsonb_build_object('at', clock_timestamp(), 'answer', answer))
$$;
