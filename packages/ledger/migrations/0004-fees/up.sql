-- What players pay the venue for a service: a kind of its own, to an account of its own.
alter table ledger.accounts drop constraint accounts_address_check;
alter table ledger.accounts add constraint accounts_address_check
  check (address ~ '^(house|cage|suspense|promotions|fees|(player|machine):[A-Za-z0-9][A-Za-z0-9_.:-]{0,63})$');
alter table ledger.transfers drop constraint transfers_kind_check;
alter table ledger.transfers add constraint transfers_kind_check check (kind in ('deposit', 'withdraw', 'cashIn', 'cashOut',
  'handPay', 'jackpot', 'game', 'discount', 'bonus', 'fee', 'correction', 'suspense'));
alter table ledger.holds drop constraint holds_kind_check;
alter table ledger.holds add constraint holds_kind_check check (kind in ('deposit', 'withdraw', 'cashIn', 'cashOut', 'handPay',
  'jackpot', 'game', 'discount', 'bonus', 'fee', 'suspense'));
