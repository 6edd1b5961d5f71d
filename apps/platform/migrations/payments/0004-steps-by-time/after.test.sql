do $$
begin
  assert (select count(*) from payment_step where payment_id = 'pm_t1' and at <= clock_timestamp()) = 1, 'a state is not found by its time';
end $$;
