-- Each play session of a listing shows the jackpots that were won in it.
create index machine_event_jackpots on machine_event (play_session_id, seq) where kind = 'jackpot';
