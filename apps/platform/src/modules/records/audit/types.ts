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
  "player.limit": "A limit or an exclusion of a player was set (by its row)",

  "money.adjusted": "Money moved outside of play (by its row)",
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
  "staff.granted": "Staff gave a player a bonus to claim (by its row)",
  "staff.did": "Staff did something beside the platform, in the database",

  "quickPanel.added": "Staff wrote an event or a note for the quick panel (by its row)",
  "quickPanel.removed": "Staff took an event or a note out of the quick panel (by its row)",

  "call.opened": "A player called an attendant (by its row)",
  "call.answered": "Staff answered a player's call for an attendant (by its row)",
  "call.closed": "Staff closed a player's call for an attendant (by its row)",

  "agent.enrolled": "An agent was enrolled (by its row)",
  "agent.changed": "An agent was changed, such as its key (by its row)",
  "agent.revoked": "An agent was revoked (by its row)",
  "agent.removed": "An agent was removed (by its row)",
  "agent.linked": "An agent's link began",
  "agent.away": "An agent's link ended",
  "agent.refused": "Somebody asked for an agent's link and was refused",
  "machine.added": "A machine was seen for the first time (by its row)",
  "machine.changed": "A machine was changed (by its row)",
  "machine.control":
    "What staff wants of a machine was changed: open, disabled, drained, stopped, reserved (by its row)",
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
  "data.exported": "The audit log was exported",
} as const;

/** A type of entry. */
export type AuditType = keyof typeof AUDIT_TYPES;

/** @returns whether `text` names a type. */
export function isAuditType(text: string): text is AuditType {
  return Object.hasOwn(AUDIT_TYPES, text);
}
