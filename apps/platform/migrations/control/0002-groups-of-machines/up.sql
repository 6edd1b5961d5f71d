create table machine_group (
  machine_id text primary key references machine,
  name text not null check (length(name) between 1 and 100)
);
create index machine_group_of on machine_group (name);
