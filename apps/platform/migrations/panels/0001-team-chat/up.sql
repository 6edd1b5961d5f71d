-- What a player says of oneself in Team Chat; no row: online, no mood.
create table team_chat_profile (
  player_id text primary key references player,
  status text not null default 'online' check (status in ('online', 'do-not-disturb', 'away', 'offline')),
  mood text not null default '' check (length(mood) <= 140)
);

-- One chat of two players, whoever began it.
create table team_chat (
  id text primary key,
  first_player text not null references player,
  second_player text not null references player,
  created_at timestamptz not null default clock_timestamp(),
  -- The number of its newest message, 0: none; messages of one chat are numbered without gaps.
  last_number bigint not null default 0,
  last_message_at timestamptz,
  -- By their bytes, whatever the language of the database is.
  check (first_player < second_player collate "C"),
  unique (first_player, second_player)
);

-- The chat as one of the two sees it.
create table team_chat_member (
  player_id text not null references player,
  contact_id text not null references player,
  chat_id text not null references team_chat,
  -- When it came to the top of the player's list; null: it does not stand there, for nobody has said anything and the player did not open it.
  listed_at timestamptz,
  -- Messages of the contact that the player has not read.
  unread integer not null default 0 check (unread >= 0),
  primary key (player_id, contact_id)
);
create index team_chat_member_listed on team_chat_member (player_id, listed_at desc) where listed_at is not null;

create table team_chat_message (
  chat_id text not null references team_chat,
  number bigint not null,
  who text not null references player,
  message text not null check (length(message) between 1 and 2000),
  sent_at timestamptz not null default clock_timestamp(),
  primary key (chat_id, number)
);

-- Who has a page open, and on which node; rows of a node that has ended are removed by the others.
create unlogged table team_chat_presence (
  player_id text not null,
  node_id text not null,
  primary key (player_id, node_id)
);
create index team_chat_presence_of_node on team_chat_presence (node_id);

-- The contacts of a player are those of the same group who signed in last.
create index player_of_group on player (player_group, last_logon desc nulls last);
