import type { PasskeyAssertion, PasskeyRegistration } from "@longarm/contract/passkeys";
import { runTransaction } from "@longarm/database/run-transaction";
import type { Clock } from "../../../clock.ts";
import { databaseNow } from "../../../database-time.ts";
import type { Random } from "../../../random.ts";
import { newRecoveryCodes, recoveryHash } from "../../../recovery-codes.ts";
import { newTotpSecret, totpShown, totpStep } from "../../../totp.ts";
import type { RelyingParty } from "../../../webauthn.ts";
import type { Keys, Passwords } from "../../players/accounts/index.ts";
import { newPasswordProblem, openText, sealText } from "../../players/accounts/index.ts";
import type { Bursts, Lockout } from "../../players/auth/index.ts";
import { openAudit } from "../../records/audit/index.ts";
import type { Person, SignInHow, StaffDb, StaffTransaction } from "../accounts/index.ts";
import { findPerson, findPersonByName, rightsOf, sha256 } from "../accounts/index.ts";
import { askNewPasskey, askPasskey, beginCeremony, checkPasskey, keepPasskey, takeCeremony } from "./passkeys.ts";
import { Refused } from "./refusal.ts";
import type { StaffCaller } from "./sign-ins.ts";
import { actorOf, openSignIn, unlockSignIn } from "./sign-ins.ts";

/** Whence somebody signs in, for the list of sign-ins and the audit log. */
export type Whence = { readonly address: string; readonly device: string };

export type SignInDeps = {
  readonly db: StaffDb;
  readonly node: string;
  readonly random: Random;
  readonly clock: Clock;
  readonly passwords: Passwords;
  /** Encrypt the secrets of authenticator apps. */
  readonly keys: Keys;
  readonly lockout: Lockout;
  readonly bursts: Bursts;
  readonly rp: () => RelyingParty;
  readonly hours: number;
};

type Assertion = { readonly ceremony: string; readonly response: PasskeyAssertion };
type SecondFactor = { readonly code: string } | { readonly recoveryCode: string };

/** What every way in shares. */
export function createChecks(deps: SignInDeps) {
  const { db, random, lockout, bursts, passwords } = deps;

  async function refuse(subject: string, { address }: Whence): Promise<never> {
    await bursts.note({ problem: "auth.wrong_counted", subject, address });
    throw new Refused("signIn.wrong");
  }

  async function open(
    trx: StaffTransaction,
    person: Person,
    how: SignInHow,
    { address, device }: Whence,
  ): Promise<string> {
    await openAudit(trx, deps.node).actAs(actorOf(person));
    const secret = await openSignIn(trx, random, { staffId: person.id, how, address, device, hours: deps.hours });
    if (secret === undefined) throw new Refused("signIn.wrong");
    return secret;
  }

  /** Password and second factor of a person; `who` is undefined for a name without an account, which costs the same. */
  async function isRight(person: Person | undefined, password: string, factor: SecondFactor): Promise<boolean> {
    const usable = person?.ended_at === null ? person : undefined;
    const matches = await passwords.check(password, usable?.password ?? undefined);
    if (!matches || usable === undefined) return false;
    return "code" in factor
      ? await spendTotp(deps, usable, factor.code)
      : await spendRecoveryCode(db, usable.id, factor.recoveryCode);
  }

  /** Counts before it looks, so that many at once cannot pass the limit. */
  async function counted(username: string, password: string, factor: SecondFactor, whence: Whence): Promise<Person> {
    const attempt = await lockout.countSignIn(username, whence.address);
    const person = await findPersonByName(db, username);
    const subject = person === undefined ? `name:${sha256(username).slice(0, 24)}` : `staff:${person.id}`;
    if (attempt.is === "blocked") {
      await bursts.note({ problem: "auth.protected", subject, address: whence.address });
      throw new Refused("signIn.blocked", { minutes: attempt.minutesLeft });
    }
    if (!(await isRight(person, password, factor)) || person === undefined) return await refuse(subject, whence);
    await lockout.forget(username, whence.address);
    return person;
  }

  async function admitted<T>(work: () => Promise<T>): Promise<T> {
    const answer = await passwords.admit(work);
    if (answer === "busy") throw new Refused("request.tooMany", { seconds: 5 });
    return answer;
  }

  async function unlock(caller: StaffCaller): Promise<void> {
    await runTransaction(db, async (trx) => {
      await openAudit(trx, deps.node).actAs(actorOf(caller));
      await unlockSignIn(trx, caller.signIn.id);
    });
  }

  return { refuse, open, counted, admitted, unlock };
}

/** Signing in, by each way. Each answers the secret of the new sign-in's cookie, or throws `Refused`, with one problem for every cause. */
export function createSignIn(deps: SignInDeps) {
  const { db, random } = deps;
  const { refuse, open, counted, admitted, unlock } = createChecks(deps);
  return {
    askPasskey: () => askPasskey(db, { random, rp: deps.rp() }, { purpose: "signIn" }),

    async byPasskey({ ceremony, response }: Assertion, whence: Whence): Promise<string> {
      const ceremonyRow = await takeCeremony(db, { id: ceremony, purpose: "signIn" });
      const found = ceremonyRow?.challenge && (await checkPasskey(db, deps.rp(), ceremonyRow.challenge, response));
      const person = found ? await findPerson(db, found.staffId) : undefined;
      if (person === undefined || person.ended_at !== null)
        return await refuse(`passkey:${sha256(response.id).slice(0, 24)}`, whence);
      return await runTransaction(db, (trx) => open(trx, person, "passkey", whence));
    },

    byPassword: (username: string, password: string, factor: SecondFactor, whence: Whence): Promise<string> =>
      admitted(async () => {
        const person = await counted(username, password, factor, whence);
        return await runTransaction(db, (trx) =>
          open(trx, person, "code" in factor ? "password" : "recoveryCode", whence),
        );
      }),

    askUnlock: ({ staffId, signIn }: StaffCaller) =>
      askPasskey(db, { random, rp: deps.rp() }, { purpose: "unlock", staffId, signInId: signIn.id }),

    async unlockByPasskey(caller: StaffCaller, { ceremony, response }: Assertion, whence: Whence): Promise<void> {
      const { staffId, signIn } = caller;
      const ceremonyRow = await takeCeremony(db, { id: ceremony, purpose: "unlock", signInId: signIn.id });
      const found =
        ceremonyRow?.challenge && (await checkPasskey(db, deps.rp(), ceremonyRow.challenge, response, staffId));
      if (!found) return await refuse(`staff:${staffId}`, whence);
      await unlock(caller);
    },

    unlockByPassword: (caller: StaffCaller, password: string, code: string, whence: Whence): Promise<void> =>
      admitted(async () => {
        await counted(caller.username, password, { code }, whence);
        await unlock(caller);
      }),

    ...passkeyInvitations(deps, open),
    ...passwordInvitations(deps, open),
  };
}

export type StaffSignIn = ReturnType<typeof createSignIn>;

type Open = (trx: StaffTransaction, person: Person, how: SignInHow, whence: Whence) => Promise<string>;

/** Whom a link invites, by the hash of its token. @throws Refused. */
export async function invited(from: StaffDb, hash: string) {
  const row = await from
    .selectFrom("staff_invitation as i")
    .innerJoin("staff as s", "s.id", "i.staff_id")
    .selectAll("s")
    .select("i.expires_at")
    .where("i.token_sha256", "=", hash)
    .where("i.expires_at", ">", databaseNow())
    .where("s.ended_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) throw new Refused("invitation.invalid");
  return row;
}

/** Uses the link up and signs in; two at once: one of them. @throws Refused. */
export async function spendInvitation(
  open: Open,
  trx: StaffTransaction,
  { hash, whence }: { readonly hash: string; readonly whence: Whence },
) {
  const person = await invited(trx, hash);
  const used = await trx.deleteFrom("staff_invitation").where("token_sha256", "=", hash).executeTakeFirst();
  if (used.numDeletedRows === 0n) throw new Refused("invitation.invalid");
  return { person, secret: await open(trx, person, "invitation", whence) };
}

type Accepted = { readonly token: string; readonly whence: Whence };

/** The same, with recovery codes. */
async function accept(open: Open, random: Random, trx: StaffTransaction, { token, whence }: Accepted) {
  const { person, secret } = await spendInvitation(open, trx, { hash: sha256(token), whence });
  return { secret, recoveryCodes: await renewRecoveryCodes(trx, random, person.id) };
}

/** The first way in: a one-time link, with which a person makes a passkey. */
function passkeyInvitations(deps: SignInDeps, open: Open) {
  const { db, random } = deps;
  return {
    async invitation(token: string) {
      const person = await invited(db, sha256(token));
      return { person, roles: (await rightsOf(db, person.id)).roles, expiresAt: person.expires_at };
    },

    askInvitedPasskey: async (token: string) =>
      await askNewPasskey(db, { random, rp: deps.rp() }, await invited(db, sha256(token)), {
        purpose: "invitePasskey",
      }),

    async acceptWithPasskey(
      given: { token: string; ceremony: string; label: string; response: PasskeyRegistration },
      whence: Whence,
    ) {
      const { id: staffId } = await invited(db, sha256(given.token));
      const ceremonyRow = await takeCeremony(db, { id: given.ceremony, purpose: "invitePasskey", staffId });
      const { challenge } = ceremonyRow ?? {};
      if (!challenge) throw new Refused("ceremony.invalid");
      return await runTransaction(db, async (trx) => {
        const accepted = await accept(open, random, trx, { token: given.token, whence });
        const kept = await keepPasskey(
          trx,
          { random, rp: deps.rp() },
          { staffId, challenge, label: given.label, answer: given.response },
        );
        if ("problem" in kept) throw new Refused(kept.problem);
        return accepted;
      });
    },
  };
}

/** The same with a password and an authenticator app. */
function passwordInvitations(deps: SignInDeps, open: Open) {
  const { db, random, keys, passwords } = deps;
  return {
    async askInvitedPassword(token: string, password: string) {
      const person = await invited(db, sha256(token));
      const problem = await newPasswordProblem(password, person.username, person.name);
      if (problem !== null) throw new Refused("password.weak");
      const hashed = await passwords.admit(() => passwords.hash(password));
      if (hashed === "busy") throw new Refused("request.tooMany", { seconds: 5 });
      const secret = newTotpSecret(random);
      const begun = await beginCeremony(db, random, {
        purpose: "inviteTotp",
        staff_id: person.id,
        password: hashed,
        totp: await sealText(keys, random, person.id, secret.toString("base64")),
      });
      return { ...begun, ...totpShown(secret, { issuer: "Longarm", username: person.username }) };
    },

    async acceptWithPassword(given: { token: string; ceremony: string; code: string }, whence: Whence) {
      const { id: staffId } = await invited(db, sha256(given.token));
      const ceremonyRow = await takeCeremony(db, { id: given.ceremony, purpose: "inviteTotp", staffId });
      if (!ceremonyRow?.totp) throw new Refused("ceremony.invalid");
      const secret = Buffer.from(await openText(keys, staffId, ceremonyRow.totp), "base64");
      const step = totpStep(secret, given.code, deps.clock.now(), 0);
      if (step === undefined) throw new Refused("signIn.wrong");
      return await runTransaction(db, async (trx) => {
        const accepted = await accept(open, random, trx, { token: given.token, whence });
        await trx
          .updateTable("staff")
          .set({ password: ceremonyRow.password, totp: ceremonyRow.totp, totp_step: step })
          .where("id", "=", staffId)
          .execute();
        return accepted;
      });
    },
  };
}

/** New codes in place of all that were there; they are shown once. */
export async function renewRecoveryCodes(trx: StaffTransaction, random: Random, staffId: string): Promise<string[]> {
  const codes = newRecoveryCodes(random);
  await trx.deleteFrom("staff_recovery_code").where("staff_id", "=", staffId).execute();
  await trx
    .insertInto("staff_recovery_code")
    .values(codes.map((code) => ({ staff_id: staffId, code_sha256: recoveryHash(code), used_at: null })))
    .execute();
  return codes;
}

/** Whether these are the figures of now, used for the first time; they are used up. */
async function spendTotp({ db, keys, clock }: SignInDeps, person: Person, code: string): Promise<boolean> {
  if (person.totp === null) return false;
  const secret = Buffer.from(await openText(keys, person.id, person.totp), "base64");
  const step = totpStep(secret, code, clock.now(), person.totp_step);
  if (step === undefined) return false;
  const used = await db
    .updateTable("staff")
    .set({ totp_step: step })
    .where("id", "=", person.id)
    .where("totp_step", "<", step)
    .executeTakeFirstOrThrow();
  return used.numUpdatedRows > 0n;
}

async function spendRecoveryCode(db: StaffDb, staffId: string, code: string): Promise<boolean> {
  const used = await db
    .updateTable("staff_recovery_code")
    .set({ used_at: databaseNow() })
    .where("staff_id", "=", staffId)
    .where("code_sha256", "=", recoveryHash(code))
    .where("used_at", "is", null)
    .executeTakeFirstOrThrow();
  return used.numUpdatedRows > 0n;
}
