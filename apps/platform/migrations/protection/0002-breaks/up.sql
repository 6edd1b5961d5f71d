-- A break of a player from play. Rows are only added: no program and no person can shorten one. Of several the one that lasts longest holds.
create table player_break (
  id bigint generated always as identity primary key,
  player_id text not null references player,
  -- timeOut and panic end by themselves; exclusion stays until the player has asked for play again; forced follows long play, where the market says so.
  kind text not null check (kind in ('timeOut', 'exclusion', 'panic', 'forced')),
  from_at timestamptz not null default clock_timestamp(),
  until timestamptz not null check (until > from_at),
  set_by text not null check (length(set_by) between 1 and 100)
);
create index player_break_of_player on player_break (player_id, until desc);

-- After the end of an exclusion the player asks for play again, and a day later it opens.
create table player_reopening (
  break_id bigint primary key references player_break,
  requested_at timestamptz not null default clock_timestamp(),
  opens_at timestamptz not null check (opens_at > requested_at)
);

create function player_break_stays() returns trigger language plpgsql as $$
begin
  raise exception 'a break is never changed or removed (% refused)', lower(tg_op) using errcode = 'restrict_violation';
end $$;
create trigger player_break_stays before update or delete on player_break for each row execute function player_break_stays();
create trigger player_break_is_kept before truncate on player_break for each statement execute function player_break_stays();
create trigger player_reopening_stays before update or delete on player_reopening for each row execute function player_break_stays();
create trigger player_reopening_is_kept before truncate on player_reopening for each statement execute function player_break_stays();

-- A request before the end of an exclusion, or of another kind of break, opens nothing.
create function player_reopening_is_due() returns trigger language plpgsql as $$
begin
  if not exists (select from player_break b where b.id = new.break_id and b.kind = 'exclusion' and b.until <= clock_timestamp()) then
    raise exception 'this exclusion is not over' using errcode = 'check_violation';
  end if;
  new.requested_at := clock_timestamp();
  new.opens_at := new.requested_at + interval '24 hours';
  return new;
end $$;
create trigger player_reopening_is_due before insert on player_reopening for each row execute function player_reopening_is_due();

-- Breaks that hold now, of a player: what has an end to come, and exclusions that were not opened again.
create function player_breaks_now(p_player text) returns setof player_break language sql stable as $$
  select b.* from player_break b left join player_reopening r on r.break_id = b.id
  where b.player_id = p_player
    and (b.until > clock_timestamp() or (b.kind = 'exclusion' and (r.opens_at is null or r.opens_at > clock_timestamp())))
$$;

-- As before (migrations/campaigns/0001), and a player on a break counts too; a forced break of minutes keeps no bonus away.
create or replace function player_is_excluded(p_player text) returns boolean language sql stable as $$
  select exists (select from (select distinct on (owner) value from player_limit where player_id = p_player and kind = 'exclusion'
    and effective_at <= clock_timestamp() order by owner, id desc) as holding where value > extract(epoch from clock_timestamp()) * 1000)
    or exists (select from player_breaks_now(p_player) where kind <> 'forced')
$$;

create function player_break_tells() returns trigger language plpgsql as $$
begin
  perform audit.note('player.break', new.set_by, 'player:' || new.player_id, null, null,
    jsonb_build_object('kind', new.kind, 'until', new.until), null);
  return null;
end $$;
create trigger player_break_tells after insert on player_break for each row execute function player_break_tells();

create function player_reopening_tells() returns trigger language plpgsql as $$
declare
  about player_break := (select b from player_break b where b.id = new.break_id);
begin
  perform audit.note('player.reopening', 'player:' || about.player_id, 'player:' || about.player_id, null, null,
    jsonb_build_object('opensAt', new.opens_at), jsonb_build_object('excludedUntil', about.until));
  return null;
end $$;
create trigger player_reopening_tells after insert on player_reopening for each row execute function player_reopening_tells();
