do $$ begin
  if (select count(*) from agent_key where agent_id = 'ag_overlap' and key_sha256 = 'hash-of-overlap' and ends_at is null) <> 1 then
    raise exception 'the key of an agent holds on';
  end if;
  if (select count(*) from agent_key where agent_id = 'ag_gone' and ends_at = '2026-01-02Z') <> 1 then
    raise exception 'the key of a revoked agent has ended with it';
  end if;
end $$;
