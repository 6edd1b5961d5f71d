insert into player (id, username, username_key, password) values ('p_since', 'since', 'since', 'none') on conflict do nothing;
insert into payment (id, player_id, request_id, kind, way, amount, changed_by)
  values ('pm_s1', 'p_since', 'request-s1', 'withdrawal', 'acme', 25000, 'player:p_since');
insert into provider_payment (payment_id, currency, wants, return_url) values ('pm_s1', 'TRY', 'withdraw', 'https://play.example.org/wallet');
