-- Two additions of a day are one row: added up bucket by bucket, with the higher of both numbers of watchers.
do $$
declare
  none bigint[] := array_fill(0::bigint, array[18]);
  first bigint[] := none;
  sums text;
begin
  first[1] := 2;
  first[18] := 1;
  perform add_viewing('m1', 60000, 3, first);
  first[18] := 4;
  perform add_viewing('m1', 500, 2, first);
  select concat_ws(' ', count(*), sum(watched_ms), max(watchers_most), max(delays[1]), max(delays[2]), max(delays[18])) into sums from report_viewing;
  assert sums = '1 60500 3 4 0 5', sums;
end $$;
