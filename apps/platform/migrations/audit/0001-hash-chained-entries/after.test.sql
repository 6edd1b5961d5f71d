-- The chain grows in order, and neither entries nor links nor the list of those that wait can be bent.
do $$
declare
  changed text;
begin
  insert into audit.entries (source, type, actor, at) values ('n1', 'test.first', 'visitor', '2001-01-01'), ('n1', 'test.second', 'visitor', '2001-01-01');
  assert (select min(at) from audit.entries) > '2001-01-02', 'an entry was dated back';
  assert audit.link_waiting(1) = 1 and audit.link_waiting(10) = 1 and audit.link_waiting(10) = 0, 'the chain does not grow';
  assert (select hash from audit.links where position = 2) = (select sha256((select hash from audit.links where position = 1)
    || convert_to(audit.canonical(2, e), 'UTF8')) from audit.entries e where type = 'test.second'), 'a hash does not cover the one before';
  insert into audit.entries (source, type, actor) values ('n1', 'test.third', 'visitor');
  foreach changed in array array['update audit.entries set actor = ''x''', 'delete from audit.entries', 'truncate audit.entries cascade',
      'update audit.links set position = 9 where position = 2', 'delete from audit.links', 'truncate audit.links',
      'delete from audit.waiting', 'truncate audit.waiting'] loop
    begin
      execute changed;
      assert false, changed;
    exception when restrict_violation then null;
    end;
  end loop;
  assert (audit.difference('{"a": 1, "b": 2, "p": "x", "n": 1}', '{"a": 1, "b": 3, "p": "y", "n": 2}', '{p}', '{n}')).after
    = '{"b": 3, "p": "[hidden, changed]"}', 'a difference is told wrongly';
end $$;
