-- A machine that does not say a game's free spins or its bonus leaves them unknown: null, never 0. A play session with such a game knows no number either.
alter table game alter column free_spins drop not null, alter column bonus drop not null;
alter table play_session alter column free_spins drop not null;
