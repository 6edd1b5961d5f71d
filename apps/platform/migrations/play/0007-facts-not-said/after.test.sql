do $$ begin
  assert (select free_spins = 3 and bonus from game where machine_id = 'said-01' and game_number = 1), 'a known fact stays';
  insert into game (machine_id, game_number, stake, win, credit_before, credit_after, hand_paid, free_spins, bonus, started_at, ended_at)
    values ('said-01', 2, 100, 0, 400, 300, 0, null, null, now(), now());
end $$;
