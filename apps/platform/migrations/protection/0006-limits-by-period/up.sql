-- The period over which a limit counts, back from now: 24 hours, 7 days, 30 days. Of `session` and `exclusion`, which count nothing, it is 'day'.
alter table player_limit add column period text not null default 'day' check (period in ('day', 'week', 'month'));
-- True: a looser wish that holds only with the player's yes, given after effective_at and within seven days of it.
alter table player_limit add column asks_again boolean not null default false;
alter table player_limit drop constraint player_limit_kind_check;
-- deposit: minor units into the wallet from the cage; cashIn: minor units put onto machines; loss: minor units lost; wager: minor units of stakes;
-- time: minutes at machines; session: minutes of one play session; exclusion: milliseconds since 1970 until which no play is allowed.
alter table player_limit add constraint player_limit_kind_check
  check (kind in ('deposit', 'cashIn', 'loss', 'wager', 'time', 'session', 'exclusion'));
alter table player_limit add constraint player_limit_period_of_kind check (period = 'day' or kind not in ('session', 'exclusion'));
drop index player_limit_of_player;
create index player_limit_of_player on player_limit (player_id, kind, period, owner, id desc);

-- What became of a limit that waited: the player said yes or no after its time, took it back, or a newer wish took its place. No row: it waits,
-- began by itself, or lapsed.
create table player_limit_answer (
  limit_id bigint primary key references player_limit,
  answer text not null check (answer in ('yes', 'no', 'takenBack', 'replaced')),
  answered_at timestamptz not null default clock_timestamp(),
  answered_by text not null check (length(answered_by) between 1 and 100)
);

create function player_limit_answer_stays() returns trigger language plpgsql as $$
begin
  raise exception 'an answer to a limit is never changed (% refused)', lower(tg_op) using errcode = 'restrict_violation';
end $$;
create trigger player_limit_answer_stays before update or delete on player_limit_answer
  for each row execute function player_limit_answer_stays();
create trigger player_limit_answer_is_kept before truncate on player_limit_answer
  for each statement execute function player_limit_answer_stays();

-- Whether a limit holds by itself, without a look at newer rows of its owner.
create function player_limit_has_begun(l player_limit) returns boolean language sql stable as $$
  select case when l.asks_again then exists (select from player_limit_answer a where a.limit_id = l.id and a.answer = 'yes')
    else l.effective_at <= clock_timestamp() and not exists (select from player_limit_answer a where a.limit_id = l.id) end
$$;

-- How entries of the audit log name a limit: `loss.week`, `session`.
create function player_limit_key(l player_limit) returns text language sql immutable as $$
  select case when l.kind in ('session', 'exclusion') then l.kind else l.kind || '.' || l.period end
$$;

-- Who set it: the player, where the name says so, else staff.
create function player_limit_actor(who text, player text) returns text language sql immutable as $$
  select case when who = 'player:' || player then who else 'staff:' || who end
$$;

create or replace function player_limit_tells() returns trigger language plpgsql as $$
declare
  held bigint := (select l.value from player_limit l where l.player_id = new.player_id and l.kind = new.kind and l.period = new.period
    and l.owner = new.owner and l.id < new.id and player_limit_has_begun(l) order by l.id desc limit 1);
  key text := player_limit_key(new);
begin
  perform audit.note('player.limit', player_limit_actor(new.set_by, new.player_id), 'player:' || new.player_id, null, jsonb_build_object(key, held),
    jsonb_build_object(key, new.value), jsonb_build_object('owner', new.owner, 'effectiveAt', new.effective_at, 'asksAgain', new.asks_again));
  return null;
end $$;

create function player_limit_answer_tells() returns trigger language plpgsql as $$
declare
  l player_limit;
begin
  select * into l from player_limit p where p.id = new.limit_id;
  perform audit.note('player.limitAnswered', player_limit_actor(new.answered_by, l.player_id), 'player:' || l.player_id, null, null,
    jsonb_build_object(player_limit_key(l), l.value), jsonb_build_object('owner', l.owner, 'answer', new.answer));
  return null;
end $$;
create trigger player_limit_answer_tells after insert on player_limit_answer for each row execute function player_limit_answer_tells();
