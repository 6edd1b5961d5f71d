import * as z from "zod/mini";
import { OwnId } from "./ids.ts";
import { Minor, PositiveMinor, SignedMinor } from "./money.ts";
import type { StaffCall } from "./staff-call.ts";
import { ActDone, actAnswer, actBody, Day, listOf, page, Reason, ShortText, When } from "./staff-call.ts";

const Facts = z.record(z.string(), z.unknown());
export const AuditEntry = z.object({
  position: z.string(),
  at: When,
  source: z.string(),
  type: z.string(),
  actor: z.string(),
  subject: z.nullable(z.string()),
  address: z.nullable(z.string()),
  before: z.nullable(Facts),
  after: z.nullable(Facts),
  facts: Facts,
});
const filter = {
  from: z.optional(When),
  to: z.optional(When),
  type: z.optional(z.string().check(z.maxLength(64))),
  actor: z.optional(z.string().check(z.maxLength(200))),
  subject: z.optional(z.string().check(z.maxLength(200))),
};
export const ChainProof = z.object({
  links: z.int(),
  waiting: z.int(),
  whole: z.boolean(),
  breaches: z.array(z.object({ is: z.string(), position: z.nullable(z.int()), sentence: z.string() })),
  /** The newest link, to be written down elsewhere. Null: no link yet. */
  witness: z.nullable(z.object({ position: z.int(), hash: z.string() })),
  checkedAt: When,
});

/** Rows of the slot performance report (Mississippi 13-8-4-14 names its columns). Money in minor units; shares in 1/10,000. */
export const ReportRow = z.object({
  /** Machine, brand, denomination or day, by `by`. */
  key: z.string(),
  name: z.string(),
  machines: z.int(),
  coinIn: Minor,
  coinOut: Minor,
  /** Cash-ins to machines. */
  drop: Minor,
  cashOut: Minor,
  handPays: Minor,
  jackpots: Minor,
  /** Coin-in − coin-out − hand pays. */
  win: SignedMinor,
  /** Null: the paytable sheet was not entered. */
  theoreticalHold: z.nullable(z.int()),
  actualHold: z.nullable(z.int()),
  /** Actual − theoretical, in shares and in money. */
  variance: z.nullable(z.int()),
  varianceAmount: z.nullable(SignedMinor),
  /** Half the width of the 95 % band around the theoretical hold. */
  band95: z.nullable(z.int()),
  games: z.int(),
  sessions: z.int(),
  playSeconds: z.int(),
  promotions: Minor,
  watchers: z.int(),
  delayMsP95: z.nullable(z.number()),
  unexplained: SignedMinor,
});
export const Report = z.object({
  by: z.enum(["machine", "brand", "denomination", "day", "month", "year"]),
  from: Day,
  to: Day,
  rows: z.array(ReportRow),
  total: ReportRow,
  /** The roll-up tables were found equal to ledger and games. */
  proved: z.object({ at: When, holds: z.boolean() }),
  madeAt: When,
  version: z.string(),
  timeZone: z.string(),
  dayBeginsMinutes: z.int(),
});
const reportQuery = z.strictObject({
  by: z._default(z.enum(["machine", "brand", "denomination", "day", "month", "year"]), "machine"),
  from: Day,
  to: Day,
});

export const AgentRow = z.object({
  id: OwnId,
  name: z.string(),
  machines: z.array(z.string()),
  linked: z.boolean(),
  node: z.nullable(z.string()),
  enrolledAt: When,
  revokedAt: z.nullable(When),
});
export const KeyRow = z.object({ id: z.string(), for: z.string(), madeAt: When, inUse: z.boolean() });
export const SettingsVersion = z.object({
  number: z.int(),
  at: When,
  by: z.string(),
  reason: z.nullable(z.string()),
  equals: z.nullable(z.int()),
});

/** Reports, audit, agents, keys and settings. */
export const recordCalls = {
  report: { method: "GET", path: "reports/slots", query: reportQuery, answer: Report, for: "report.see" },
  /** Games by hour of the day and day of the week, in the venue's time zone. */
  occupancy: {
    method: "GET",
    path: "reports/occupancy",
    query: z.strictObject({ from: Day, to: Day }),
    answer: z.object({
      cells: z.array(z.object({ weekday: z.int(), hour: z.int(), playSeconds: z.int(), games: z.int() })),
      asOf: When,
    }),
    for: "report.see",
  },
  myFigures: {
    method: "GET",
    path: "reports/mine",
    answer: z.object({
      handPays: z.int(),
      handPaid: Minor,
      deposits: Minor,
      withdrawals: Minor,
      tasksDone: z.int(),
      since: When,
    }),
    for: "report.own",
  },
  audit: {
    method: "GET",
    path: "audit",
    query: z.strictObject({ ...page, ...filter }),
    answer: listOf(AuditEntry),
    for: "audit.see",
  },
  proveAudit: {
    method: "POST",
    path: "audit/prove",
    body: actBody({
      witness: z.optional(
        z.strictObject({ position: z.int().check(z.gte(0)), hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)) }),
      ),
    }),
    answer: actAnswer(ChainProof),
    for: "audit.see",
  },
  agents: { method: "GET", path: "agents", answer: listOf(AgentRow), for: "agent.see" },
  enrolAgent: {
    method: "POST",
    path: "agents/enrol",
    body: actBody({ name: ShortText, reason: Reason }),
    answer: actAnswer(z.object({ agent: OwnId, key: z.string() })),
    for: "agent.manage",
    stepUp: true,
  },
  rotateAgent: {
    method: "POST",
    path: "agents/{id}/rotate",
    body: actBody({ reason: Reason }),
    answer: actAnswer(z.object({ key: z.string() })),
    for: "agent.manage",
    stepUp: true,
  },
  revokeAgent: {
    method: "POST",
    path: "agents/{id}/revoke",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "agent.manage",
    stepUp: true,
  },
  keys: { method: "GET", path: "keys", answer: listOf(KeyRow), for: "agent.manage" },
  /** A new key signs from now on; the old one still reads until what it signed has ended. */
  rotateKey: {
    method: "POST",
    path: "keys/{id}/rotate",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "agent.manage",
    stepUp: true,
  },
  /** Life cycle of a machine. */
  moveMachine: {
    method: "POST",
    path: "machines/{id}/move",
    body: actBody({ group: ShortText, reason: Reason }),
    answer: ActDone,
    for: "machine.configure",
  },
  retireMachine: {
    method: "POST",
    path: "machines/{id}/retire",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "machine.configure",
    stepUp: true,
  },
  /** After a RAM clear the meters begin anew: the reading of now is the baseline. */
  ramClear: {
    method: "POST",
    path: "machines/{id}/ram-clear",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "machine.configure",
    stepUp: true,
  },
  paytable: {
    method: "POST",
    path: "machines/{id}/paytable",
    body: actBody({
      /** The theoretical return, 1/10,000. */
      returnShare: z.int().check(z.gte(1), z.lte(10_000)),
      /** Standard deviation of one game's win, stakes times 100. */
      spread: z.int().check(z.gte(0), z.lte(1_000_000)),
      maxWin: z.optional(PositiveMinor),
      reason: Reason,
    }),
    answer: ActDone,
    for: "machine.configure",
    stepUp: true,
  },
  settings: {
    method: "GET",
    path: "settings",
    answer: z.object({
      version: z.int(),
      value: Facts,
      parameters: z.array(
        z.object({ name: z.string(), value: z.nullable(z.string()), setBy: z.enum(["environment", "default"]) }),
      ),
    }),
    for: "settings.see",
  },
  settingsVersions: {
    method: "GET",
    path: "settings/versions",
    query: z.strictObject(page),
    answer: listOf(SettingsVersion),
    for: "settings.see",
  },
  settingsVersion: {
    method: "GET",
    path: "settings/versions/{number}",
    answer: z.object({ ...SettingsVersion.shape, value: Facts }),
    for: "settings.see",
  },
  /** Makes a new version. `base` is the version that the person edited: another one by now is refused. */
  changeSettings: {
    method: "POST",
    path: "settings",
    body: actBody({ base: z.int().check(z.gte(0)), value: Facts, reason: z.optional(Reason) }),
    answer: actAnswer(z.object({ version: z.int(), changed: z.array(z.string()) })),
    for: "settings.change",
    stepUp: true,
  },
} as const satisfies Record<string, StaffCall>;
