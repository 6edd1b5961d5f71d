-- What was staked in its games, minor units. What was won is this and `net`.
alter table play_session add column wagered bigint not null default 0 check (wagered >= 0);
update play_session p set wagered = g.wagered
  from (select play_session_id as id, sum(stake)::bigint as wagered from game where play_session_id is not null group by 1) g
  where g.id = p.id and g.wagered > 0;
