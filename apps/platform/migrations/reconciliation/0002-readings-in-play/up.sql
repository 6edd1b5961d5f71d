alter table meter_reading drop constraint meter_reading_why_check;
alter table meter_reading add constraint meter_reading_why_check check (why in ('hello', 'settled', 'day', 'play'));
