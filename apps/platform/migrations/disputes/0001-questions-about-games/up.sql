-- A player's question about one game. Once for a game.
create table dispute (
  id text primary key check (length(id) between 1 and 64),
  -- What people call it.
  number bigint generated always as identity unique,
  player_id text not null references player,
  machine_id text not null,
  game_number bigint not null,
  kind text not null check (kind ~ '^[A-Za-z]{1,32}$'),
  opened_at timestamptz not null default clock_timestamp(),
  -- The answer is due.
  due_at timestamptz not null,
  -- Who looks at it; null: no person yet.
  owner text references staff,
  decided_at timestamptz,
  verdict text check (verdict in ('paidRight', 'houseOwes', 'unclear')),
  -- Minor units, and the ledger's id of the transfer that paid them.
  amount bigint check (amount > 0),
  transfer_id text,
  -- When the player read the newest of what staff wrote.
  read_at timestamptz,
  unique (machine_id, game_number),
  foreign key (machine_id, game_number) references game (machine_id, game_number),
  check ((decided_at is null) = (verdict is null)),
  check ((verdict is not distinct from 'houseOwes') = (amount is not null) and (amount is null) = (transfer_id is null))
);
create index dispute_of_player on dispute (player_id, opened_at desc);
create index dispute_listed on dispute (opened_at desc, id desc);
create index dispute_open on dispute (due_at) where decided_at is null;

-- What was said and done in it: rows are only added.
create table dispute_step (
  id bigint generated always as identity primary key,
  dispute_id text not null references dispute,
  kind text not null check (kind in ('opened', 'taken', 'note', 'question', 'addition', 'decided')),
  -- Null: the player.
  staff_id text references staff,
  -- The name that the player reads; null: the player.
  sender text check (length(sender) between 1 and 100),
  at timestamptz not null default clock_timestamp(),
  text text check (length(text) between 1 and 1000),
  -- Of a verdict: the sentence above the letter.
  sentence text check (length(sentence) between 1 and 200),
  check ((kind in ('opened', 'addition')) = (staff_id is null) and (staff_id is null) = (sender is null)),
  check ((kind = 'decided') = (sentence is not null))
);
create index dispute_step_of on dispute_step (dispute_id, id);
-- Staff asks back once.
create unique index dispute_step_question on dispute_step (dispute_id) where kind = 'question';
create unique index dispute_step_decided on dispute_step (dispute_id) where kind = 'decided';

-- Who of staff read it; looks within five minutes are one.
create table dispute_reading (
  id bigint generated always as identity primary key,
  dispute_id text not null references dispute,
  staff_id text not null references staff,
  at timestamptz not null default clock_timestamp()
);
create index dispute_reading_of on dispute_reading (dispute_id, staff_id, at desc);

-- The events of the seconds about a game.
create index machine_event_when on machine_event (machine_id, happened_at);

create function dispute_stays() returns trigger language plpgsql as $$
begin
  raise exception 'what a question says is never changed or removed (% of % refused)', lower(tg_op), tg_table_name using errcode = 'restrict_violation';
end $$;
-- After the verdict only the player's reading of it is noted.
create trigger dispute_stays before update on dispute for each row
  when (to_jsonb(new) - '{owner,decided_at,verdict,amount,transfer_id,read_at}'::text[] is distinct from
      to_jsonb(old) - '{owner,decided_at,verdict,amount,transfer_id,read_at}'::text[]
    or (old.decided_at is not null and to_jsonb(new) - 'read_at' is distinct from to_jsonb(old) - 'read_at'))
  execute function dispute_stays();
create trigger dispute_is_not_deleted before delete on dispute for each row execute function dispute_stays();
create trigger dispute_is_kept before truncate on dispute for each statement execute function dispute_stays();
create trigger dispute_step_stays before update or delete on dispute_step for each row execute function dispute_stays();
create trigger dispute_step_is_kept before truncate on dispute_step for each statement execute function dispute_stays();
create trigger dispute_reading_stays before update or delete on dispute_reading for each row execute function dispute_stays();
create trigger dispute_reading_is_kept before truncate on dispute_reading for each statement execute function dispute_stays();

-- Nothing is added after the verdict: its own step comes first.
create function dispute_is_open() returns trigger language plpgsql as $$
begin
  if exists (select from dispute d where d.id = new.dispute_id and d.decided_at is not null) then
    raise exception 'the question % is decided and stays as it is', new.dispute_id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger dispute_step_of_open before insert on dispute_step for each row execute function dispute_is_open();

-- No player asks about the game of another one.
create function dispute_is_own() returns trigger language plpgsql as $$
begin
  if not exists (select from game g join play_session p on p.id = g.play_session_id
    where g.machine_id = new.machine_id and g.game_number = new.game_number and p.player_id = new.player_id) then
    raise exception 'the game % of % is not of this player', new.game_number, new.machine_id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger dispute_is_own before insert on dispute for each row execute function dispute_is_own();

-- The audit log names acts; the words stay in the question.
create function dispute_tells() returns trigger language plpgsql as $$
declare
  about dispute;
  reader text;
begin
  select * into about from dispute d where d.id = new.dispute_id;
  reader := coalesce('staff:' || (select s.username from staff s where s.id = new.staff_id), 'player:' || about.player_id);
  if tg_table_name = 'dispute_reading' then
    perform audit.note('player.dispute', reader, 'player:' || about.player_id, null, null, null,
      jsonb_build_object('is', 'read', 'dispute', about.id, 'game', about.game_number || '.' || about.machine_id));
  else
    perform audit.note('player.dispute', reader, 'player:' || about.player_id, null, null, null,
      jsonb_build_object('is', new.kind, 'dispute', about.id, 'game', about.game_number || '.' || about.machine_id));
  end if;
  return null;
end $$;
create trigger dispute_step_tells after insert on dispute_step for each row execute function dispute_tells();
create trigger dispute_reading_tells after insert on dispute_reading for each row execute function dispute_tells();
create function dispute_verdict_tells() returns trigger language plpgsql as $$
begin
  perform audit.note('player.dispute', 'platform', 'player:' || new.player_id, null, null, null,
    jsonb_strip_nulls(jsonb_build_object('is', 'verdict', 'dispute', new.id, 'verdict', new.verdict, 'amount', new.amount, 'transfer', new.transfer_id)));
  return null;
end $$;
create trigger dispute_verdict_tells after update on dispute for each row
  when (old.decided_at is null and new.decided_at is not null) execute function dispute_verdict_tells();

-- Roles of a venue that is there already get the new permissions of theirs, as those of a new venue have them.
update staff_role set permissions = permissions || array['dispute.see', 'dispute.decide']
  where role = 'supervisor' and not permissions && array['dispute.see', 'dispute.decide'];
update staff_role set permissions = permissions || array['dispute.see']
  where role in ('attendant', 'auditor') and not permissions && array['dispute.see'];
