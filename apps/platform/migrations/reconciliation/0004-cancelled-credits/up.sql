-- Credits that a machine cancelled and staff paid by hand, from the machine's account.
alter table machine_books add column cancelled bigint not null default 0;

create function cancelled_into_books() returns trigger language plpgsql as $$
begin
  insert into machine_books as b (machine_id, cancelled) values (new.machine_id, new.amount)
    on conflict (machine_id) do update set cancelled = b.cancelled + excluded.cancelled;
  return null;
end $$;
-- Where the player is not known nothing is paid, and the credits stay in the books of the machine for a person to explain.
create trigger cancelled_into_books after update of confirmed_at on hand_pay for each row
  when (old.confirmed_at is null and new.confirmed_at is not null and new.kind = 'cancelledCredits' and new.player_id is not null)
  execute function cancelled_into_books();
