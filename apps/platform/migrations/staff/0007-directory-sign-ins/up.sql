alter table staff_sign_in drop constraint staff_sign_in_how_check,
  add constraint staff_sign_in_how_check check (how in ('passkey', 'password', 'recoveryCode', 'invitation', 'device', 'directory'));

-- Who a member of staff is in the operator's directory. Only issuer and subject are compared: a directory never gives them to another person.
create table staff_directory_link (
  staff_id text primary key references staff,
  issuer text not null check (length(issuer) between 1 and 500),
  subject text not null check (length(subject) between 1 and 255),
  -- As the directory named the person at the last sign-in: for people to read.
  name text not null check (length(name) between 1 and 100),
  linked_at timestamptz not null default clock_timestamp(),
  unique (issuer, subject)
);

-- A browser that was sent to the directory and is not back yet: good for one answer.
create table staff_directory_attempt (
  -- Of the secret that only this browser has; state, nonce and PKCE verifier are made of it and kept nowhere.
  browser_sha256 text primary key,
  purpose text not null check (purpose in ('signIn', 'invitation', 'unlock')),
  -- The one-time link, of an invitation.
  invitation_sha256 text,
  -- The sign-in that is locked, of an unlock.
  sign_in_id text references staff_sign_in,
  began_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  check ((purpose = 'invitation') = (invitation_sha256 is not null)),
  check ((purpose = 'unlock') = (sign_in_id is not null))
);

create trigger staff_directory_link_audit after insert or update or delete on staff_directory_link
  for each row execute function audit.staff_tells('staff.directory', 'staff:', 'staff_id');
