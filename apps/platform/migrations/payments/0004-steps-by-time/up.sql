-- The states of a period without reading all of them. Rows are only added, so their times follow the order of the pages.
create index payment_step_at on payment_step using brin (at) with (pages_per_range = 16, autosummarize = on);
