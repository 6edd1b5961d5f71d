-- Several issuers may sign players in: a player has one link with each of them.
-- The issuer as the settings name it, without a slash at the end; null: linked before there were several, and `issuer` names it.
alter table player_openid_link
  add column provider text check (length(provider) between 1 and 500);
create unique index player_openid_link_one_each on player_openid_link (player_id, coalesce(provider, rtrim(issuer, '/')));
alter table player_openid_link drop constraint player_openid_link_pkey;
alter table player_openid_link alter column player_id set not null;
alter table player_openid_link drop constraint player_openid_link_issuer_subject_key;
alter table player_openid_link add primary key (issuer, subject);

-- Which issuer made the sign-in; null: none, or before there were several.
alter table auth_session
  add column openid_provider text check (length(openid_provider) between 1 and 500);
