-- The ledger's id of a game or a hand pay, as the program makes it (modules/wallet/transfer-id.ts): readable where it fits and can be taken
-- apart again, else hashed.
create or replace function ledger_id_of(variadic parts text[]) returns text language sql immutable as $$
  select case when length(array_to_string(parts, ':')) <= 64 and array_to_string(parts, ':') ~ '^[A-Za-z0-9_.:-]+$'
      and (parts[1] = 'game' or array_to_string(parts[2:], '') !~ ':')
    then array_to_string(parts, ':')
    else parts[1] || '.' || rtrim(translate(encode(sha256(convert_to(
      (select string_agg(length(part) || ':' || part, '' order by at) from unnest(parts) with ordinality as p (part, at)), 'UTF8')), 'base64'), '+/', '-_'), '=') end
$$;
