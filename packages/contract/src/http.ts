import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { OwnId, WireId } from "./ids.ts";
import { BrandList, MachineList } from "./lobby-lists.ts";
import { Minor, PositiveMinor, SignedMinor } from "./money.ts";
import { Balance } from "./notification-socket.ts";
import { PasskeyAnswer } from "./passkeys.ts";
import { PlayClosed } from "./play-closed.ts";

/** A failure of any call: not 2xx, or `status: false`, or an `ErrorMessage` (contract.md section 2). */
export const Failure = z.object({
  code: z.optional(z.number()),
  ErrorMessage: z.optional(z.string()),
  Params: z.optional(z.record(z.string(), z.unknown())),
  errors: z.optional(z.array(z.object({ type: z.enum(["username", "email", "password"]), message: z.string() }))),
});
export type Failure = z.infer<typeof Failure>;

/** The least length of user name and password on the login form (specification section 5). */
export const LOGIN_FIELD_MIN = 4;
export const LoginField = z.string().check(z.minLength(1), z.maxLength(256));

/** The second step beside a password, as it was typed: six figures of the player's authenticator app, or a recovery code. */
export const TypedCode = z.string().check(z.minLength(1), z.maxLength(60));

export const LoginBody = z.object({
  username: LoginField,
  password: LoginField,
  /** Wanted of a player with an authenticator app (60118). */
  code: z.optional(TypedCode),
  site_id: z.union([z.number(), z.string()]),
});

/** What a token says of its player; an answer may say it too, because a token need not be one that can be read (decision D-09). */
const playerClaims = {
  Group: z.optional(z.unknown()),
  Permissions: z.optional(z.array(z.union([z.number(), z.string()]))),
  type: z.optional(z.unknown()),
  name: z.optional(z.nullable(z.string())),
  lastname: z.optional(z.nullable(z.string())),
  email: z.optional(z.nullable(z.string())),
  username: z.optional(z.nullable(z.string())),
};

const signedIn = {
  token: z.string(),
  id: z.optional(WireId),
  ...playerClaims,
  /** Address of the player's picture. */
  photoURL: z.optional(z.nullable(z.string())),
  /** Ids of the navigation items of the player's shortcut bar. */
  shortcuts: z.optional(z.nullable(z.array(z.string()))),
  /** What the player chose of the appearance: an `AppearanceChoice`, parsed by the page. */
  settings: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
  /**
   * The hash of the PIN in hex for a page that compares it itself (decision D-42), or empty: none is set, or the platform judges the PIN
   * (`pin_set`). Ours never sends a hash, locked or not: four digits are found from it in a blink.
   */
  pin_code: z.optional(z.nullable(z.string())),
  /** The platform judges the PIN at `player/unlock`, and this player has one, or has none yet. Absent: it compares no typed PIN. */
  pin_set: z.optional(z.boolean()),
  ip_address: z.optional(z.nullable(z.string())),
  versions: z.optional(z.nullable(z.unknown())),
  last_logon: z.optional(z.nullable(z.string())),
  last_logon_ip: z.optional(z.nullable(z.string())),
  /** When the player signed in, in this sign-in (ISO 8601). */
  signed_in_at: z.optional(z.nullable(z.string())),
  /**
   * Since when the account exists (ISO 8601). A platform that says it says everything that it keeps of the player: what is null beside it is
   * known to be missing (`last_logon`: this is the first sign-in).
   */
  member_since: z.optional(z.nullable(z.string())),
  /** When the player last changed the password (ISO 8601); null or absent: never, or not known. */
  password_changed: z.optional(z.nullable(z.string())),
  /** The password is older than the platform's limit; it still works, and the profile asks for a new one. */
  password_expired: z.optional(z.boolean()),
  /** There is a Team Chat (`/api/chat/*`); absent: there is none, and no page asks for it. */
  team_chat: z.optional(z.boolean()),
  /** What keeps the player from play now; absent: nothing. */
  play_closed: z.optional(z.nullable(PlayClosed)),
  /** The version of the terms of use that holds and that the player has not accepted; absent: none waits. */
  terms_due: z.optional(z.nullable(z.int())),
  /** The market wants the player to say whether they would like limits. */
  limits_offered: z.optional(z.nullable(z.boolean())),
  /** When a looser limit of the player begins, or waits for the player's yes, or did and was not read of; absent: none does. */
  limits_news_at: z.optional(z.nullable(z.string())),
  /** A letter of staff waits (`player/letters`); absent: none does. */
  letter_waits: z.optional(z.boolean()),
  /** The game (`player/disputes/{id}`) of a question in which staff wrote something new; absent: none has. */
  dispute_news: z.optional(z.string()),
  /** This sign-in is locked: every call but `validate`, `player/lock`, `player/unlock` and `player/logout` answers 60050. */
  locked: z.optional(z.boolean()),
};
export const LoginAnswer = z.object({ ...signedIn, code: z.optional(z.number()) });
/** GET validate, also the sign-in with a token; an operator's platform may leave fields out. */
export const ValidateAnswer = z.object({ ...signedIn, token: z.optional(z.string()) });
export type SignedInAnswer = z.infer<typeof LoginAnswer>;

/** Payload of the token (specification section 3) plus `exp` (s) and `jti`. */
export const TokenPayload = z.object({
  id: WireId,
  ...playerClaims,
  exp: z.optional(z.number()),
  jti: z.optional(z.string()),
});
export type TokenPayload = z.infer<typeof TokenPayload>;

export const Done = z.object({ code: z.optional(z.number()), status: z.optional(z.boolean()) });

export const ClaimAnswer = z.object({
  status: z.boolean(),
  code: z.optional(z.number()),
  Params: z.optional(z.object({ amount: z.optional(Minor) })),
  ErrorMessage: z.optional(z.string()),
});

/** A passkey's answer may replace the secret beside it; one of the two is sent. */
const orPasskey = { passkey: z.optional(PasskeyAnswer) };

/** A PIN as it is typed. */
export const TypedPin = z.string().check(z.regex(/^[0-9]{4,12}$/, "must be 4 to 12 digits"));
/**
 * The PIN as typed, for a platform that sends `pin_set`. One that sends `pin_code` is sent the SHA-256 of the typed PIN in 64 hex digits.
 */
export const UnlockBody = z.object({ pin: z.optional(TypedPin), ...orPasskey });

/** `Params.amount`: what the end of the play session moved to the wallet, minor units. Absent: the platform does not say. */
export const CancelAnswer = z.object({
  ...Done.shape,
  Params: z.optional(z.object({ amount: z.optional(Minor) })),
});

const MachineRef = z.object({ machineId: WireId });

/** Rows of one listing that are counted, and that `page` reaches; `after` reaches all of them. */
export const LISTED_ROWS_MAX = 10_000;
/** An instant of a filter, ISO 8601, UTC or with an offset. */
const FilterInstant = z.iso.datetime({ offset: true }).check(z.maxLength(40));

/**
 * What of a history is wanted, newest first. Query texts become numbers. `page` counts from 1; `limit`: rows a page. `after`
 * is the `next` of an answer with the same filters and continues after it, whatever `page` says. `search`: a part of the
 * machine's name or of `from`. `from` and `to`: instants, `to` itself not included. `type`: transactions only.
 */
export const ListQuery = z.object({
  page: z._default(z.coerce.number().check(z.multipleOf(1), z.gte(1), z.lte(1_000_000)), 1),
  limit: z._default(z.coerce.number().check(z.multipleOf(1), z.gte(1), z.lte(500)), 25),
  after: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
  search: z.optional(z.string().check(z.maxLength(100))),
  from: z.optional(FilterInstant),
  to: z.optional(FilterInstant),
  type: z.optional(z.coerce.number().check(z.multipleOf(1), z.gte(1), z.lte(999))),
});

/** What every listing answers beside its rows. */
const listed = {
  /** Rows that the filters match, counted up to a bound of the platform (ours: `LISTED_ROWS_MAX`). */
  total: z.number(),
  /** There are more than `total`. */
  totalIsMore: z.optional(z.boolean()),
  /** Goes into `after` for the rows behind these; null: there are none. A platform that only knows pages leaves it out. */
  next: z.optional(z.nullable(z.string())),
};

export const SessionRow = z.object({
  id: WireId,
  machine: z.string(),
  machineId: WireId,
  start: z.string(),
  end: z.nullable(z.string()),
  /** Seconds. */
  duration: z.number(),
  spin_count: z.number(),
  /** Absent: the machine does not say. */
  free_spin_count: z.optional(z.number()),
  /** Net result, minor units. */
  amount: SignedMinor,
  /** Jackpots that were won in it, however they were paid, oldest first; minor units. They are part of `amount`. */
  jackpots: z.optional(z.array(z.object({ name: z.string(), amount: PositiveMinor }))),
});

/** Action codes of the specification: 1 Deposit, 2 Withdraw, 3 Cash In, 4 Cash Out, 5 Hand Pay, 6 JACKPOT. */
export const TransactionRow = z.object({
  id: WireId,
  operation_date: z.string(),
  type: z.number(),
  /** Wallet, Cage, Discount, Bonus, or the machine's name. */
  from: z.string(),
  machine: z.nullable(z.string()),
  /** Minor units; what the wallet gained, or gave when below zero. */
  amount: SignedMinor,
  /** The wallet after it, minor units. */
  balance: Minor,
});

/** Transfers of one play session that are answered; a session with more says so. */
export const SESSION_TRANSFERS_MAX = 200;

/** One play session, with what went to its machine and came back. */
export const SessionDetail = z.object({
  session: SessionRow,
  /** What was wagered and won in its games, minor units. */
  wagered: Minor,
  won: Minor,
  /** What went from the wallet to the machine, and from the machine to the wallet, minor units; hand pays are not in it. */
  cashed_in: Minor,
  cashed_out: Minor,
  /** Its cash-ins, cash-outs, hand pays and jackpots, the first one first, at most `SESSION_TRANSFERS_MAX`. */
  transfers: z.array(TransactionRow),
  /** There are more of them. */
  transfersAreMore: z.optional(z.boolean()),
});

export const CheckAnswer = z.object({
  status: z.union([z.boolean(), z.number(), z.string()]),
  code: z.optional(z.number()),
  ip: z.optional(z.nullable(z.string())),
  country: z.optional(z.nullable(z.string())),
});

/** Every HTTP call of contract.md section 2. */
export const calls = {
  login: { method: "POST", path: "login", body: LoginBody, answer: LoginAnswer, open: true },
  validate: { method: "GET", path: "validate", answer: ValidateAnswer },
  logout: { method: "POST", path: "player/logout", answer: Done },
  balance: { method: "GET", path: "player/balance", answer: Balance },
  discount: { method: "GET", path: "player/discount", answer: ClaimAnswer },
  bonus: { method: "GET", path: "player/bonus", answer: ClaimAnswer },
  password: {
    method: "POST",
    path: "player/password",
    body: z.object({ old_password: z.optional(LoginField), ...orPasskey, new_password: LoginField }),
    answer: Done,
  },
  lock: { method: "POST", path: "player/lock", answer: Done },
  unlock: { method: "POST", path: "player/unlock", body: UnlockBody, answer: Done },
  /** Sets or changes the PIN. */
  pin: {
    method: "POST",
    path: "player/pin",
    body: z.object({ password: z.optional(LoginField), ...orPasskey, pin: TypedPin }),
    answer: Done,
  },
  /** The player touched the page: the platform's idle time begins anew. */
  active: { method: "POST", path: "player/active", answer: Done },
  kick: { method: "POST", path: "player/kick", body: MachineRef, answer: Done },
  cancel: { method: "POST", path: "player/cancel", body: MachineRef, answer: CancelAnswer },
  sessions: {
    method: "GET",
    path: "player/sessions",
    query: ListQuery,
    answer: z.object({ rows: z.array(SessionRow), ...listed }),
  },
  transactions: {
    method: "GET",
    path: "player/transactions",
    query: ListQuery,
    answer: z.object({ rows: z.array(TransactionRow), ...listed }),
  },
  /** Another player's session, or none, is 404; so is every session on a platform without this call. */
  session: { method: "GET", path: "player/sessions/{id}", answer: SessionDetail },
  brands: { method: "GET", path: "machine/brands", answer: BrandList },
  machinesOfBrand: { method: "GET", path: "machine/{brandId}", answer: MachineList },
  allMachines: { method: "GET", path: "machine/all", answer: MachineList },
  /** Relative to the API base it is `../check`. */
  check: { method: "GET", path: "../check", answer: CheckAnswer, open: true },
} as const satisfies Record<string, Call>;
export type CallName = keyof typeof calls;

/** The agent puts a machine's picture here (WebP, at most `STILL_BYTES_MAX`), with its key as Bearer. */
export const AGENT_STILL_PATH = "agent/machines/{id}/still";
export const STILL_BYTES_MAX = 262_144;
export const StillParams = z.object({ id: OwnId });
