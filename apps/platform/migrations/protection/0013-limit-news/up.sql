-- The player has read that this looser limit holds.
create table limit_news_read (
  limit_id bigint primary key references player_limit,
  read_at timestamptz not null default clock_timestamp()
);
