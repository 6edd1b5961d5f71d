-- Who watched a machine in a business day, and the delays that its players' pages reported. Counted in memory and added about once a minute: what these
-- sums are made of is not kept, so they are no part of the rebuild and of the proof, and stay on their days when the business day begins at another time.
create table report_viewing (
  machine_id text not null,
  day date not null,
  -- How long spectators watched, ms, all of them added up.
  watched_ms bigint not null check (watched_ms >= 0),
  -- The most that watched at once.
  watchers_most integer not null check (watchers_most >= 0),
  -- Reports of the delay by bucket. Upper bounds, ms: 20, 40, 60, 80, 100, 125, 150, 175, 200, 250, 300, 400, 500, 750, 1000, 2000, 5000, 10000.
  delays bigint[] not null check (cardinality(delays) = 18 and 0 <= all (delays)),
  primary key (machine_id, day)
) with (fillfactor = 70);
create index report_viewing_of_day on report_viewing (day);

-- Adds to the sums of the present business day.
create function add_viewing(p_machine_id text, p_watched_ms bigint, p_watchers_most integer, p_delays bigint[]) returns void language sql as $$
  insert into report_viewing as r (machine_id, day, watched_ms, watchers_most, delays)
    values (p_machine_id, business_day(clock_timestamp()), p_watched_ms, p_watchers_most, p_delays)
    on conflict (machine_id, day) do update set watched_ms = r.watched_ms + excluded.watched_ms,
      watchers_most = greatest(r.watchers_most, excluded.watchers_most),
      delays = (select array_agg(kept + new order by at) from unnest(r.delays, excluded.delays) with ordinality as pair (kept, new, at))
$$;
