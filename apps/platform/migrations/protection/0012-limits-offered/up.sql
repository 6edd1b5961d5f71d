-- What each player answered when limits were offered: once. Setting a limit is an answer too.
create table limits_offer_answer (
  player_id text primary key references player,
  answer text not null check (answer in ('set', 'notNow')),
  -- The markets that held for the player then: "gb", "gb lab".
  markets text not null check (length(markets) between 1 and 100),
  answered_at timestamptz not null default clock_timestamp()
);

create function limits_offer_stays() returns trigger language plpgsql as $$
begin
  raise exception 'an answer about limits is never changed or removed (% refused)', lower(tg_op) using errcode = 'restrict_violation';
end $$;
create trigger limits_offer_stays before update or delete on limits_offer_answer for each row execute function limits_offer_stays();
create trigger limits_offer_is_kept before truncate on limits_offer_answer for each statement execute function limits_offer_stays();

create function limits_offer_tells() returns trigger language plpgsql as $$
begin
  perform audit.note('player.limitsOffer', 'player:' || new.player_id, 'player:' || new.player_id, null, null,
    jsonb_build_object('answer', new.answer, 'markets', new.markets), null);
  return null;
end $$;
create trigger limits_offer_tells after insert on limits_offer_answer for each row execute function limits_offer_tells();
