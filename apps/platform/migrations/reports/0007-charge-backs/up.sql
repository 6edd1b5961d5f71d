-- What providers of payments took back beyond what wallets had.
alter table report_money drop constraint report_money_kind_check;
alter table report_money add constraint report_money_kind_check check (kind in ('deposit', 'withdraw', 'cashIn', 'cashOut', 'handPay', 'jackpot',
  'cancelledCredits', 'game', 'discount', 'bonus', 'fee', 'suspense', 'claim', 'chargeBack'));
-- What is owed grows in the direction of its kind, and shrinks against it.
create or replace function report_sign(kind text, from_address text, to_address text) returns integer language sql immutable as $$
  select case when kind = 'game' and to_address like 'machine:%' then -1 when kind = 'suspense' and from_address = 'suspense' then -1
    when kind = 'chargeBack' and from_address like 'provider:%' then -1 else 1 end
$$;
