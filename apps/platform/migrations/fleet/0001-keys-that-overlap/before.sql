insert into agent (id, name, key_sha256) values ('ag_overlap', 'of overlap', 'hash-of-overlap');
insert into agent (id, name, key_sha256, revoked_at) values ('ag_gone', 'of nobody', 'hash-of-nobody', '2026-01-02Z');
