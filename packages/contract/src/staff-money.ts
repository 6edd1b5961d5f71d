import * as z from "zod/mini";
import { OwnId, WireId } from "./ids.ts";
import { Minor, PositiveMinor, SignedMinor } from "./money.ts";
import { LimitSubject } from "./player-protection.ts";
import { PlayedGame, RECALLED_GAMES, Statement, StatementQuery } from "./player-record.ts";
import type { StaffCall } from "./staff-call.ts";
import {
  ActDone,
  actAnswer,
  actBody,
  Day,
  lineOf,
  listOf,
  MachineRef,
  NoteText,
  PersonRef,
  PlayerRef,
  page,
  Reason,
  ShortText,
  When,
} from "./staff-call.ts";
import { EvidenceLine } from "./staff-people.ts";

/** Where a player's money is, minor units. */
const Wallet = z.object({ available: Minor, onMachine: Minor, beingChecked: Minor });

/** How many movements of the operator's wallet are shown of a player. */
export const REMOTE_MOVES_MAX = 20;
/** A player's money in the wallet of the operator. */
const OperatorWallet = z.object({
  /** What it said last, minor units; null: it has not said anything yet. */
  said: z.nullable(z.object({ balance: Minor, at: When })),
  /** The newest first. */
  moves: z
    .array(
      z.object({
        id: z.string(),
        /** When it was written down, before its first call. */
        at: When,
        /** Out of the operator's wallet for a machine, or back into it. */
        direction: z.enum(["out", "back"]),
        amount: PositiveMinor,
        /** `unknown`: a call had no answer, and it is called until there is one. `booked`: here; `undone`, `sent`: there again. */
        state: z.enum(["open", "unknown", "refused", "booked", "undone", "sent"]),
      }),
    )
    .check(z.maxLength(REMOTE_MOVES_MAX)),
});

export const PlayerRow = z.object({
  player: PlayerRef,
  name: z.nullable(z.string()),
  state: z.enum(["active", "banned", "excluded"]),
  machine: z.nullable(MachineRef),
  addedAt: When,
  lastSeen: z.nullable(When),
  /** Null: the caller may not see wallets. */
  wallet: z.nullable(Wallet),
});
/** One limit of a player. Minor units; of `time` and `session` minutes. */
const CountedLimit = z.object({
  key: LimitSubject,
  /** The strictest of all owners; null: no limit. */
  value: z.nullable(Minor),
  owner: z.nullable(z.enum(["player", "operator", "market"])),
  used: Minor,
  /** A looser limit of player or operator that waits. `asksAgain`: only with the player's yes after `from`. */
  later: z.nullable(z.object({ value: z.nullable(Minor), from: When, asksAgain: z.boolean() })),
});
export const PlayerLimits = z.object({
  /** Every limit that can be set, also without a value. The fields below say three of them again. */
  counted: z.array(CountedLimit),
  cashIn24h: z.nullable(PositiveMinor),
  loss24h: z.nullable(PositiveMinor),
  sessionMinutes: z.nullable(z.int()),
  excludedUntil: z.nullable(When),
  /** Looser limits that begin after 24 hours. */
  later: z.nullable(
    z.object({
      from: When,
      cashIn24h: z.nullable(PositiveMinor),
      loss24h: z.nullable(PositiveMinor),
      sessionMinutes: z.nullable(z.int()),
    }),
  ),
});
export const PlayerDetail = z.object({
  ...PlayerRow.shape,
  /** Shown in part; `revealContact` shows all of it and writes an audit entry. */
  email: z.nullable(z.string()),
  limits: PlayerLimits,
  used: z.object({ cashIn24h: Minor, loss24h: SignedMinor }),
  /** Null: the wallet is ours, and `wallet` has all of it. */
  operatorWallet: z.nullable(OperatorWallet),
  signIns: z.array(z.object({ id: z.string(), address: z.string(), since: When })),
  /** How many passkeys sign the player in, and how many recovery codes are left. */
  passkeys: z.int(),
  recoveryCodes: z.int(),
  /** The player has an authenticator app beside the password. */
  hasApp: z.boolean(),
  notes: z.array(z.object({ at: When, person: PersonRef, text: z.string() })),
});
export const PlayerSessionRow = z.object({
  id: OwnId,
  machine: MachineRef,
  start: When,
  end: z.nullable(When),
  endReason: z.nullable(z.string()),
  games: z.int(),
  cashedIn: Minor,
  cashedOut: Minor,
  net: SignedMinor,
});
export const WalletRow = z.object({
  id: z.string(),
  at: When,
  /** `deposit`, `withdrawal`, `cashIn`, `cashOut`, `handPay`, `bonus`, `discount`, `fee`, `correction`. */
  kind: z.string(),
  /** What the wallet gained, below zero: gave. */
  amount: SignedMinor,
  balance: Minor,
  person: z.nullable(z.string()),
  receipt: z.nullable(z.string()),
  reason: z.nullable(z.string()),
});

/** The most cash that a drawer may begin with: ten million of the currency. */
const FLOAT_MINOR_MAX = 1_000_000_000;
export const Shift = z.object({
  id: OwnId,
  cashier: PersonRef,
  desk: z.string(),
  openedAt: When,
  closedAt: z.nullable(When),
  float: Minor,
  /** Null for the shift's own cashier while it is open: the count is blind. */
  cashIn: z.nullable(z.int()),
  cashOut: z.nullable(z.int()),
  /** Null while the shift is open. Below zero: more was paid out than float and deposits were. */
  expected: z.nullable(z.int()),
  counted: z.nullable(Minor),
  difference: z.nullable(z.int()),
  note: z.nullable(z.string()),
});
/** What is printed. Numbers rise without a gap in one venue. */
export const Receipt = z.object({
  number: z.int(),
  kind: z.enum(["deposit", "withdrawal"]),
  at: When,
  player: PlayerRef,
  amount: PositiveMinor,
  balance: Minor,
  cashier: PersonRef,
  signedBy: z.nullable(PersonRef),
  shift: OwnId,
  reason: z.string(),
  /** The venue switched the second person off. */
  onePerson: z.boolean(),
});
export const Slip = z.object({
  /** Rises by one, without a gap, also over voids. */
  number: z.int(),
  state: z.enum(["paid", "voided"]),
  kind: z.enum(["win", "jackpot", "cancelledCredits"]),
  machine: MachineRef,
  player: z.nullable(PlayerRef),
  /** As the machine owes it, and as it was paid; they differ where two people overrode it. */
  machineAmount: PositiveMinor,
  paidAmount: Minor,
  at: When,
  paidBy: PersonRef,
  signedBy: z.nullable(PersonRef),
  voidedBy: z.nullable(PersonRef),
  reason: z.nullable(z.string()),
  onePerson: z.boolean(),
});
export const HandPayRow = z.object({
  machine: MachineRef,
  handPay: z.string(),
  kind: z.enum(["win", "jackpot", "cancelledCredits"]),
  amount: PositiveMinor,
  player: z.nullable(PlayerRef),
  since: When,
  state: z.enum(["owed", "paid", "voided"]),
  slip: z.nullable(Slip),
});

/** A witness of an unresolved amount: what it says, since when, and that it is silent. */
const Witness = z.object({
  says: z.enum(["done", "refused", "neverSeen", "unknown", "nothing"]),
  at: z.nullable(When),
  amount: z.nullable(SignedMinor),
  lines: z.array(EvidenceLine),
});
export const UnresolvedTransfer = z.object({
  id: z.string(),
  machine: MachineRef,
  player: PlayerRef,
  direction: z.enum(["cashIn", "cashOut"]),
  state: z.enum(["asking", "unknown"]),
  /** Null: everything on the machine. */
  amount: z.nullable(Minor),
  since: When,
  /** The node that asks the machine's record, how often it did, and the last answer. */
  node: z.string(),
  queries: z.int(),
  lastAnswer: z.nullable(z.string()),
  machineRecord: Witness,
  agentJournal: Witness,
  ledger: Witness,
});
export const Discrepancy = z.object({
  number: z.int(),
  kind: z.enum(["settle", "late", "claim", "meters", "games"]),
  machine: MachineRef,
  session: z.nullable(OwnId),
  player: z.nullable(PlayerRef),
  foundAt: When,
  ledgerAmount: SignedMinor,
  machineAmount: SignedMinor,
  inSuspense: SignedMinor,
  /** Line by line, what was expected beside what was found. */
  lines: z.array(z.object({ label: z.string(), ledger: z.nullable(SignedMinor), machine: z.nullable(SignedMinor) })),
  state: z.enum(["open", "explained"]),
  explanation: z.nullable(z.string()),
  explainedAt: z.nullable(When),
  explainedBy: z.nullable(z.string()),
});
/** A posting before it is made. */
const PlannedPosting = z.object({ account: z.string(), amount: SignedMinor });

const money = actBody({
  amount: PositiveMinor,
  reason: Reason,
  /** The number of the venue's own paper receipt, used once. Absent: ours. */
  receipt: z.optional(ShortText),
  /** The payment of a code that it makes (`paymentOfCode`): of this player, and of its whole amount. */
  payment: z.optional(OwnId),
});

/** Players, desk, hand pays, unresolved money and promotions. */
export const moneyCalls = {
  players: {
    method: "GET",
    path: "players",
    query: z.strictObject({
      ...page,
      search: z.optional(z.union([z.literal(""), ShortText])),
      view: z._default(z.enum(["all", "atMachines", "limits", "keptOut"]), "all"),
    }),
    answer: listOf(PlayerRow),
    for: "player.find",
  },
  player: { method: "GET", path: "players/{id}", answer: PlayerDetail, for: "player.see" },
  playerSessions: {
    method: "GET",
    path: "players/{id}/sessions",
    query: z.strictObject(page),
    answer: listOf(PlayerSessionRow),
    for: "player.see",
  },
  playerWallet: {
    method: "GET",
    path: "players/{id}/wallet",
    query: z.strictObject(page),
    answer: listOf(WalletRow),
    for: "player.see",
  },
  /** The same figures as the player's own statement: a year by month, by the venue's clock. `year`: the present one where it is left out. */
  playerStatement: {
    method: "GET",
    path: "players/{id}/statement",
    query: z.strictObject({ year: StatementQuery.shape.year }),
    answer: Statement,
    for: "player.see",
  },
  /** The last games of the player, the newest first. */
  playerGames: {
    method: "GET",
    path: "players/{id}/games",
    answer: z.object({ games: z.array(PlayedGame).check(z.maxLength(RECALLED_GAMES)) }),
    for: "player.see",
  },
  revealContact: {
    method: "POST",
    path: "players/{id}/contact",
    body: actBody({ reason: Reason }),
    answer: actAnswer(z.object({ email: z.nullable(z.string()) })),
    for: "player.see",
  },
  addPlayer: {
    method: "POST",
    path: "players/add",
    body: actBody({
      username: lineOf(64).check(z.minLength(4)),
      name: z.optional(ShortText),
      email: z.optional(z.email().check(z.maxLength(254))),
    }),
    /** `password` is shown once; the player changes it. */
    answer: actAnswer(z.object({ player: PlayerRef, password: z.string() })),
    for: "player.add",
  },
  notePlayer: {
    method: "POST",
    path: "players/{id}/notes",
    body: actBody({ text: NoteText }),
    answer: ActDone,
    for: "player.see",
  },
  banPlayer: {
    method: "POST",
    path: "players/{id}/ban",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "player.lock",
    stepUp: true,
  },
  unbanPlayer: {
    method: "POST",
    path: "players/{id}/unban",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "player.lock",
    stepUp: true,
  },
  endPlayerSignIns: {
    method: "POST",
    path: "players/{id}/end-sign-ins",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "player.lock",
  },
  /** Removes every passkey and recovery code of the player, and ends the sign-ins: for a player whose device somebody else has. */
  removePlayerKeys: {
    method: "POST",
    path: "players/{id}/keys/remove",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "player.lock",
    stepUp: true,
  },
  newPlayerPassword: {
    method: "POST",
    path: "players/{id}/password",
    body: actBody({ reason: Reason }),
    answer: actAnswer(z.object({ password: z.string() })),
    for: "player.lock",
    stepUp: true,
  },
  stricterLimits: {
    method: "POST",
    path: "players/{id}/limits/stricter",
    body: actBody({
      /** By name, `loss.week`. Minor units; of `time` and `session` minutes. The three fields below name limits too. */
      limits: z.optional(z.partialRecord(LimitSubject, PositiveMinor)),
      cashIn24h: z.optional(PositiveMinor),
      loss24h: z.optional(PositiveMinor),
      sessionMinutes: z.optional(z.int().check(z.gte(1), z.lte(1_440))),
      excludeUntil: z.optional(When),
      reason: Reason,
    }),
    answer: ActDone,
    for: "limit.stricter",
  },
  /** Begins after the wait of the market, 24 hours or more, and perhaps only with the player's yes. Lifting an exclusion waits for a second person. */
  looserLimits: {
    method: "POST",
    path: "players/{id}/limits/looser",
    body: actBody({
      limits: z.optional(z.partialRecord(LimitSubject, z.nullable(PositiveMinor))),
      cashIn24h: z.optional(z.nullable(PositiveMinor)),
      loss24h: z.optional(z.nullable(PositiveMinor)),
      sessionMinutes: z.optional(z.nullable(z.int().check(z.gte(1), z.lte(1_440)))),
      liftExclusion: z.optional(z.literal(true)),
      /** The player's wish, quoted. */
      reason: Reason,
    }),
    answer: ActDone,
    for: "limit.looser",
    stepUp: true,
  },
  /** Needs an open shift of the caller. Above the caller's limit it waits for a second person. */
  deposit: {
    method: "POST",
    path: "players/{id}/deposit",
    body: money,
    answer: actAnswer(z.object({ before: Minor, after: Minor, receipt: z.nullable(Receipt) })),
    for: "wallet.move",
    stepUp: true,
  },
  withdraw: {
    method: "POST",
    path: "players/{id}/withdraw",
    body: money,
    answer: actAnswer(z.object({ before: Minor, after: Minor, receipt: z.nullable(Receipt) })),
    for: "wallet.move",
    stepUp: true,
  },
  receipt: { method: "GET", path: "receipts/{number}", answer: Receipt, for: ["wallet.move", "shift.see"] },
  /** The caller's open shift; null: none. It shows no sums: the count is blind. */
  myShift: { method: "GET", path: "shift", answer: z.object({ shift: z.nullable(Shift) }), for: "shift.own" },
  openShift: {
    method: "POST",
    path: "shift/open",
    body: actBody({ desk: ShortText, float: Minor.check(z.lte(FLOAT_MINOR_MAX)) }),
    answer: actAnswer(Shift),
    for: "shift.own",
  },
  /** The count is made before the page shows what should be there: there is no dry run. */
  closeShift: {
    method: "POST",
    path: "shift/close",
    body: actBody({ counted: Minor, note: z.optional(Reason) }),
    answer: actAnswer(Shift),
    for: "shift.own",
  },
  shifts: {
    method: "GET",
    path: "shifts",
    query: z.strictObject({ ...page, day: z.optional(Day) }),
    answer: listOf(Shift),
    for: "shift.see",
  },
  handPays: {
    method: "GET",
    path: "hand-pays",
    query: z.strictObject({ ...page, state: z._default(z.enum(["owed", "paid", "voided", "all"]), "owed") }),
    answer: listOf(HandPayRow),
    for: "handPay.see",
  },
  slip: { method: "GET", path: "slips/{number}", answer: Slip, for: "handPay.see" },
  payHandPay: {
    method: "POST",
    path: "machines/{id}/hand-pay",
    body: actBody({
      handPay: WireId,
      /** What the machine owes, as the person saw it. */
      machineAmount: PositiveMinor,
      /** Another amount needs a reason and a second person; both are kept. */
      override: z.optional(z.strictObject({ amount: PositiveMinor, reason: Reason })),
    }),
    answer: actAnswer(z.object({ slip: z.nullable(Slip), machineReset: z.boolean() })),
    for: "handPay.pay",
    stepUp: true,
  },
  /** Always waits for a second person. */
  voidSlip: {
    method: "POST",
    path: "slips/{number}/void",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "handPay.void",
    stepUp: true,
  },
  unresolved: { method: "GET", path: "unresolved", answer: listOf(UnresolvedTransfer), for: "transfer.see" },
  /** The one safe action: reads the machine's own record again. */
  askAgain: {
    method: "POST",
    path: "unresolved/{id}/ask-again",
    body: actBody({}),
    answer: actAnswer(UnresolvedTransfer),
    for: "transfer.askAgain",
  },
  discrepancies: {
    method: "GET",
    path: "discrepancies",
    query: z.strictObject({ ...page, state: z._default(z.enum(["open", "explained", "all"]), "open") }),
    answer: listOf(Discrepancy),
    for: "discrepancy.see",
  },
  discrepancy: { method: "GET", path: "discrepancies/{number}", answer: Discrepancy, for: "discrepancy.see" },
  /** Always waits for a second person. A dry run shows the postings. */
  explainDiscrepancy: {
    method: "POST",
    path: "discrepancies/{number}/explain",
    body: actBody({
      /** Whose the money is that waits in suspense. */
      owner: z.enum(["player", "platform", "none"]),
      reason: Reason,
    }),
    answer: actAnswer(z.object({ postings: z.array(PlannedPosting) })),
    for: "discrepancy.explain",
    stepUp: true,
  },
  grantBonus: {
    method: "POST",
    path: "players/{id}/bonus",
    body: actBody({ amount: PositiveMinor, expiresAt: When, reason: Reason }),
    answer: ActDone,
    for: "bonus.grant",
    stepUp: true,
  },
} as const satisfies Record<string, StaffCall>;
