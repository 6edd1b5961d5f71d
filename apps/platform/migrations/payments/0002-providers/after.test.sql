do $$
begin
  insert into payment (id, player_id, request_id, kind, way, amount, changed_by)
    values ('pm_p1', 'p_prov', 'request-p1', 'deposit', 'acme', 25000, 'player:p_prov');
  insert into provider_payment (payment_id, currency, wants, return_url) values ('pm_p1', 'TRY', 'deposit', 'https://play.example.org/wallet');
  begin
    update provider_payment set trouble = 'differs' where payment_id = 'pm_p1';
    raise exception 'trouble without its time';
  exception when check_violation then null;
  end;
  begin
    update provider_payment set looked_by = 'staff:eva', looked_at = clock_timestamp() where payment_id = 'pm_p1';
    raise exception 'a look at no trouble';
  exception when check_violation then null;
  end;
  begin
    delete from provider_payment;
    raise exception 'what was said to a provider was removed';
  exception when restrict_violation then null;
  end;
  update provider_payment set trouble = 'differs', trouble_at = clock_timestamp() where payment_id = 'pm_p1';
  update provider_payment set looked_by = 'staff:eva', looked_at = clock_timestamp() where payment_id = 'pm_p1';
end $$;
