-- Who acts in this transaction, as the program says (set_config('longarm.actor', …, true)); else what `otherwise` says. Rows keep the bare name of who
-- changed them, and triggers write `staff:` before it: a system user who acts without a sign-in (`root:…`) is no member of staff.
create or replace function audit.actor_now(otherwise text) returns text language sql stable as
  $$ select left(regexp_replace(coalesce(nullif(current_setting('longarm.actor', true), ''), otherwise), '^staff:root:', 'root:'), 200) $$;
