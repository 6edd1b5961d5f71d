alter table alarm drop constraint alarm_alarm_check;
alter table alarm add constraint alarm_alarm_check
  check (alarm in ('seat', 'credits', 'moved', 'orphan', 'restored', 'events', 'recording', 'evidence'));
