-- The date at the venue, from midnight to midnight: ages and documents go by it, whatever the business day is.
create function venue_day(at timestamptz) returns date language sql stable as
  $$ select (at at time zone time_zone)::date from business_day_rule $$;
