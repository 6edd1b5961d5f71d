-- The age group of a birth date, by the date at the venue.
create or replace function identity_age_group(birth date) returns text language sql stable as $$
  select case when birth is null then 'unknown' when birth > today - interval '18 years' then 'below 18'
    when birth > today - interval '21 years' then '18 to 20' when birth > today - interval '25 years' then '21 to 24' else '25 and more' end
  from (select venue_day(clock_timestamp()) as today) d
$$;
