-- The agent is there and its machine does not answer it: nothing can be asked of the machine, and its meters stand still.
alter table machine add column offline boolean not null default false;
