-- What national registers of excluded players answered: rows are only added, the newest of a player and register holds.
create table register_answer (
  id bigint generated always as identity primary key,
  player_id text not null references player,
  register text not null check (length(register) between 1 and 20),
  -- error: no answer that could be understood; it opens nothing.
  answer text not null check (answer in ('clear', 'excluded', 'error')),
  -- Ours, and the register's own where it gives one: what a dispute needs.
  request_id text not null check (length(request_id) between 1 and 100),
  response_id text check (length(response_id) between 1 and 100),
  -- What went wrong, without personal data.
  cause text check (length(cause) between 1 and 200),
  answered_at timestamptz not null default clock_timestamp()
);
create index register_answer_of_player on register_answer (player_id, register, id desc);

create function register_answer_stays() returns trigger language plpgsql as $$
begin
  raise exception 'an answer of a register is never changed (% refused)', lower(tg_op) using errcode = 'restrict_violation';
end $$;
create trigger register_answer_stays before update or delete on register_answer for each row execute function register_answer_stays();
create trigger register_answer_is_kept before truncate on register_answer for each statement execute function register_answer_stays();

-- Only what differs from the answer before: a player is asked for several times a day.
create function register_answer_tells() returns trigger language plpgsql as $$
declare
  held text := (select a.answer from register_answer a where a.player_id = new.player_id and a.register = new.register and a.id < new.id order by a.id desc limit 1);
begin
  if held is distinct from new.answer then
    perform audit.note('player.register', 'platform', 'player:' || new.player_id, null, jsonb_build_object('answer', held),
      jsonb_build_object('answer', new.answer), jsonb_strip_nulls(jsonb_build_object('register', new.register, 'requestId', new.request_id,
      'responseId', new.response_id, 'cause', new.cause)));
  end if;
  return null;
end $$;
create trigger register_answer_tells after insert on register_answer for each row execute function register_answer_tells();
