-- A bonus for each player of a group. The row's lock is the right to grant from it: one node at a time does.
create table campaign (
  id text primary key,
  name text not null check (length(name) between 1 and 100),
  -- What each player gets, minor units, and how long each may claim it.
  amount bigint not null check (amount between 1 and 9000000000000),
  claim_days integer not null check (claim_days between 1 and 3650),
  audience jsonb not null check (jsonb_typeof(audience) = 'object' and length(audience::text) <= 30000),
  -- Never more than this is granted in all, minor units.
  budget bigint not null check (budget between amount and 9000000000000),
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > starts_at),
  state text not null default 'draft' check (state in ('draft', 'running', 'paused', 'ended')),
  added_at timestamptz not null default clock_timestamp(),
  added_by text not null check (length(added_by) between 1 and 64),
  started_at timestamptz,
  -- Who answers for it. `signed_by`: the second person; null: none was needed.
  started_by text check (length(started_by) between 1 and 64),
  signed_by text check (length(signed_by) between 1 and 64),
  ended_at timestamptz,
  end_reason text check (end_reason in ('staff', 'time', 'budget')),
  -- Why a person wrote, started, paused, resumed or ended it last.
  reason text not null check (length(reason) between 1 and 200),
  players integer not null default 0 check (players >= 0),
  granted bigint not null default 0,
  changed_at timestamptz not null default clock_timestamp(),
  check (granted = players * amount and granted <= budget),
  check ((started_at is null) = (started_by is null) and (signed_by is null or started_by is not null)),
  -- Also where a program has an error: one person is never both.
  check (signed_by <> started_by),
  check (state in ('draft', 'ended') or started_at is not null),
  check (state <> 'draft' or started_at is null),
  check ((state = 'ended') = (ended_at is not null) and (state = 'ended') = (end_reason is not null)),
  check (players = 0 or started_at is not null)
);
create index campaign_newest on campaign (added_at desc, id desc);
create index campaign_running on campaign (id) where state = 'running';

-- What was started stays as it was started; what was granted stays granted.
create function campaign_steps() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    raise exception 'the campaign % is part of the record', old.id using errcode = 'restrict_violation';
  end if;
  if (new.id, new.added_at, new.added_by) is distinct from (old.id, old.added_at, old.added_by)
    or (old.state <> 'draft' and (new.name, new.amount, new.claim_days, new.audience, new.budget, new.starts_at, new.ends_at, new.started_at,
      new.started_by, new.signed_by) is distinct from (old.name, old.amount, old.claim_days, old.audience, old.budget, old.starts_at, old.ends_at,
      old.started_at, old.started_by, old.signed_by)) then
    raise exception 'the campaign % stays as it was started', old.id using errcode = 'restrict_violation';
  end if;
  if new.players < old.players or (new.players > old.players and old.state <> 'running') or old.state = 'ended'
    or (old.state <> new.state and (old.state, new.state) not in
      (('draft', 'running'), ('draft', 'ended'), ('running', 'paused'), ('paused', 'running'), ('running', 'ended'), ('paused', 'ended'))) then
    raise exception 'the campaign % does not go from % with % players to % with %', old.id, old.state, old.players, new.state, new.players
      using errcode = 'restrict_violation';
  end if;
  new.changed_at := clock_timestamp();
  return new;
end $$;
create trigger campaign_steps before update or delete on campaign for each row execute function campaign_steps();

-- Each grant has an entry of its own, so the sums are left out. Named players are counted.
create function audit.campaign_tells() returns trigger language plpgsql as $$
declare
  was jsonb := case when tg_op = 'INSERT' then '{}'::jsonb else to_jsonb(old) end;
  is_now jsonb := to_jsonb(new);
  changed record;
begin
  if was -> 'audience' -> 'players' is not null and was -> 'audience' = is_now -> 'audience' then
    was := was - 'audience';
    is_now := is_now - 'audience';
  end if;
  if is_now -> 'audience' -> 'players' is not null then
    is_now := jsonb_set(is_now, '{audience,players}', to_jsonb(jsonb_array_length(is_now -> 'audience' -> 'players')));
  end if;
  if was -> 'audience' -> 'players' is not null then
    was := jsonb_set(was, '{audience,players}', to_jsonb(jsonb_array_length(was -> 'audience' -> 'players')));
  end if;
  select * into changed from audit.difference(was, is_now, '{}', array['id', 'added_at', 'players', 'granted', 'changed_at', 'reason']);
  if changed.before is null and changed.after is null then return null; end if;
  perform audit.note('campaign.changed', 'platform', 'campaign:' || new.id, null, case when tg_op = 'UPDATE' then changed.before end, changed.after,
    jsonb_strip_nulls(jsonb_build_object('name', new.name, 'players', new.players, 'granted', new.granted,
      'reason', case when new.end_reason is null or new.end_reason = 'staff' then new.reason end)));
  return null;
end $$;
create trigger campaign_tells after insert or update on campaign for each row execute function audit.campaign_tells();

-- A grant of a campaign: one for each player, by an index that no program gets past.
alter table bonus_grant add column campaign_id text references campaign;
create unique index bonus_grant_of_campaign on bonus_grant (campaign_id, player_id) where campaign_id is not null;
create index bonus_grant_of_campaign_newest on bonus_grant (campaign_id, granted_at desc, id desc) where campaign_id is not null;

create or replace function audit.bonus_grant_tells() returns trigger language plpgsql as $$
begin
  perform audit.note(case when new.campaign_id is null then 'staff.granted' else 'campaign.granted' end,
    case when new.campaign_id is null then 'staff:' || new.granted_by else 'platform' end, 'player:' || new.player_id, null, null, null,
    jsonb_strip_nulls(jsonb_build_object('grant', new.id, 'amount', new.amount, 'reason', new.reason, 'expiresAt', new.expires_at,
      'campaign', new.campaign_id)));
  return null;
end $$;

-- No play until then: the newest exclusion of the player or of the operator says so.
create function player_is_excluded(p_player text) returns boolean language sql stable as $$
  select exists (select from (select distinct on (owner) value from player_limit where player_id = p_player and kind = 'exclusion'
    and effective_at <= clock_timestamp() order by owner, id desc) as holding where value > extract(epoch from clock_timestamp()) * 1000)
$$;

-- As before (migrations/platform/0006), but an excluded player claims nothing of a campaign: it stays open until the exclusion or its own time is over.
-- What a person granted by hand is that person's decision.
create or replace function claim_bonus(p_player text, out problem text, out amount bigint) language plpgsql as $$
declare
  taken bonus_grant;
  answer ledger.answer;
begin
  perform from player where id = p_player for no key update;
  select * into taken from bonus_grant g
    where g.player_id = p_player and g.claimed_at is null and (g.expires_at is null or g.expires_at > clock_timestamp())
      and (g.campaign_id is null or not player_is_excluded(p_player))
    order by g.granted_at, g.id limit 1;
  if not found then
    problem := 'claim.nothing';
    return;
  end if;
  update bonus_grant g set claimed_at = clock_timestamp(), transfer_id = 'bonus:' || taken.id where g.id = taken.id;
  answer := ledger.transfer('bonus:' || taken.id, 'bonus', 'promotions', 'player:' || p_player, taken.amount,
    jsonb_strip_nulls(jsonb_build_object('actor', 'player:' || p_player, 'reason', taken.reason, 'grantedBy', taken.granted_by,
      'campaign', taken.campaign_id)));
  if answer.problem is not null then
    raise exception 'the bonus % cannot be paid: %', taken.id, answer.problem;
  end if;
  amount := taken.amount;
end $$;
