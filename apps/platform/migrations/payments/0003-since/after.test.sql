do $$
begin
  assert (select wants_at <= clock_timestamp() from provider_payment where payment_id = 'pm_s1'), 'a payment under way has no time from which it is late';
end $$;
