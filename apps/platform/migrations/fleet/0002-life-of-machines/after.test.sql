do $$ begin
  if (select count(*) from machine_life where machine_id = 'life-01' and state = 'inService') <> 1 then
    raise exception 'a machine that was here is in service';
  end if;
  begin
    update machine_life set state = 'expected' where machine_id = 'life-01';
    raise exception 'a machine that was here cannot be expected again';
  exception when restrict_violation then null;
  end;
end $$;
