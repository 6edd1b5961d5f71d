-- What players paid for services of the venue, by the machine that it was about.
alter table report_money drop constraint report_money_kind_check;
alter table report_money add constraint report_money_kind_check check (kind in ('deposit', 'withdraw', 'cashIn', 'cashOut', 'handPay', 'jackpot',
  'cancelledCredits', 'game', 'discount', 'bonus', 'fee', 'suspense', 'claim'));
