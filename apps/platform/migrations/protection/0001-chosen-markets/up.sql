-- Whose rules hold: of the venue, and of players and machines that have a market of their own. The newest row of a scope and subject holds.
create table market_choice (
  id bigint generated always as identity primary key,
  scope text not null check (scope in ('venue', 'player', 'machine')),
  -- The player's or the machine's id; empty: the venue.
  subject text not null check ((subject = '') = (scope = 'venue') and length(subject) <= 100),
  -- Null: none of its own. A program that does not know the name takes the strictest rules that it has.
  market text check (length(market) between 1 and 20),
  chosen_by text not null check (length(chosen_by) between 1 and 100),
  reason text not null check (length(reason) between 1 and 200),
  chosen_at timestamptz not null default clock_timestamp(),
  check (market is not null or scope <> 'venue')
);
create index market_choice_newest on market_choice (scope, subject, id desc);

create function market_choice_stays() returns trigger language plpgsql as $$
begin
  raise exception 'a chosen market is never changed, the next row takes its place (% refused)', lower(tg_op) using errcode = 'restrict_violation';
end $$;
create trigger market_choice_stays before update or delete on market_choice for each row execute function market_choice_stays();
create trigger market_choice_is_kept before truncate on market_choice for each statement execute function market_choice_stays();

create function market_choice_tells() returns trigger language plpgsql as $$
declare
  held text := (select c.market from market_choice c where c.scope = new.scope and c.subject = new.subject and c.id < new.id order by c.id desc limit 1);
begin
  perform audit.note('market.chosen', 'staff:' || new.chosen_by, case new.scope when 'venue' then 'venue' else new.scope || ':' || new.subject end, null,
    jsonb_build_object('market', held), jsonb_build_object('market', new.market), jsonb_build_object('reason', new.reason));
  return null;
end $$;
create trigger market_choice_tells after insert on market_choice for each row execute function market_choice_tells();
