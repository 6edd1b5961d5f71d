import * as z from "zod/mini";
import { OwnId } from "./ids.ts";
import { Minor, PositiveMinor, SignedMinor } from "./money.ts";
import { LimitSubject } from "./player-protection.ts";
import { PlayedGame } from "./player-record.ts";
import { Day, lineOf, MachineRef, Reason, When } from "./staff-call.ts";
import { PlayerSessionRow } from "./staff-money.ts";
import { ReportFigures } from "./staff-reports.ts";

/* Calls of the operator's own systems: signed, on a port of their own (docs/integrating.md, record 0231). */

/** Where the calls begin, on the integration listener. */
export const INTEGRATION_BASE = "/integration/v1/";
/** The version of these calls. A change that breaks a caller needs a new one, and a new base. */
export const INTEGRATION_VERSION = 1;
/** How old a request may be, and how far ahead of our clock, s. */
export const INTEGRATION_WINDOW_S = 120;
/** Answers are kept for repeats with the same idempotency key so long, days. The ledger knows a transfer for ever. */
export const INTEGRATION_ANSWER_DAYS = 120;

/** Keys to watch that one integration may have at once. */
export const WATCH_KEYS_MAX = 200;
/** The longest that a key to watch may hold, days. */
export const WATCH_KEY_DAYS_MAX = 400;

/** How long a link to sign in is good, s. */
export const LOGIN_LINK_S = 60;

/** What an integration may do, in words. */
export const INTEGRATION_SCOPES = {
  "players.read": "read players, balances, limits, play sessions and games of its own players",
  "players.add": "add players",
  "players.link": "link players who have an account",
  "players.sign-in": "make links that sign its own players in",
  "money.move": "deposit and withdraw for its own players",
  "protection.add": "set stricter limits and exclusions for its own players",
  "video.share": "make keys to watch machines from outside, and end its own",
  "reports.read": "read the daily report",
} as const;
export type IntegrationScope = keyof typeof INTEGRATION_SCOPES;

/** The sender's own id of a player. */
export const ExternalId = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/));
/** The sender's id of a request that changes something, kept for each repeat. */
export const IdempotencyKey = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{7,63}$/));

/** Every expected refusal, by name. */
export const integrationProblems = {
  "signature.missing": { status: 401, title: "The request is not signed as it must be" },
  "signature.time": { status: 401, title: "The time of the signature is too far from ours" },
  "signature.wrong": { status: 401, title: "Key or signature is wrong" },
  "signature.repeated": { status: 401, title: "This nonce was used before" },
  "digest.wrong": { status: 400, title: "The body is not the one that the digest names" },
  "scope.missing": { status: 403, title: "This integration may not do that" },
  "request.invalid": { status: 400, title: "The request is not understood" },
  "request.tooMany": { status: 429, title: "Too many requests" },
  "request.failed": { status: 500, title: "The request failed on our side" },
  "address.unknown": { status: 404, title: "There is no such address" },
  "method.unknown": { status: 405, title: "This address knows no such method" },
  "body.tooLarge": { status: 413, title: "The body is too large" },
  "type.wrong": { status: 415, title: "The body must be application/json" },
  "idempotency.otherRequest": { status: 409, title: "This idempotency key was used for another request" },
  "idempotency.inProgress": { status: 409, title: "The request with this idempotency key is being answered" },
  "player.unknown": { status: 404, title: "There is no such player" },
  "player.banned": { status: 409, title: "This player is banned" },
  "player.nameTaken": { status: 409, title: "Another player has this name" },
  "player.linked": { status: 409, title: "This player or this external id is linked already" },
  "wallet.insufficient": { status: 409, title: "The wallet has less than that" },
  "wallet.operators": {
    status: 409,
    title: "Players' money is in the operator's wallet: it is added and withdrawn there",
  },
  "money.refused": { status: 409, title: "The money may not be moved" },
  "watchKey.taken": { status: 409, title: "Somebody else's key to watch has this name" },
  "watchKey.tooMany": { status: 409, title: "This integration has as many keys to watch as it may" },
  "watchKey.unknown": { status: 404, title: "This integration has no such key to watch" },
  "limit.looser": { status: 409, title: "Only staff or the player can make this looser" },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;
export type IntegrationProblemName = keyof typeof integrationProblems;

/** The answer of every refusal, `application/problem+json` (RFC 9457). */
export const IntegrationProblem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    problem: z.string().check(z.describe("A name of the list; it may get more.")),
    detail: z.optional(z.string()),
    reason: z.optional(z.string().check(z.describe("Why money may not move: limit.deposit, player.excluded, …"))),
    request: z.string().check(z.describe("To be named to a technician.")),
  })
  .check(z.meta({ id: "Problem" }));

/** One HTTP call of the integration listener. */
export type IntegrationCall = {
  readonly method: "GET" | "POST";
  /** Relative to `INTEGRATION_BASE`, with `{param}` parts. */
  readonly path: string;
  readonly scope: IntegrationScope;
  readonly about: string;
  readonly query?: z.ZodMiniType;
  readonly body?: z.ZodMiniType;
  readonly answer: z.ZodMiniType;
  /** Its answer is kept nowhere: a repeat makes another one. */
  readonly isFresh?: true;
  readonly example: { readonly query?: object; readonly body?: object; readonly answer: object };
};

/** A schema that the OpenAPI document has under this name. */
const named = <S extends z.ZodMiniObject>(id: string, schema: S): S => schema.check(z.meta({ id }));

const LinkedPlayer = named(
  "LinkedPlayer",
  z.object({ externalId: ExternalId, player: OwnId.check(z.describe("Ours.")), username: z.string() }),
);
const Player = named("Player", z.object({ ...LinkedPlayer.shape, state: z.enum(["active", "banned"]), addedAt: When }));
const Balance = named(
  "Balance",
  z.object({
    available: Minor.check(z.describe("What can be spent.")),
    onMachine: Minor.check(z.describe("What is on a machine.")),
    beingChecked: Minor.check(z.describe("What of it a person or a machine is still deciding.")),
    wallet: z
      .enum(["longarm", "operator"])
      .check(
        z.describe(
          "Whose wallet the player's money is in. Of operator: what can be spent is there, and what is available here is on its way to it.",
        ),
      ),
  }),
);
const Money = z.strictObject({ amount: PositiveMinor, reason: Reason });
const Moved = named(
  "Moved",
  z.object({
    transfer: z.string(),
    amount: Minor,
    before: SignedMinor.check(z.describe("The wallet before it.")),
    after: SignedMinor,
  }),
);
const Protection = named(
  "Protection",
  z.object({
    limits: z.array(
      z.object({
        limit: LimitSubject,
        value: z.nullable(Minor).check(z.describe("Minor units; of time and session minutes. Null: none.")),
        by: z.enum(["player", "house"]),
        from: When.check(z.describe("When it holds from.")),
        holds: z.boolean(),
      }),
    ),
    excludedUntil: z.nullable(When),
    break: z.nullable(z.object({ kind: z.string(), until: When })).check(z.describe("One that the player has begun.")),
  }),
);
const PlaySession = named("PlaySession", z.object(PlayerSessionRow.shape));
const Game = named("Game", z.object({ ...PlayedGame.shape, session: OwnId }));
const Figures = named("Figures", z.object(ReportFigures.shape));
const page = {
  after: z.optional(OwnId),
  limit: z._default(z.coerce.number().check(z.multipleOf(1), z.gte(1), z.lte(200)), 50),
};
const PERSON = { externalId: "crm-1042", player: "p_8f3kq", username: "deniz.aydin" };
const MOVED = { transfer: "integration:9c1f", amount: 5_000, before: 0, after: 5_000 };
const FIGURES = {
  ...{ games: 4, wagered: 400, machinePaid: 250, handPaid: 0, held: 150, hold: 3_750, expected: null, ledgerKept: 150 },
  ...{ sessions: 1, seatedMs: 60_000, availableMs: 86_400_000, cashIn: 1_000, cashOut: 850, handPays: 0, jackpots: 0 },
  ...{
    cancelledCredits: 0,
    fees: 0,
    claims: 0,
    suspense: 0,
    discrepancies: { found: 0, open: 0, amount: 0 },
    watchedMs: 0,
  },
  ...{ watchersMost: 0, delay: null, venue: { deposits: 5_000, withdrawals: 0, bonuses: 0, discounts: 0 } },
};

const WatchName = z
  .string()
  .check(z.regex(/^[a-z][a-z0-9-]{1,31}$/), z.describe("2 to 32 small letters, digits and -."));
const WatchedMachines = z
  .nullable(z.array(OwnId).check(z.minLength(1), z.maxLength(100)))
  .check(z.describe("Null: every machine that may be watched."));
const Watches = z.int().check(z.gte(1), z.lte(1_000), z.describe("How many may be watched at once."));
const WALL = { name: "lobby-wall", machines: ["nar-01", "nar-02"], watches: 4 };

/** All calls. Every call that changes something carries an idempotency key. */
export const integrationCalls = {
  addPlayer: {
    method: "POST",
    path: "players",
    scope: "players.add",
    about: "Add a player and link it with an id of yours. It has no known password: staff can set one.",
    body: z.strictObject({
      externalId: ExternalId,
      username: z.string().check(z.minLength(4), z.maxLength(64)),
      email: z.optional(z.email().check(z.maxLength(254))),
      name: z.optional(lineOf(100)),
      lastname: z.optional(lineOf(100)),
    }),
    answer: LinkedPlayer,
    example: { body: { externalId: "crm-1042", username: "deniz.aydin" }, answer: PERSON },
  },
  linkPlayer: {
    method: "POST",
    path: "links",
    scope: "players.link",
    about: "Link a player who has an account with an id of yours.",
    body: z.strictObject({ externalId: ExternalId, username: z.string().check(z.minLength(1), z.maxLength(64)) }),
    answer: LinkedPlayer,
    example: { body: { externalId: "crm-1042", username: "deniz.aydin" }, answer: PERSON },
  },
  player: {
    method: "GET",
    path: "players/{externalId}",
    scope: "players.read",
    about: "A player of yours.",
    answer: Player,
    example: { answer: { ...PERSON, state: "active", addedAt: "2026-11-29T08:00:00.000Z" } },
  },
  balance: {
    method: "GET",
    path: "players/{externalId}/balance",
    scope: "players.read",
    about: "Where the player's money is, minor units.",
    answer: Balance,
    example: { answer: { available: 4_000, onMachine: 1_000, beingChecked: 0, wallet: "longarm" } },
  },
  loginLink: {
    method: "POST",
    path: "players/{externalId}/login-links",
    scope: "players.sign-in",
    about:
      "Make a code that signs the player in, once and within a minute. Send the browser to the page's address with #once= and the code. A newer code ends the earlier one; a repeat makes a newer one.",
    body: z.strictObject({
      address: z.optional(
        z.union([z.ipv4(), z.ipv6()]).check(z.describe("The browser's address: the code is good from there alone.")),
      ),
    }),
    answer: z.object({ code: z.string(), expiresAt: When }),
    isFresh: true,
    example: {
      body: { address: "203.0.113.7" },
      answer: { code: "3yPpIyLXoP4sxGXVvFh5bQ0nFQ8v1VhXW5nN1zqXo0k", expiresAt: "2026-11-29T08:01:00.000Z" },
    },
  },
  deposit: {
    method: "POST",
    path: "players/{externalId}/deposits",
    scope: "money.move",
    about: "Put money into the wallet. Limits, exclusions and the identity are checked as at the cash desk.",
    body: Money,
    answer: Moved,
    example: { body: { amount: 5_000, reason: "card 4411" }, answer: MOVED },
  },
  withdraw: {
    method: "POST",
    path: "players/{externalId}/withdrawals",
    scope: "money.move",
    about: "Take money out of the wallet. What is on a machine must return first.",
    body: Money,
    answer: Moved,
    example: {
      body: { amount: 2_000, reason: "bank" },
      answer: { ...MOVED, amount: 2_000, before: 5_000, after: 3_000 },
    },
  },
  protection: {
    method: "GET",
    path: "players/{externalId}/protection",
    scope: "players.read",
    about: "The player's limits, exclusion and break.",
    answer: Protection,
    example: {
      answer: {
        limits: [{ limit: "loss.week", value: 20_000, by: "house", from: "2026-11-29T08:00:00.000Z", holds: true }],
        excludedUntil: null,
        break: null,
      },
    },
  },
  setLimit: {
    method: "POST",
    path: "players/{externalId}/limits",
    scope: "protection.add",
    about: "Set a limit of the operator; it holds at once. One that is looser than before is refused.",
    body: z.strictObject({ limit: LimitSubject, value: Minor }),
    answer: Protection,
    example: {
      body: { limit: "loss.week", value: 20_000 },
      answer: {
        limits: [{ limit: "loss.week", value: 20_000, by: "house", from: "2026-11-29T08:00:00.000Z", holds: true }],
        excludedUntil: null,
        break: null,
      },
    },
  },
  exclude: {
    method: "POST",
    path: "players/{externalId}/exclusions",
    scope: "protection.add",
    about: "Exclude the player until then; play ends now and its credits return. A shorter one than holds is refused.",
    body: z.strictObject({ until: When }),
    answer: Protection,
    example: {
      body: { until: "2027-05-29T08:00:00Z" },
      answer: { limits: [], excludedUntil: "2027-05-29T08:00:00.000Z", break: null },
    },
  },
  playSessions: {
    method: "GET",
    path: "players/{externalId}/play-sessions",
    scope: "players.read",
    about: "The player's play sessions, newest first; `next` goes into `after`.",
    query: z.strictObject(page),
    answer: z.object({ rows: z.array(PlaySession), next: z.nullable(z.string()) }),
    example: {
      query: { limit: 1 },
      answer: {
        rows: [
          {
            ...{ id: "ps_71", machine: { id: "nar-01", name: "Nar 1" }, start: "2026-11-29T08:00:00.000Z", end: null },
            ...{ endReason: null, games: 4, cashedIn: 1_000, cashedOut: 0, net: -150 },
          },
        ],
        next: null,
      },
    },
  },
  games: {
    method: "GET",
    path: "players/{externalId}/games",
    scope: "players.read",
    about: "The player's last ten games, or the last ten of one play session.",
    query: z.strictObject({ session: z.optional(OwnId) }),
    answer: z.object({ games: z.array(Game) }),
    example: {
      query: { session: "ps_71" },
      answer: {
        games: [
          {
            ...{ id: "17.nar-01", number: 17, machine: "Nar 1", session: "ps_71", start: "2026-11-29T08:00:00.000Z" },
            ...{ end: "2026-11-29T08:00:03.000Z", stake: 100, win: 0, handPaid: 0, before: 1_000, after: 900 },
            ...{ freeSpins: null, bonus: null, addsUp: true },
          },
        ],
      },
    },
  },
  addWatchKey: {
    method: "POST",
    path: "watch-keys",
    scope: "video.share",
    about:
      "Make a token with which somebody outside watches machines over WHEP. A newer one ends your earlier one of the same name; a repeat makes a newer one.",
    body: z.strictObject({
      name: WatchName,
      machines: WatchedMachines,
      until: When.check(z.describe(`At most ${WATCH_KEY_DAYS_MAX} days ahead.`)),
      watches: z._default(Watches, 1),
    }),
    answer: z.object({ name: WatchName, token: z.string().check(z.describe("Said once.")), until: When }),
    isFresh: true,
    example: {
      body: { ...WALL, until: "2027-02-28T08:00:00Z" },
      answer: {
        name: WALL.name,
        token: "5rW0hJ1mVb8dQ2xkYc7nT4uPzLf3sGaE9oHiRtKjMwU",
        until: "2027-02-28T08:00:00.000Z",
      },
    },
  },
  watchKeys: {
    method: "GET",
    path: "watch-keys",
    scope: "video.share",
    about: "Your keys to watch that are good now.",
    answer: z.object({
      keys: z
        .array(
          z.object({
            ...{ name: WatchName, machines: WatchedMachines, watches: Watches, until: When },
            watching: z.int().check(z.describe("How many are watched with it now.")),
          }),
        )
        .check(z.maxLength(WATCH_KEYS_MAX)),
    }),
    example: { answer: { keys: [{ ...WALL, until: "2027-02-28T08:00:00.000Z", watching: 1 }] } },
  },
  endWatchKey: {
    method: "POST",
    path: "watch-keys/end",
    scope: "video.share",
    about: "End a key of yours, and within a second what is watched with it.",
    body: z.strictObject({ name: WatchName }),
    answer: z.object({ name: WatchName }),
    example: { body: { name: WALL.name }, answer: { name: WALL.name } },
  },
  dailyReport: {
    method: "GET",
    path: "reports/daily",
    scope: "reports.read",
    about: "What was played, paid and moved on a business day, by machine and in all.",
    query: z.strictObject({ day: Day }),
    answer: z.object({
      day: Day,
      asOf: When,
      machines: z.array(z.object({ machine: MachineRef, figures: Figures })),
      all: Figures,
    }),
    example: {
      query: { day: "2026-11-28" },
      answer: {
        day: "2026-11-28",
        asOf: "2026-11-29T08:00:00.000Z",
        machines: [{ machine: { id: "nar-01", name: "Nar 1" }, figures: { ...FIGURES, venue: null } }],
        all: FIGURES,
      },
    },
  },
} as const satisfies Record<string, IntegrationCall>;
export type IntegrationCallName = keyof typeof integrationCalls;
