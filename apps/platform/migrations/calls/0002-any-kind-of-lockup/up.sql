alter table attendant_call
  drop constraint attendant_call_reason_check,
  add constraint attendant_call_reason_check check (reason ~ '^[A-Za-z]{1,32}$');
