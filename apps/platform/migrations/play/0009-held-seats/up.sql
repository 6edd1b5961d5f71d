-- A seat whose player has left it waits until then at least; set by the player, taken away when the player is back.
alter table seat add column hold_until timestamptz;
-- Each time a player has held a seat; the id is the page's, so that a repeat counts once.
create table seat_hold (
  id text primary key check (length(id) between 1 and 64),
  player_id text not null,
  play_session_id text not null references play_session,
  begun_at timestamptz not null default clock_timestamp(),
  until_at timestamptz not null check (until_at > begun_at)
);
create index seat_hold_of_player on seat_hold (player_id, begun_at);
