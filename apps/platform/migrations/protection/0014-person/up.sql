-- What says that two accounts are one person: a keyed hash of country and personal number, or of country, kind and number of a document. The numbers of
-- documents are kept nowhere else. A mark outlives the personal data only as long as the player is excluded (`forgetMarks`).
create table identity_mark (
  player_id text not null references player,
  kind text not null check (kind in ('number', 'document')),
  mark text not null check (mark ~ '^[A-Za-z0-9_-]{43}$'),
  noted_at timestamptz not null default clock_timestamp(),
  primary key (player_id, kind, mark)
);
create index identity_mark_of_person on identity_mark (kind, mark);

-- What was decided about other accounts with a mark of this player. held: nothing yet, so the platform put `pending` in place of `verified`.
alter table identity_decision add column others text check (others in ('held', 'same', 'different'));
alter table identity_decision add constraint identity_decision_held check (others <> 'held' or state = 'pending');
create index identity_decision_held on identity_decision (player_id) where others = 'held';
-- Others with the same birth date are looked for.
create index identity_record_of_day on identity_record (birth_date);

-- What waits for a second person may be that another account is of somebody else; then no birth date waits.
alter table identity_correction alter column birth_date drop not null;
alter table identity_correction add column marks jsonb not null default '[]' check (jsonb_typeof(marks) = 'array');
alter table identity_correction add column others text check (others in ('same', 'different'));

-- The accounts of the person whom this one belongs to, itself too. Most players have no mark, and this is quickly said.
create function person_accounts(p_player text) returns setof text language sql stable as $$
  with recursive account (id) as (
    select p_player
    union
    select o.player_id from account a join identity_mark m on m.player_id = a.id join identity_mark o on o.kind = m.kind and o.mark = m.mark)
  select id from account
$$;

-- As before (0002), of every account of the person.
create or replace function player_breaks_now(p_player text) returns setof player_break language sql stable as $$
  select b.* from player_break b left join player_reopening r on r.break_id = b.id
  where b.player_id = any(array(select person_accounts(p_player)))
    and (b.until > clock_timestamp() or (b.kind = 'exclusion' and (r.opens_at is null or r.opens_at > clock_timestamp())))
$$;
create or replace function player_is_excluded(p_player text) returns boolean language sql stable as $$
  select exists (select from (select distinct on (player_id, owner) value from player_limit
    where player_id = any(array(select person_accounts(p_player))) and kind = 'exclusion'
    and effective_at <= clock_timestamp() order by player_id, owner, id desc) as holding where value > extract(epoch from clock_timestamp()) * 1000)
    or exists (select from player_breaks_now(p_player) where kind <> 'forced')
$$;

create or replace function identity_decision_tells() returns trigger language plpgsql as $$
declare
  held text := (select d.state from identity_decision d where d.player_id = new.player_id and d.id < new.id order by d.id desc limit 1);
begin
  perform audit.note('player.identity', case when new.decided_by like 'service:%' then new.decided_by else 'staff:' || new.decided_by end, 'player:' || new.player_id, null, jsonb_build_object('state', held),
    jsonb_build_object('state', new.state, 'validUntil', new.valid_until)
      || case when new.others is null then '{}'::jsonb else jsonb_build_object('others', new.others) end, jsonb_build_object('reason', new.reason));
  return null;
end $$;

-- The audit log says that two accounts became one person's, or are no longer, and never by which number.
create function identity_mark_tells() returns trigger language plpgsql as $$
declare
  whose text := case when tg_op = 'DELETE' then old.player_id else new.player_id end;
  about identity_mark := case when tg_op = 'DELETE' then old else new end;
  others jsonb := (select jsonb_agg(distinct o.player_id) from identity_mark o where o.kind = about.kind and o.mark = about.mark and o.player_id <> whose);
begin
  if others is not null then
    perform audit.note(case when tg_op = 'DELETE' then 'player.personParted' else 'player.personFound' end, 'platform', 'player:' || whose, null, null,
      jsonb_build_object('with', others), jsonb_build_object('by', about.kind));
  end if;
  return null;
end $$;
create trigger identity_mark_tells after insert or delete on identity_mark for each row execute function identity_mark_tells();
