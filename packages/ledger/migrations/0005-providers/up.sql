-- Providers of payments have an account each, and what a player owes after a charge-back has one too.
alter table ledger.accounts drop constraint accounts_address_check;
alter table ledger.accounts add constraint accounts_address_check
  check (address ~ '^(house|cage|suspense|promotions|fees|(player|machine|owed):[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}|provider:[a-z][a-z0-9-]{0,31})$');
alter table ledger.transfers drop constraint transfers_kind_check;
alter table ledger.transfers add constraint transfers_kind_check check (kind in ('deposit', 'withdraw', 'cashIn', 'cashOut',
  'handPay', 'jackpot', 'game', 'discount', 'bonus', 'fee', 'correction', 'suspense', 'chargeBack'));
