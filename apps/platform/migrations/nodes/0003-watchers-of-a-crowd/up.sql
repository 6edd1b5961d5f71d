-- True: this watcher's video comes from a media server, and takes none of the agent's places.
alter table watcher add column crowd boolean not null default false;
