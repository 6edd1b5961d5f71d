-- Pays the oldest open grant of a player, once. Under the player's row, so claims of one player take turns on all nodes; the lock is the weak
-- one, so rows which only refer to the player are still written meanwhile. `problem`: claim.nothing. What the ledger refuses is a bug, and raised.
create function claim_bonus(p_player text, out problem text, out amount bigint) language plpgsql as $$
declare
  taken bonus_grant;
  answer ledger.answer;
begin
  perform from player where id = p_player for no key update;
  select * into taken from bonus_grant g
    where g.player_id = p_player and g.claimed_at is null and (g.expires_at is null or g.expires_at > clock_timestamp())
    order by g.granted_at, g.id limit 1;
  if not found then
    problem := 'claim.nothing';
    return;
  end if;
  -- Always the same for the same grant: the ledger pays an id once.
  update bonus_grant g set claimed_at = clock_timestamp(), transfer_id = 'bonus:' || taken.id where g.id = taken.id;
  answer := ledger.transfer('bonus:' || taken.id, 'bonus', 'promotions', 'player:' || p_player, taken.amount,
    jsonb_build_object('actor', 'player:' || p_player, 'reason', taken.reason, 'grantedBy', taken.granted_by));
  if answer.problem is not null then
    raise exception 'the bonus % cannot be paid: %', taken.id, answer.problem;
  end if;
  amount := taken.amount;
end $$;
