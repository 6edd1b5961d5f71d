-- A confirmed hand pay of cancelled credits is in the books of its machine once; one of a win, and one of an unknown player, are not.
do $$
declare
  told bigint;
begin
  insert into hand_pay (machine_id, hand_pay_id, amount, kind, play_session_id, player_id) values
    ('m1', 'cc-1', 700, 'cancelledCredits', 'ps_1', 'p_1'), ('m1', 'cc-2', 50, 'cancelledCredits', 'ps_1', null), ('m1', 'w-1', 9, 'win', 'ps_1', 'p_1');
  select cancelled into told from machine_books where machine_id = 'm1';
  assert told = 0, told;
  update hand_pay set confirmed_at = now(), confirmed_by = 'eva' where machine_id = 'm1' and hand_pay_id in ('cc-1', 'cc-2', 'w-1');
  update hand_pay set confirmed_at = now() where machine_id = 'm1' and hand_pay_id = 'cc-1';
  select cancelled into told from machine_books where machine_id = 'm1';
  assert told = 700, told;
end $$;
