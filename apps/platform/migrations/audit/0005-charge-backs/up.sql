-- Charge-backs are in the audit log as every other money that no game moved is.
drop trigger transfer_tells on ledger.transfers;
create constraint trigger transfer_tells after insert on ledger.transfers deferrable initially deferred for each row
  when (new.kind in ('deposit', 'withdraw', 'correction', 'suspense', 'handPay', 'jackpot', 'discount', 'bonus', 'fee', 'chargeBack'))
  execute function audit.transfer_tells();
