create index auth_session_player on auth_session (player_id);
