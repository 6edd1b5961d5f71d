import { DIRECTORY_PATH } from "@longarm/contract/staff-sign-in";
import { runTransaction } from "@longarm/database/run-transaction";
import { sql } from "kysely";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import type { Issuer, IssuersPerson } from "../../../openid.ts";
import { IssuerFailed } from "../../../openid.ts";
import { openAudit } from "../../records/audit/index.ts";
import type { DirectoryPurpose, StaffDb, StaffTransaction } from "../accounts/index.ts";
import { findPerson, newSecret, sha256 } from "../accounts/index.ts";
import { Refused } from "./refusal.ts";
import type { SignInDeps, Whence } from "./sign-in.ts";
import { createChecks, invited, spendInvitation } from "./sign-in.ts";
import type { StaffCaller } from "./sign-ins.ts";
import { actorOf, endSignIns } from "./sign-ins.ts";

/** A person has so long to sign in at the directory, ms. */
const ATTEMPT_MS = 600_000;

type Attempt = {
  readonly purpose: DirectoryPurpose;
  readonly invitation_sha256: string | null;
  readonly sign_in_id: string | null;
  readonly ageS: number;
};
/** What the browser brings back: its cookie, and what the directory put behind the `?`. */
type Answered = { readonly secret: string | undefined; readonly answer: string };

/**
 * Signing in with the operator's directory. No person is found by a name or an address: an invitation links a member of staff with issuer and subject,
 * and from then on these two sign in, whatever else the directory says.
 */
export function createDirectorySignIn(deps: SignInDeps, directory: Issuer) {
  const { db } = deps;
  const begin = createBegin(deps, directory);
  const answered = createAnswered(deps, directory);
  const { unlock } = createChecks(deps);
  const { signInLinked, acceptInvitation } = createEntries(deps);
  return {
    label: directory.label,
    begin: () => begin("signIn"),
    async beginInvited(token: string) {
      await invited(db, sha256(token));
      return await begin("invitation", { invitation_sha256: sha256(token) });
    },
    beginUnlock: ({ signIn }: StaffCaller) => begin("unlock", { sign_in_id: signIn.id }),

    /** Signs in who came back; answers the secret of the new sign-in's cookie. @throws Refused. */
    finish: (given: Answered, whence: Whence): Promise<string> =>
      counted(deps, whence, async (is) => {
        const { attempt, person } = await answered(given, ["signIn", "invitation"]);
        is(subjectOf(person));
        const { invitation_sha256: hash } = attempt;
        return await (hash === null ? signInLinked(person, whence) : acceptInvitation(hash, person, whence));
      }),

    /** Takes the lock away for the person who is signed in, and for no other one of the directory. @throws Refused. */
    finishUnlock: (caller: StaffCaller, given: Answered, whence: Whence): Promise<void> =>
      counted(deps, whence, async (is) => {
        is(`staff:${caller.staffId}`);
        const { attempt, person } = await answered(given, ["unlock"]);
        if (attempt.sign_in_id !== caller.signIn.id) throw new Refused("ceremony.invalid");
        if ((await linkedWith(db, person)) !== caller.staffId) throw new Refused("directory.notLinked");
        await unlock(caller);
      }),
  };
}
export type DirectorySignIn = ReturnType<typeof createDirectorySignIn>;

const redirectUriOf = ({ rp }: Pick<SignInDeps, "rp">): string => rp().origins[0] + DIRECTORY_PATH;

/** Sends a browser to the directory. `secret` goes into its cookie and is kept nowhere. @throws Refused. */
function createBegin(deps: SignInDeps, directory: Issuer) {
  const { db, random } = deps;
  return async (
    purpose: DirectoryPurpose,
    about: { readonly invitation_sha256?: string; readonly sign_in_id?: string } = {},
  ): Promise<{ secret: string; href: string }> => {
    const secret = newSecret(random);
    // Anew: desks are shared, and the next person at this computer is not the one before.
    const href = await refusing(directory.addressFor({ secret, redirectUri: redirectUriOf(deps), anew: true }));
    await db.deleteFrom("staff_directory_attempt").where("expires_at", "<", databaseNow()).execute();
    await db
      .insertInto("staff_directory_attempt")
      .values({
        browser_sha256: sha256(secret),
        purpose,
        invitation_sha256: null,
        sign_in_id: null,
        ...about,
        expires_at: databaseIn(ATTEMPT_MS),
      })
      .execute();
    return { secret, href };
  };
}

/** Who is back from the directory, and for what. Whatever comes of it, the attempt is over. @throws Refused. */
function createAnswered(deps: SignInDeps, directory: Issuer) {
  return async ({ secret, answer }: Answered, purposes: readonly DirectoryPurpose[]) => {
    const attempt = secret === undefined ? undefined : await takeAttempt(deps.db, secret);
    if (secret === undefined || attempt === undefined || !purposes.includes(attempt.purpose))
      throw new Refused("ceremony.invalid", {}, "no attempt of this browser waits for an answer of the directory");
    const returned = { secret, redirectUri: redirectUriOf(deps), answer, anewS: attempt.ageS };
    return { attempt, person: await refusing(directory.personOf(returned)) };
  };
}

/** @throws Refused `directory.away`, or `directory.refused` with the reason for the log. */
async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof IssuerFailed ? new Refused(`directory.${error.is}`, {}, error.message) : error;
  }
}

/** Counts what was refused in the audit log; `is` says who it was, once that is known. */
async function counted<T>(
  { bursts }: SignInDeps,
  { address }: Whence,
  work: (is: (subject: string) => void) => Promise<T>,
): Promise<T> {
  let subject = "directory";
  try {
    return await work((known) => {
      subject = known;
    });
  } catch (error) {
    if (error instanceof Refused) await bursts.note({ problem: "auth.wrong_counted", subject, address });
    throw error;
  }
}

/** What a person of the directory opens: a sign-in of who is linked, or of who is invited and then is. */
function createEntries(deps: SignInDeps) {
  const { db, node } = deps;
  const { open } = createChecks(deps);
  return {
    async signInLinked(person: IssuersPerson, whence: Whence): Promise<string> {
      const staffId = await linkedWith(db, person);
      const member = staffId === undefined ? undefined : await findPerson(db, staffId);
      if (member === undefined || member.ended_at !== null) throw new Refused("directory.notLinked");
      return await runTransaction(db, async (trx) => {
        await openAudit(trx, node).actAs(actorOf(member));
        if (!(await renewLink(trx, member.id, person))) throw new Refused("directory.notLinked");
        return await open(trx, member, "directory", whence);
      });
    },

    acceptInvitation: (hash: string, person: IssuersPerson, whence: Whence): Promise<string> =>
      runTransaction(db, async (trx) => {
        const accepted = await spendInvitation(open, trx, { hash, whence });
        await link(trx, accepted.person.id, person);
        return accepted.secret;
      }),
  };
}

/** Takes the attempt of a browser's secret: two answers at once get it once. */
async function takeAttempt(db: StaffDb, secret: string): Promise<Attempt | undefined> {
  return await db
    .deleteFrom("staff_directory_attempt")
    .where("browser_sha256", "=", sha256(secret))
    .where("expires_at", ">", databaseNow())
    .returning(["purpose", "invitation_sha256", "sign_in_id"])
    .returning(sql<number>`ceil(extract(epoch from clock_timestamp() - began_at))::int`.as("ageS"))
    .executeTakeFirst();
}

/** How the audit log names a person of the directory whom it does not know. */
const subjectOf = ({ issuer, subject }: IssuersPerson): string =>
  `directory:${sha256(`${issuer} ${subject}`).slice(0, 24)}`;

async function linkedWith(db: StaffDb, { issuer, subject }: IssuersPerson): Promise<string | undefined> {
  const row = await db
    .selectFrom("staff_directory_link")
    .select("staff_id")
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst();
  return row?.staff_id;
}

/** Keeps how the directory names the person now; false: the link was taken away meanwhile. */
async function renewLink(trx: StaffTransaction, staffId: string, person: IssuersPerson): Promise<boolean> {
  const used = await trx
    .updateTable("staff_directory_link")
    .set({ name: person.name })
    .where("staff_id", "=", staffId)
    .where("issuer", "=", person.issuer)
    .where("subject", "=", person.subject)
    .executeTakeFirstOrThrow();
  return used.numUpdatedRows > 0n;
}

/** @throws Refused: another member of staff is linked with this person. */
async function link(trx: StaffTransaction, staffId: string, person: IssuersPerson): Promise<void> {
  const { issuer, subject, name } = person;
  const linked = await trx
    .insertInto("staff_directory_link")
    .values({ staff_id: staffId, issuer, subject, name })
    .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doNothing())
    .executeTakeFirst();
  if (linked.numInsertedOrUpdatedRows !== 1n) throw new Refused("directory.taken");
}

/** Who a member of staff is in the directory. */
export async function directoryLinkOf(db: StaffDb, staffId: string) {
  return await db
    .selectFrom("staff_directory_link")
    .select(["name", "linked_at"])
    .where("staff_id", "=", staffId)
    .executeTakeFirst();
}

/** The directory signs this member of staff in no more, and what it signed in ends: the first sign-in, of an invitation, too. @throws Refused. */
export async function unlinkDirectory(trx: StaffTransaction, staffId: string): Promise<void> {
  const removed = await trx.deleteFrom("staff_directory_link").where("staff_id", "=", staffId).executeTakeFirst();
  if (removed.numDeletedRows === 0n) throw new Refused("thing.unknown", { kind: "link" });
  await endSignIns(trx, { staffId, how: ["directory", "invitation"] }, "ended");
}
