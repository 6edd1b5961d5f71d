-- A period of the ledger without reading all of it. Rows are only added, so their times stand in the order of the pages.
create index transfers_created on ledger.transfers using brin (created_at) with (pages_per_range = 16, autosummarize = on);
