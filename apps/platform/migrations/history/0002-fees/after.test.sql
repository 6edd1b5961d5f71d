do $$
declare
  rows text;
begin
  perform ledger.transfer('fd1', 'deposit', 'cage', 'player:fee', 100, '{}');
  perform ledger.transfer('ff1', 'fee', 'player:fee', 'fees', 40, '{"machineId": "m7"}');
  perform ledger.correct('fc1', 'ff1', null, '{}');
  select string_agg(concat_ws(' ', transfer_id, type, source, nullif(machine_id, ''), amount), ', ' order by entry_number) into rows
    from wallet_entry where player_id = 'fee';
  assert rows = 'fd1 1 Cage 100, ff1 2 Fee m7 -40, fc1 1 Fee 40', rows;
end $$;
