-- What a provider of payments and the platform have said about a payment (record 0236). The payment itself and its states stay in `payment`.
create table provider_payment (
  payment_id text primary key references payment,
  -- ISO 4217: what was said first, and is repeated.
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- What the provider is to do; `watch`: it is asked how far the payment is; null: nothing is said any more.
  wants text check (wants in ('deposit', 'capture', 'withdraw', 'reverse', 'watch')),
  -- A call may have gone out that has no answer: the provider is asked before anything else is said.
  unsure boolean not null default false,
  -- What it becomes once the provider has given it back, and why; null: what the provider says.
  end_as text check (end_as in ('refused', 'cancelled', 'expired')),
  end_reason text check (length(end_reason) between 1 and 200),
  -- Where the player goes, and comes back to.
  url text check (length(url) between 1 and 2000),
  return_url text not null check (length(return_url) between 1 and 2000),
  tries integer not null default 0,
  next_at timestamptz not null default clock_timestamp(),
  -- Since when there is no answer; null: the last call has one.
  silent_at timestamptz,
  last_answer text check (length(last_answer) <= 200),
  -- What a person has to look at: another amount or currency, something that cannot follow, money that went back after it was booked.
  trouble text check (trouble in ('differs', 'contradicts', 'wentBack')),
  trouble_at timestamptz,
  -- Who looked at it, and when; null: no person did.
  looked_by text check (length(looked_by) between 1 and 100),
  looked_at timestamptz,
  check ((trouble is null) = (trouble_at is null)),
  check ((looked_by is null) = (looked_at is null) and (looked_at is null or trouble is not null))
);
create index provider_payment_due on provider_payment (next_at) where wants is not null;
create index provider_payment_silent on provider_payment (silent_at) where silent_at is not null;
create index provider_payment_trouble on provider_payment (trouble_at) where trouble is not null and looked_at is null;

-- A person's look, and what needs one, are in the audit log.
create function provider_payment_tells() returns trigger language plpgsql as $$
declare
  about payment;
begin
  select * into about from payment where id = new.payment_id;
  perform audit.note('money.payment', coalesce(case when new.looked_at is distinct from old.looked_at then new.looked_by end, 'provider:' || about.way),
    'player:' || about.player_id, null, null, null,
    jsonb_strip_nulls(jsonb_build_object('payment', new.payment_id, 'way', about.way, 'amount', about.amount, 'trouble', new.trouble,
      'answer', new.last_answer, 'looked', new.looked_at is not null)));
  return null;
end $$;
create trigger provider_payment_tells after update on provider_payment for each row
  when (old.trouble is distinct from new.trouble or old.looked_at is distinct from new.looked_at) execute function provider_payment_tells();
create trigger provider_payment_is_not_deleted before delete on provider_payment for each row execute function payment_stays();
create trigger provider_payment_is_kept before truncate on provider_payment for each statement execute function payment_stays();
