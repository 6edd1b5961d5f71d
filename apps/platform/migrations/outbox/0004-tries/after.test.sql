do $$
declare
  kept jsonb;
begin
  assert (select failures = '[]' and last_answer = '500' from outbox_delivery where target = 'tries'), 'a delivery from before has no tries, and its last answer';
  update outbox_delivery set failures = outbox_failed(failures, '503') where target = 'tries';
  update outbox_delivery set failures = outbox_failed(failures, null) where target = 'tries';
  select failures into kept from outbox_delivery where target = 'tries';
  assert kept -> 0 ->> 'answer' = '503' and kept -> 1 -> 'answer' = 'null'::jsonb, 'tries are kept in their order';
  for number in 1..60 loop
    update outbox_delivery set failures = outbox_failed(failures, repeat('"', 198) || to_char(number, 'FM00')) where target = 'tries';
  end loop;
  select failures into kept from outbox_delivery where target = 'tries';
  assert jsonb_array_length(kept) = 40 and right(kept -> 39 ->> 'answer', 2) = '60', 'more than forty tries are kept, or not the newest';
end $$;
