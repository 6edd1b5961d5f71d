-- What staff tells players in the quick panel. A removed one stays, so that what was once shown can be looked up.
create table quick_panel_entry (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('event', 'note')),
  title text not null check (length(title) between 1 and 100),
  detail text not null check (length(detail) <= 500),
  added_by text not null check (length(added_by) between 1 and 100),
  added_at timestamptz not null default clock_timestamp(),
  removed_at timestamptz
);
create index quick_panel_entry_shown on quick_panel_entry (kind, id desc) where removed_at is null;

create function quick_panel_entry_tells() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform audit.note('quickPanel.added', 'staff:' || new.added_by, 'quickPanel:' || new.id, null, null,
      jsonb_build_object('kind', new.kind, 'title', new.title, 'detail', new.detail), null);
  elsif old.removed_at is null and new.removed_at is not null then
    perform audit.note('quickPanel.removed', 'platform', 'quickPanel:' || new.id, null,
      jsonb_build_object('kind', new.kind, 'title', new.title, 'detail', new.detail), null, null);
  end if;
  return null;
end $$;
create trigger quick_panel_entry_tells after insert or update on quick_panel_entry
  for each row execute function quick_panel_entry_tells();
