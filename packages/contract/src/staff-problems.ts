type StaffProblemSpec = {
  readonly httpStatus: number;
  readonly retry: "never" | "afterChange" | "later";
  /** English, for a log or a terminal; the console writes its own by the name. `{name}`: a parameter. */
  readonly text: string;
};

/** Every expected refusal of the staff's side, by name. The wire carries the name (`StaffFailure`). */
export const staffProblems = {
  "signIn.needed": { httpStatus: 401, retry: "afterChange", text: "Sign in first" },
  /** One sentence for every cause: name, password, code, passkey, recovery code, or an account that was ended. */
  "signIn.wrong": { httpStatus: 401, retry: "afterChange", text: "The sign-in was refused" },
  "signIn.blocked": { httpStatus: 403, retry: "later", text: "Too many wrong sign-ins: wait {minutes} minutes" },
  "signIn.locked": { httpStatus: 423, retry: "afterChange", text: "The screen is locked" },
  "signIn.separateRoles": {
    httpStatus: 409,
    retry: "afterChange",
    text: "One person cannot have the roles {role} and {other}",
  },
  "invitation.invalid": { httpStatus: 410, retry: "never", text: "The invitation is used, expired or unknown" },
  "ceremony.invalid": { httpStatus: 409, retry: "afterChange", text: "This attempt is over: begin again" },
  "passkey.first": {
    httpStatus: 403,
    retry: "never",
    text: "The first passkey is made after an invitation: an administrator renews it",
  },
  "passkey.last": { httpStatus: 409, retry: "afterChange", text: "Keep one way to sign in" },
  "password.weak": { httpStatus: 400, retry: "afterChange", text: "The password is too short or too common" },
  "directory.away": {
    httpStatus: 503,
    retry: "later",
    text: "The directory does not answer: use another way to sign in",
  },
  /** The directory said no, or what came is not good; the log says why. */
  "directory.refused": { httpStatus: 401, retry: "afterChange", text: "The directory did not sign you in" },
  /** Also for an account that has ended. */
  "directory.notLinked": {
    httpStatus: 403,
    retry: "afterChange",
    text: "No member of staff is linked with this person of the directory",
  },
  "directory.taken": {
    httpStatus: 409,
    retry: "afterChange",
    text: "This person of the directory is linked with another member of staff",
  },
  "device.unknown": { httpStatus: 404, retry: "afterChange", text: "The code is unknown or expired" },
  "csrf.wrong": { httpStatus: 403, retry: "afterChange", text: "The request did not come from the console" },
  "permission.missing": { httpStatus: 403, retry: "never", text: "This needs the permission {permission}" },
  "stepUp.needed": { httpStatus: 403, retry: "afterChange", text: "Confirm this act with your passkey" },
  "stepUp.noPasskey": {
    httpStatus: 403,
    retry: "afterChange",
    text: "This act needs a passkey: an administrator renews your invitation",
  },
  "request.invalid": { httpStatus: 400, retry: "never", text: "The request is not understood: {where}" },
  "request.tooMany": { httpStatus: 429, retry: "later", text: "Too many requests: wait {seconds} seconds" },
  "request.failed": { httpStatus: 500, retry: "later", text: "The request failed on our side" },
  "act.idUsed": { httpStatus: 409, retry: "never", text: "This id was used for another act" },
  "act.refused": { httpStatus: 409, retry: "afterChange", text: "{sentence}" },
  "act.outOfReach": { httpStatus: 503, retry: "later", text: "Not sent: nothing was changed. {sentence}" },
  "thing.unknown": { httpStatus: 404, retry: "never", text: "There is no such {kind}" },
  "player.unknown": { httpStatus: 404, retry: "afterChange", text: "There is no player called {names}" },
  "wallet.insufficient": { httpStatus: 409, retry: "afterChange", text: "The wallet has {available} free" },
  "wallet.operators": {
    httpStatus: 409,
    retry: "never",
    text: "Players' money is in the operator's wallet: it is added and withdrawn there",
  },
  "wallet.receiptUsed": { httpStatus: 409, retry: "afterChange", text: "This receipt was used before" },
  "shift.none": { httpStatus: 409, retry: "afterChange", text: "Open your shift first" },
  "shift.open": { httpStatus: 409, retry: "afterChange", text: "Your shift is open already" },
  "approval.own": { httpStatus: 403, retry: "never", text: "The person who requested it cannot sign it" },
  "approval.over": { httpStatus: 409, retry: "never", text: "The approval is over: {state}" },
  "approval.changed": { httpStatus: 409, retry: "afterChange", text: "What was requested has changed: look again" },
  "task.over": { httpStatus: 409, retry: "never", text: "The task is closed" },
  "settings.changed": { httpStatus: 409, retry: "afterChange", text: "Somebody changed the settings meanwhile" },
  "settings.invalid": { httpStatus: 400, retry: "afterChange", text: "The settings have an error: {where}" },
} as const satisfies Record<string, StaffProblemSpec>;
export type StaffProblemName = keyof typeof staffProblems;

/** An expected refusal: a name, what its text needs, and a sentence for the log. */
export type StaffProblem = {
  readonly name: StaffProblemName;
  readonly params?: Readonly<Record<string, string | number>>;
  readonly detail?: string;
};
