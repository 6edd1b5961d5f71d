alter table queue_place
  -- What it was for before it was moved to all machines of the brand; null: it was not.
  add column chosen text[] check (cardinality(chosen) between 1 and 20),
  -- Its last call passed for a connection that was too weak: the next one does not, for nothing.
  add column link_passed boolean not null default false;
