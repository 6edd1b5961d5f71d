import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";

/** Before a system user's name, where no person is signed in (`--as-root`): no staff username has a colon. */
export const ROOT = "root:";

/** The actor of an audit entry or a transfer: a member of staff by username, or a system user who acts without a sign-in. */
export const staffActor = (by: string): string => (by.startsWith(ROOT) ? by : `staff:${by}`);

/**
 * Everything that is written to the audit log, with what it is for people. The first nine are the specification's log types, named by
 * the keys of its label table (R-8-25); the others cover GLI-19 v3.0 section 2.8.8 and B.3.2. Those marked "by its row" are written by
 * triggers (`migrations/audit`): the code that changes the row writes nothing.
 */
export const AUDIT_TYPES = {
  loginFail: "A sign-in was refused: the name and the password do not belong together",
  notAllowed: "A sign-in was refused: its address or its player is kept out",
  success: "A player signed in (by its row)",
  checkFail: "The gate kept a visitor out",
  checkSuccess: "The gate let a visitor in",
  logoutSuccess: "A player signed out (by its row)",
  changedPassword: "A password was changed (by its row)",
  temporaryBlocked: "Too many wrong sign-ins: a name is blocked for a while",
  kickedByPlayer: "A player closed the other device of their own play session",

  "signIn.ended": "A sign-in was ended by the house (by its row)",
  "signIn.locked": "The idle lock was set (by its row)",
  "signIn.unlocked": "The idle lock was taken away (by its row)",
  "signIn.wrongPin": "A wrong PIN at the idle lock",
  "signIn.wrongPassword": "A change of password was refused: the old one is wrong",
  "signIn.mismatch": "A token was shown that is not good for what it was shown for",
  "player.added": "A player was added (by its row)",
  "player.changed": "A player's account was changed (by its row)",
  "player.removed": "A player was removed (by its row)",
  "player.banned": "A player was banned (by its row)",
  "player.unbanned": "A ban was lifted (by its row)",
  "player.passkey": "A passkey of a player was added, renamed or removed (by its row)",
  "player.app": "The authenticator app of a player was added, replaced or removed (by its row)",
  "player.recoveryCode": "A recovery code of a player was used (by its row)",
  "player.recoveryCodes": "New recovery codes of a player took the place of the old ones",
  "player.wrongPasskey": "A passkey did not confirm an act of a player",
  "player.wrongCode": "A code of an app did not confirm an act of a player",
  "player.register": "A national register answered otherwise than before about a player (by its row)",
  "player.identity": "A player's identity was verified, refused or is being looked at (by its row)",
  "player.identityRecord": "Personal data of an identity were kept: the age group (by its row)",
  "player.identityErased": "Personal data of an identity were erased (by its row)",
  "player.personFound": "Two accounts carry the same number or document: they are one person's (by its row)",
  "player.personParted": "A mark that two accounts shared was removed (by its row)",
  "player.care": "A case of a player who may need care was opened, extended, worked on or closed (by its row)",
  "player.dispute": "A question of a player about a game was opened, worked on, read or decided (by its row)",
  "player.break": "A player began a break from play, or one followed long play (by its row)",
  "player.reopening": "A player wants to play again after an exclusion (by its row)",
  "market.chosen": "A market was chosen for the venue, a player or a machine (by its row)",
  "player.limit": "A limit or an exclusion of a player was set (by its row)",
  "player.limitAnswered": "A looser limit that waited was confirmed, declined, taken back or replaced (by its row)",

  "money.adjusted": "Money moved outside of play (by its row)",
  "money.remote": "Money between the operator's own wallet and ours came into a state (by its row)",
  "money.payment": "Money that a player adds or withdraws came into a state (by its row)",
  "money.corrected": "A transfer was corrected (by its row)",
  "money.unknown": "The outcome of a transfer with a machine is not known (by its row)",
  "money.decided": "A transfer that was unknown is decided (by its row)",
  "money.discrepancy": "Machine and ledger differ (by its row)",
  "money.largeWin": "A win of LARGE_WIN or more",
  "money.largeWager": "A stake of LARGE_WAGER or more",
  "handPay.pending": "A machine owes a hand pay (by its row)",
  "handPay.confirmed": "Staff paid a hand pay (by its row)",

  "staff.asked": "Staff asked the platform for something (by its row)",
  "staff.answered": "The platform has answered staff (by its row)",
  "campaign.changed": "A campaign was written, changed, started, paused, resumed or ended (by its row)",
  "campaign.granted": "The platform granted a player the bonus of a campaign (by its row)",
  "staff.granted": "Staff gave a player a bonus to claim (by its row)",
  "staff.did": "Staff did something beside the platform, in the database",

  "staff.act": "A member of staff did something that has an id (by its row)",
  "staff.account": "An account of staff was added, changed or ended (by its row)",
  "staff.role": "What a role may do was changed (by its row)",
  "staff.rights": "A member of staff was given a role or lost one (by its row)",
  "staff.passkey": "A passkey of staff was added or removed (by its row)",
  "staff.invitation": "A one-time link for a member of staff was made, used or taken back (by its row)",
  "staff.directory": "A member of staff was linked with a person of the directory, or no longer (by its row)",
  "staff.recoveryCode": "A recovery code of staff was used (by its row)",
  "staff.approval": "A second person was needed: requested, signed, refused or withdrawn (by its row)",
  "staff.shift": "A cashier opened or closed a shift (by its row)",
  "staff.receipt": "A receipt of a deposit or withdrawal was written (by its row)",
  "staff.slip": "A slip of a hand pay was written or voided (by its row)",
  "staff.stop": "An emergency stop was set, explained or released (by its row)",
  "staff.task": "A task was opened, taken, given back, escalated or closed (by its row)",
  "staff.taskTimes": "When tasks of a kind should be done by was changed (by its row)",
  "staff.pushDevice": "A device of staff was added for pushes, or removed (by its row)",
  "staff.signedIn": "A member of staff signed in (by its row)",
  "staff.signInEnded": "A sign-in of staff ended (by its row)",
  "staff.display": "A wall display was admitted, changed or ended (by its row)",
  "staff.actedAsRoot": "A system user ran a command without a sign-in",
  "staff.deviceRequested": "A command line requested a sign-in",
  "staff.deviceCodeWrong": "A member of staff typed a code that no command line shows",
  "staff.displayOpened": "A wall display was opened with its token",
  "staff.watched": "A member of staff began to watch a machine's live video",
  "staff.locked": "The screen of a member of staff was locked (by its row)",
  "staff.unlocked": "The screen of a member of staff was unlocked (by its row)",

  "quickPanel.added": "Staff wrote an event or a note for the quick panel (by its row)",
  "quickPanel.removed": "Staff took an event or a note out of the quick panel (by its row)",

  "call.opened": "A player called an attendant (by its row)",
  "call.answered": "Staff answered a player's call for an attendant (by its row)",
  "call.closed": "Staff closed a player's call for an attendant (by its row)",

  "queue.moved": "Staff moved a player's place in the queue of a machine, or ended it",

  "recording.anchored": "The agent reported how far the record of a play session has come",
  "recording.read": "Staff watched the recording of a game",

  "integration.changed": "A system of the operator was admitted or removed (by its row)",
  "integration.key": "A key of a system of the operator was made, or its end was set (by its row)",
  "integration.linked": "A player was linked with a system of the operator (by its row)",
  "integration.called": "A system of the operator made a call",
  "integration.refused": "A call to the port of the operator's systems was refused",
  "watchKey.changed": "A key to watch machines from outside was made, or its end was set (by its row)",
  "watch.began": "Somebody with a key to watch machines from outside began to watch one",

  "agent.enrolled": "An agent was enrolled (by its row)",
  "agent.changed": "An agent was changed, such as its key (by its row)",
  "agent.revoked": "An agent was revoked (by its row)",
  "agent.keyMade": "A key of an agent was made (by its row)",
  "agent.keyEnds": "The end of an agent's key was set (by its row)",
  "agent.removed": "An agent was removed (by its row)",
  "agent.linked": "An agent's link began",
  "agent.away": "An agent's link ended",
  "agent.refused": "Somebody asked for an agent's link and was refused",
  "machine.added": "A machine was seen for the first time (by its row)",
  "machine.changed": "A machine was changed (by its row)",
  "machine.paytable":
    "A person entered what a machine's paytable sheet says, which reports compare its hold with (by its row)",
  "machine.control":
    "What staff wants of a machine was changed: open, disabled, drained, stopped, reserved (by its row)",
  "machine.life": "A machine was enrolled, moved, renamed, retired or brought back (by its row)",
  "machine.ramClear": "A RAM clear of a machine was ordered, carried out or cancelled (by its row)",
  "machine.locked": "A machine cannot be played, it says why (by its row)",
  "machine.unlocked": "A machine can be played again (by its row)",
  "machine.away": "A machine does not answer its agent (by its row)",
  "machine.back": "A machine answers its agent again (by its row)",

  "node.started": "A platform process began to serve",
  "node.stopped": "A platform process ended with grace",
  "node.died": "A platform process ended without a word",
  "database.back": "The database could not be reached for a while",
  "bus.away": "The bus between the nodes was lost",
  "bus.back": "The bus between the nodes is there again",
  "clock.differs": "The clocks of a node and of the database differ",
  "clock.jumped": "The clock of a node was changed",
  "parameters.changed": "A parameter of the platform was changed",
  "key.made": "A key of the platform was made (by its row)",
  "key.changed": "A key of the platform was changed (by its row)",
  "key.removed": "A key of the platform was removed (by its row)",
  "limit.hit": "A limit of calls, sign-ins or sockets was hit",
  "alarm.raised": "Staff is called",
  "data.changedOutside": "Somebody changed a row with another program than Longarm (by its row)",
  "data.tampered": "A check of the audit log or the ledger found what must not be",
  "data.exported": "The audit log, a report or a question with its recording was exported",
} as const;

/** A type of entry. */
export type AuditType = keyof typeof AUDIT_TYPES;

/** @returns whether `text` names a type. */
export function isAuditType(text: string): text is AuditType {
  return Object.hasOwn(AUDIT_TYPES, text);
}

/** One thing that happened. Values may come from anybody: they are cut, cleaned and rid of secrets on the way in. */
export type AuditEntry = {
  readonly type: AuditType;
  /** Who did it: `player:p_…`, `staff:eva`, `agent:ag_…`, `node:main`, `visitor`, `platform`. */
  readonly actor: string;
  /** To whom or what: `player:p_…`, `machine:nar-01`, `agent:…`, `node:…`, `transfer:…`. */
  readonly subject?: string;
  /** The address the request came from. */
  readonly address?: string;
  /** What a changed element was, and what it is now. */
  readonly before?: object;
  readonly after?: object;
  /** Everything else worth knowing. Amounts in minor units. */
  readonly facts?: object;
};

/** The append-only, hash-chained record of what happened (docs/decisions/0081). */
export interface Audit {
  /** The same log inside the caller's transaction: the entry is kept if, and only if, everything else in there is. */
  within(transaction: AnyDb): Audit;
  /** Writes one entry. @throws what the database throws. */
  write(entry: AuditEntry): Promise<void>;
  /**
   * Says who acts in the rest of the caller's transaction, for entries that rows write by themselves: `staff:eva`. Only of use with
   * `within`; it ends with the transaction.
   */
  actAs(actor: string): Promise<void>;
}

/**
 * Opens the audit log on a database that has the `audit` migrations.
 * @param from which node writes (`NODE_ID`), or which program.
 */
export function openAudit(db: AnyDb, from: string): Audit {
  const source = cleanText(from, 100) || "unnamed";
  return {
    within: (transaction) => openAudit(transaction, from),
    async write({ type, actor, subject, address, before, after, facts }) {
      await sql`insert into audit.entries (source, type, actor, subject, address, before, after, facts) values (
        ${source}, ${type}, ${cleanText(actor, 200) || "unnamed"}, ${optional(subject, 200)}, ${optional(address, 100)},
        ${json(before)}::jsonb, ${json(after)}::jsonb, ${json(facts ?? {})}::jsonb)`.execute(db);
    },
    async actAs(actor) {
      await sql`select set_config('longarm.actor', ${cleanText(actor, 200)}, true), set_config('longarm.source', ${source}, true)`.execute(
        db,
      );
    },
  };
}

const optional = (text: string | undefined, most: number): string | null =>
  text === undefined ? null : cleanText(text, most) || null;

const json = (value: object | undefined): string | null =>
  value === undefined ? null : JSON.stringify(cleanObject(value));

/** Names of fields whose value is never kept, wherever they are; compared without case, dashes and underscores. */
const SECRET =
  /^(old|new)?(password|pass|pin|pincode|token|secrets?|authorization|cookie|key|apikey|agentkey|credential|credentials|turnsecret)$/;
const HIDDEN = "[hidden]";

const TEXT_MAX = 2_000;
const ITEMS_MAX = 100;
const DEPTH_MAX = 6;
/** Bytes of one cleaned object, as JSON. The database keeps up to 32 KiB as it writes it itself, with blanks between. */
const BYTES_MAX = 16_000;

/** Text without control characters and halves of letters, at most `most` characters long. */
export function cleanText(text: string, most: number): string {
  const plain = text
    .slice(0, most * 2)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, "\uFFFD")
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, "\uFFFD");
  return plain.slice(0, most).toWellFormed();
}

/** An object that the log may keep: no secrets, nothing too long, too deep or unfit for JSON. What is too large keeps only its size. */
export function cleanObject(value: object): object {
  const cleaned = cleanValue(value, DEPTH_MAX, new WeakSet());
  const bytes = Buffer.byteLength(JSON.stringify(cleaned));
  if (typeof cleaned !== "object" || cleaned === null || Array.isArray(cleaned)) return { value: cleaned };
  return bytes > BYTES_MAX ? { cut: bytes } : cleaned;
}

function cleanValue(value: unknown, depth: number, above: WeakSet<object>): unknown {
  switch (typeof value) {
    case "string":
      return cleanText(hideInUrl(value), TEXT_MAX);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
      return value;
    case "bigint":
      return value.toString();
    case "object":
      return value === null ? null : cleanInner(value, depth, above);
    default:
      return null;
  }
}

function cleanInner(value: object, depth: number, above: WeakSet<object>): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Error) return cleanText(hideInUrl(value.message), TEXT_MAX);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth === 0 || above.has(value)) return "[cut]";
  above.add(value);
  const inner = (one: unknown) => cleanValue(one, depth - 1, above);
  const cleaned = Array.isArray(value)
    ? value.slice(0, ITEMS_MAX).map(inner)
    : Object.fromEntries(
        Object.entries(value)
          .filter(([, one]) => one !== undefined)
          .slice(0, ITEMS_MAX)
          .map(([key, one]) => [cleanText(key, 100), isSecret(key) && one !== null ? HIDDEN : inner(one)]),
      );
  above.delete(value);
  return cleaned;
}

const isSecret = (key: string): boolean => SECRET.test(key.toLowerCase().replaceAll(/[-_]/g, ""));

/** `rtsp://user:password@host`: the address says which, not how to get in. */
function hideInUrl(text: string): string {
  return text.replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, `$1${HIDDEN}@`);
}
