/**
 * Every expected refusal or outage, by name. `code` is what goes over the wire (specification section 8 and contract.md
 * section 6); texts are chosen by code at the edge, in three languages. `retry` says whether asking again can help.
 */
export type ProblemSpec = {
  readonly code: number;
  readonly httpStatus: number;
  readonly retry: "never" | "afterChange" | "later";
  /** The English sentence of the specification, or ours; sent as `ErrorMessage`. */
  readonly text: string;
};

export const problems = {
  "auth.signature": { code: 10, httpStatus: 401, retry: "never", text: "Signature Doesn't Verified" },
  "request.invalid": { code: 40000, httpStatus: 400, retry: "never", text: "Invalid request" },
  "password.old_wrong": { code: 40001, httpStatus: 400, retry: "afterChange", text: "Old password is wrong" },
  "password.too_short": { code: 40101, httpStatus: 400, retry: "afterChange", text: "Password is too short" },
  "password.too_common": {
    code: 60052,
    httpStatus: 400,
    retry: "afterChange",
    text: "This password is too common or contains your name: choose another one",
  },
  "auth.wrong_counted": {
    code: 10700,
    httpStatus: 401,
    retry: "afterChange",
    text: "Wrong username or password. Remaining attempts: {left_count}, block time: {block_time} minutes",
  },
  "auth.wrong": { code: 10701, httpStatus: 401, retry: "afterChange", text: "username or password is wrong" },
  "auth.protected": {
    code: 10702,
    httpStatus: 403,
    retry: "later",
    text: "Account protected after too many false attempts",
  },
  "auth.ip_not_permitted": { code: 10703, httpStatus: 403, retry: "never", text: "Your ip is not permitted" },
  "auth.banned": { code: 10704, httpStatus: 403, retry: "never", text: "You have been banned" },
  "session.terminated": {
    code: 50100,
    httpStatus: 409,
    retry: "never",
    text: "The session has been terminated, unable to process the transaction",
  },
  "pipeline.failed": {
    code: 70000,
    httpStatus: 503,
    retry: "later",
    text: "Failed to start pipeline, contact the technical team",
  },
  "wallet.insufficient_funds": { code: 60001, httpStatus: 402, retry: "afterChange", text: "Insufficient funds" },
  "wallet.refused": {
    code: 60096,
    httpStatus: 409,
    retry: "afterChange",
    text: "The casino's wallet does not give money for play now. Please contact support",
  },
  "wallet.unreachable": {
    code: 60097,
    httpStatus: 503,
    retry: "later",
    text: "The casino's wallet cannot be reached. Nothing was moved",
  },
  "transfer.amount_outside_limits": {
    code: 60002,
    httpStatus: 409,
    retry: "afterChange",
    text: "The amount is outside the limits of this machine",
  },
  "transfer.id_conflict": {
    code: 60003,
    httpStatus: 409,
    retry: "never",
    text: "This transfer number was already used for a different transfer",
  },
  "machine.not_available": { code: 60010, httpStatus: 409, retry: "later", text: "The machine is not available" },
  "seat.taken": { code: 60011, httpStatus: 409, retry: "later", text: "Somebody is playing this machine" },
  "machine.reserved": {
    code: 60012,
    httpStatus: 409,
    retry: "later",
    text: "The machine is reserved for another player",
  },
  "seat.elsewhere": { code: 60013, httpStatus: 409, retry: "afterChange", text: "You already play another machine" },
  "session.not_yours": { code: 60014, httpStatus: 409, retry: "never", text: "This is not your session" },
  "game.in_progress": {
    code: 60015,
    httpStatus: 409,
    retry: "later",
    text: "A game or a bonus is running, please wait",
  },
  "seat.stale_epoch": {
    code: 60016,
    httpStatus: 409,
    retry: "never",
    text: "You are now playing here in another window",
  },
  "spectators.full": { code: 60017, httpStatus: 409, retry: "later", text: "Watching is off or full on this machine" },
  "spectators.yours": {
    code: 60018,
    httpStatus: 409,
    retry: "afterChange",
    text: "You watch as many machines as one may at once",
  },
  "queue.places": {
    code: 60022,
    httpStatus: 409,
    retry: "afterChange",
    text: "You hold as many places in queues as you may",
  },
  "queue.full": { code: 60023, httpStatus: 409, retry: "later", text: "No more players can wait here for now" },
  "queue.no_pass": { code: 60024, httpStatus: 409, retry: "never", text: "You cannot let somebody go first now" },
  "queue.no_move": { code: 60025, httpStatus: 409, retry: "never", text: "This place cannot move to other machines" },
  "claim.nothing": { code: 60020, httpStatus: 409, retry: "later", text: "There is nothing to claim now" },
  "claim.claimed": { code: 60021, httpStatus: 409, retry: "later", text: "You have claimed this already" },
  "request.too_many": {
    code: 60030,
    httpStatus: 429,
    retry: "later",
    text: "Too many requests, please wait {seconds} seconds",
  },
  "request.malformed": { code: 60031, httpStatus: 400, retry: "never", text: "The message is malformed or too large" },
  "machine.unreachable": { code: 60040, httpStatus: 503, retry: "later", text: "The machine cannot be reached" },
  "transfer.being_checked": { code: 60041, httpStatus: 409, retry: "later", text: "A transfer is being checked" },
  "machine.locked": {
    code: 60042,
    httpStatus: 409,
    retry: "later",
    text: "The machine is locked, an attendant is needed",
  },
  "transfer.refused": {
    code: 60043,
    httpStatus: 409,
    retry: "later",
    text: "The machine did not take this transfer. No money was moved",
  },
  "transfer.nothing_to_pay": {
    code: 60044,
    httpStatus: 409,
    retry: "afterChange",
    text: "The machine has nothing to pay out",
  },
  "session.locked": {
    code: 60050,
    httpStatus: 423,
    retry: "afterChange",
    text: "The screen is locked, enter your PIN",
  },
  "registration.closed": {
    code: 60070,
    httpStatus: 403,
    retry: "never",
    text: "The casino opens accounts itself: ask its staff",
  },
  "chat.unanswered": {
    code: 60071,
    httpStatus: 409,
    retry: "later",
    text: "You have written a lot: wait until you are answered",
  },
  "limit.cash_in": {
    code: 60060,
    httpStatus: 409,
    retry: "later",
    text: "You have reached your limit of money onto machines: {left} at most now",
  },
  "limit.loss": {
    code: 60061,
    httpStatus: 409,
    retry: "later",
    text: "You have reached your loss limit: {left} at most to machines now",
  },
  "limit.deposit": {
    code: 60063,
    httpStatus: 409,
    retry: "later",
    text: "You have reached your deposit limit: {left} at most into the wallet now",
  },
  "limit.wager": {
    code: 60064,
    httpStatus: 409,
    retry: "later",
    text: "You have reached your limit of all stakes",
  },
  "limit.time": {
    code: 60065,
    httpStatus: 409,
    retry: "later",
    text: "You have reached your limit of time at machines",
  },
  "limit.required": {
    code: 60066,
    httpStatus: 409,
    retry: "afterChange",
    text: "Set your limits first: {keys}",
  },
  "limit.not_waiting": {
    code: 60067,
    httpStatus: 409,
    retry: "never",
    text: "This limit does not wait any more",
  },
  "player.excluded": {
    code: 60062,
    httpStatus: 403,
    retry: "later",
    text: "You are excluded from play until {until}",
  },
  "player.on_break": { code: 60080, httpStatus: 403, retry: "later", text: "You are on a break until {until}" },
  "player.closed": {
    code: 60081,
    httpStatus: 403,
    retry: "afterChange",
    text: "You have closed play. You can open it again under Safer play",
  },
  "break.not_over": { code: 60082, httpStatus: 409, retry: "later", text: "There is no exclusion that is over" },
  "identity.required": {
    code: 60083,
    httpStatus: 403,
    retry: "afterChange",
    text: "Your identity must be confirmed first: ask the casino's staff",
  },
  "identity.pending": {
    code: 60084,
    httpStatus: 403,
    retry: "later",
    text: "Your identity is being looked at. Until then nothing is played",
  },
  "identity.refused": {
    code: 60085,
    httpStatus: 403,
    retry: "never",
    text: "We could not confirm your identity. You can withdraw your money",
  },
  "player.too_young": { code: 60086, httpStatus: 403, retry: "never", text: "You must be {age} years old to play" },
  "register.excluded": {
    code: 60087,
    httpStatus: 403,
    retry: "never",
    text: "The national register has excluded you from play. You can withdraw your money",
  },
  "register.unanswered": {
    code: 60088,
    httpStatus: 403,
    retry: "later",
    text: "The national register has not answered yet. Until then nothing is played",
  },
  "help.missing": {
    code: 60089,
    httpStatus: 403,
    retry: "later",
    text: "Play is closed until the casino has entered where players find help",
  },
  "terms.pending": {
    code: 60090,
    httpStatus: 403,
    retry: "afterChange",
    text: "Accept the terms of use first. Your money and your account stay usable",
  },
  "terms.other": {
    code: 60091,
    httpStatus: 409,
    retry: "afterChange",
    text: "These terms are no longer the newest: read the new ones",
  },
  "limits.unanswered": {
    code: 60092,
    httpStatus: 403,
    retry: "afterChange",
    text: "Say first whether limits are wanted. Money in the wallet stays there",
  },
  "passkey.unknown": {
    code: 60054,
    httpStatus: 401,
    retry: "never",
    text: "This passkey is not known here, or was removed",
  },
  "passkey.wrong": {
    code: 60055,
    httpStatus: 400,
    retry: "afterChange",
    text: "The passkey was not confirmed, or too late: try again",
  },
  "passkey.last": {
    code: 60056,
    httpStatus: 409,
    retry: "afterChange",
    text: "This is the only way left to sign in: add another one first",
  },
  "passkey.full": { code: 60057, httpStatus: 409, retry: "afterChange", text: "You have as many passkeys as one may" },
  "proof.needed": {
    code: 60058,
    httpStatus: 403,
    retry: "afterChange",
    text: "Confirm with your password or a passkey that it is you",
  },
  "openId.away": {
    code: 60110,
    httpStatus: 503,
    retry: "later",
    text: "The sign-in service does not answer: try again, or log in another way",
  },
  "openId.refused": {
    code: 60111,
    httpStatus: 400,
    retry: "afterChange",
    text: "The sign-in service did not sign you in, or it took too long: try again",
  },
  "openId.unlinked": {
    code: 60112,
    httpStatus: 403,
    retry: "afterChange",
    text: "No account here is linked with this identity: log in another way and link it in your profile",
  },
  "openId.known": {
    code: 60113,
    httpStatus: 409,
    retry: "afterChange",
    text: "An account with this e-mail address is there already: log in to it another way and link it in your profile",
  },
  "openId.taken": {
    code: 60114,
    httpStatus: 409,
    retry: "afterChange",
    text: "This identity is linked with another account, or this account with another identity",
  },
  "payment.open": {
    code: 60093,
    httpStatus: 409,
    retry: "afterChange",
    text: "Enough of this is under way: finish or cancel one first",
  },
  "payment.over": {
    code: 60094,
    httpStatus: 409,
    retry: "afterChange",
    text: "This can no longer be cancelled: look again",
  },
  "payment.way_off": {
    code: 60095,
    httpStatus: 409,
    retry: "later",
    text: "This way is not open now: choose another one",
  },
  "payment.disputed": {
    code: 60101,
    httpStatus: 409,
    retry: "later",
    text: "Money that you added went back to your bank: staff looks at it first, then you can play and withdraw again",
  },
  "link.over": {
    code: 60059,
    httpStatus: 400,
    retry: "never",
    text: "This link to sign in was used or is too old",
  },
  "mail.code_wrong": {
    code: 60115,
    httpStatus: 400,
    retry: "afterChange",
    text: "This code is wrong, or its time is over: request another one",
  },
  "mail.taken": {
    code: 60116,
    httpStatus: 409,
    retry: "afterChange",
    text: "This e-mail address belongs to another account",
  },
  "mail.second_needed": {
    code: 60117,
    httpStatus: 403,
    retry: "afterChange",
    text: "This account needs one of its recovery codes, or a code of its app, too",
  },
  "app.code_needed": {
    code: 60118,
    httpStatus: 403,
    retry: "afterChange",
    text: "Type the code of your authenticator app, or a recovery code",
  },
  "app.code_wrong": {
    code: 60119,
    httpStatus: 400,
    retry: "afterChange",
    text: "This code is wrong, or was used: type the next one of your app",
  },
  "pin.wrong": {
    code: 60051,
    httpStatus: 400,
    retry: "afterChange",
    text: "Wrong PIN. Remaining attempts: {left_count}",
  },
  "pin.weak": {
    code: 60053,
    httpStatus: 400,
    retry: "afterChange",
    text: "This PIN is too easy to guess: choose another one",
  },
} as const satisfies Record<string, ProblemSpec>;

export type ProblemName = keyof typeof problems;

/** Countdown and end codes sent over the game socket (specification section 8). */
export const COUNTDOWN_CODES = ["CODE_18800", "CODE_18802", "CODE_18801"] as const;
export type CountdownCode = (typeof COUNTDOWN_CODES)[number];

/** A countdown code as it may come: `CODE_18800`, 18800 or "18800" (decision D-59). */
export type WireCountdownCode = CountdownCode | 18800 | 18801 | 18802 | "18800" | "18801" | "18802";

/** The form of the specification's text keys. */
export function countdownCodeOf(code: WireCountdownCode): CountdownCode {
  const name = String(code);
  return (name.startsWith("CODE_") ? name : `CODE_${name}`) as CountdownCode;
}

const byCode = new Map<number, ProblemName>(
  (Object.keys(problems) as ProblemName[]).map((name) => [problems[name].code, name]),
);

/** The name of a wire code, or undefined for one that is not ours. */
export function problemOfCode(code: number): ProblemName | undefined {
  return byCode.get(code);
}

/** An expected refusal: a name, what its text needs, and a sentence for the log. */
export type Problem = {
  readonly name: ProblemName;
  readonly params?: Readonly<Record<string, string | number>>;
  readonly detail?: string;
};
