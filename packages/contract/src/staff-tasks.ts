import * as z from "zod/mini";
import { OwnId } from "./ids.ts";
import { SignedMinor } from "./money.ts";
import type { StaffCall } from "./staff-call.ts";
import {
  ActDone,
  actAnswer,
  actBody,
  lineOf,
  listOf,
  MachineRef,
  PersonRef,
  PlayerRef,
  page,
  Reason,
  When,
} from "./staff-call.ts";
import { ROLE_NAMES } from "./staff-rights.ts";

/** What needs a person. Each kind has a page in `docs/runbooks` (`runbookOf`). */
export const TASK_KINDS = [
  "handPay",
  "unknownTransfer",
  "discrepancy",
  "machineLocked",
  "machineSilent",
  "agentAway",
  "call",
  "approval",
  "stopReason",
  "stopRelease",
  "reconciliation",
  "audit",
  "ledger",
  "bus",
  "clock",
  "delivery",
  "remoteWallet",
  "paymentProvider",
  "paymentTrouble",
  "settings",
  "register",
  "care",
  "dispute",
  "disputeLate",
  "samePerson",
  "shiftDifference",
  "seatStuck",
  "unclaimedCredits",
  "orphanedMoney",
  "eventsLost",
  "machineMoved",
  "machineRestored",
  "unrecorded",
  "evidenceDiffers",
] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** The file of a kind in `docs/runbooks`, without its ending: `hand-pay`. */
export const runbookOf = (kind: TaskKind): string => kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const Task = z.object({
  /** Stable while the cause lasts: kind and subject. */
  id: z.string().check(z.maxLength(200)),
  /** Of this task alone: when the same cause comes again, that is another number. */
  number: z.int(),
  kind: z.enum(TASK_KINDS),
  group: z.enum(["now", "hour", "shift"]),
  /** `machine:nar-01`, `agent:ag_…`, `approval:ap_…`, `discrepancy:12`, `transfer:tr_…`, `call:7`, `stop:st_…`. */
  subject: z.string(),
  machine: z.nullable(MachineRef),
  player: z.nullable(PlayerRef),
  /** Minor units; null: no money is concerned. */
  amount: z.nullable(SignedMinor),
  /** What more a sentence needs, such as `lockup: "door"`. */
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  since: When,
  /** When it should be done by. */
  target: When,
  owner: z.nullable(PersonRef),
  /** The role that it is for now: the first one of its kind, or the one to which it was escalated. */
  role: z.enum(ROLE_NAMES),
  escalated: z.boolean(),
  /** When it goes to the role above by itself; null: no role is above that may see it. */
  escalatesAt: z.nullable(When),
  snoozedUntil: z.nullable(When),
  /** The caller has the permission for its next step. */
  mayAct: z.boolean(),
  /** `cause`: it is over when its cause is. `person`: somebody says that it is settled (`closeTask`). */
  ends: z.enum(["cause", "person"]),
});
export type Task = z.infer<typeof Task>;

/** When tasks of a kind should be done by, and when they go to the role above while they are unassigned. */
export const TaskTimes = z.object({
  kind: z.enum(TASK_KINDS),
  targetS: z.int(),
  escalateS: z.int(),
  /** False: the venue keeps the defaults. */
  changed: z.boolean(),
});
export type TaskTimes = z.infer<typeof TaskTimes>;

const seconds = (least: number) => z.int().check(z.gte(least), z.lte(604_800));
const onTask = { method: "POST", answer: ActDone, for: "task.take" } as const;

/** Today: what needs a person. */
export const taskCalls = {
  tasks: { method: "GET", path: "tasks", answer: listOf(Task), for: "floor.see" },
  claimTask: { ...onTask, path: "tasks/{id}/claim", body: actBody({}) },
  releaseTask: { ...onTask, path: "tasks/{id}/release", body: actBody({}) },
  assignTask: { ...onTask, path: "tasks/{id}/assign", body: actBody({ person: OwnId }) },
  /** To the role above. */
  escalateTask: { ...onTask, path: "tasks/{id}/escalate", body: actBody({ reason: Reason }) },
  /** Ten minutes, once; a task of the group `now` is refused. */
  snoozeTask: { ...onTask, path: "tasks/{id}/snooze", body: actBody({}) },
  /** Says that it is settled: only where `ends` is `person`, and who has the permission for its next step. */
  closeTask: { ...onTask, path: "tasks/{id}/close", body: actBody({ reason: Reason }), for: "floor.see" },
  taskTimes: { method: "GET", path: "task-times", answer: listOf(TaskTimes), for: "floor.see" },
  setTaskTimes: {
    method: "POST",
    path: "task-times/{kind}",
    body: actBody({ targetS: seconds(10), escalateS: seconds(5), reason: Reason }),
    answer: ActDone,
    for: "settings.change",
  },
} as const satisfies Record<string, StaffCall>;

/** A fact on its way to the operator's webhook, or an e-mail on its way to the mail server. */
export const Delivery = z.object({
  id: z.string(),
  channel: z.enum(["webhook", "mail"]),
  /** `webhook-id`: the same for each repeat. */
  fact: z.string(),
  type: z.string(),
  subject: z.string(),
  state: z.enum(["waiting", "done", "dead", "dropped"]),
  /** Tries so far. */
  attempts: z.int(),
  madeAt: When,
  triedAt: z.nullable(When),
  /** When it is tried next; null: not any more. */
  dueAt: z.nullable(When),
  /** When it arrived, was given up or was dropped; null: it waits. */
  endedAt: z.nullable(When),
  /** What came of the last try: a status, or why there was none. */
  lastAnswer: z.nullable(z.string()),
});

/** One delivery, with what is sent and each try that failed. */
export const DeliveryWhole = z.extend(Delivery, {
  /** Where it goes, without name, password, query and fragment; null: the server is configured for it no more. */
  endpoint: z.nullable(z.string()),
  /** The report's number, by which a receiver puts reports in their order. */
  seq: z.int(),
  /** `data` of the report as JSON, by lines; null: an e-mail, whose content staff does not read. */
  data: z.nullable(z.string()),
  /** The oldest first, forty at most; `answer` null: a person sent it again here. */
  failures: z.array(z.object({ at: When, answer: z.nullable(z.string()) })),
  /** Newer reports about the same subject that have arrived: sent again, this one comes after them. */
  overtakenBy: z.int(),
});

/** The operator's webhook: where it goes is a setting of the server. */
export const deliveryCalls = {
  deliveries: {
    method: "GET",
    path: "deliveries",
    query: z.strictObject({ ...page, state: z.optional(z.enum(["waiting", "done", "dead", "dropped", "all"])) }),
    answer: z.extend(listOf(Delivery), {
      /** False: the server has no webhook. */
      configured: z.boolean(),
      waiting: z.int(),
      dead: z.int(),
      /** Since when the oldest of these is given up; null: none is. */
      deadSince: z.nullable(When),
    }),
    for: "settings.see",
  },
  delivery: { method: "GET", path: "deliveries/{id}", answer: DeliveryWhole, for: "settings.see" },
  /** Every dead one from its first try, the oldest first, 10,000 at once. */
  resendDeliveries: {
    method: "POST",
    path: "deliveries/resend",
    body: actBody({}),
    answer: actAnswer(z.object({ sent: z.int(), left: z.int() })),
    for: "settings.change",
  },
  /** From its first try; only of a dead one. */
  resendDelivery: {
    method: "POST",
    path: "deliveries/{id}/resend",
    body: actBody({}),
    answer: ActDone,
    for: "settings.change",
  },
  /** It is not sent any more. */
  dropDelivery: {
    method: "POST",
    path: "deliveries/{id}/drop",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "settings.change",
  },
  /** Sends a fact of the type `webhook.test`. */
  testWebhook: { method: "POST", path: "deliveries/test", body: actBody({}), answer: ActDone, for: "settings.change" },
} as const satisfies Record<string, StaffCall>;

/** What a member of staff is notified of: a task that came, was escalated, or was given to them. */
export const Notice = z.object({
  /** Rises with each. */
  seq: z.int(),
  at: When,
  event: z.enum(["opened", "escalated", "assigned"]),
  /** The task's id and number. */
  task: z.string(),
  number: z.int(),
  kind: z.enum(TASK_KINDS),
  group: z.enum(["now", "hour", "shift"]),
  /** How it is announced: `stop` cannot be muted. */
  tone: z.enum(["stop", "urgent", "forYou", "info"]),
  machine: z.nullable(MachineRef),
  amount: z.nullable(SignedMinor),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /** Null: it is unassigned. */
  owner: z.nullable(PersonRef),
  /** The task is still open. */
  open: z.boolean(),
  /** It is for this person and unassigned: it rings until somebody takes it. */
  rings: z.boolean(),
  read: z.boolean(),
});
export type Notice = z.infer<typeof Notice>;

/** A browser that accepts pushes. */
export const PushDevice = z.object({
  id: OwnId,
  label: z.string(),
  addedAt: When,
  usedAt: z.nullable(When),
});
const base64url = (most: number) => z.string().check(z.minLength(8), z.maxLength(most), z.regex(/^[A-Za-z0-9_-]+=*$/));

/** Notifications of the caller: the list, and the devices that they are pushed to. */
export const noticeCalls = {
  notices: {
    method: "GET",
    path: "notices",
    answer: z.extend(listOf(Notice), { unread: z.int() }),
    for: "own",
  },
  /** Everything up to this one is read, on every device. */
  readNotices: {
    method: "POST",
    path: "notices/read",
    body: z.strictObject({ upTo: z.int().check(z.gte(0)) }),
    answer: z.object({}),
    for: "own",
  },
  pushDevices: {
    method: "GET",
    path: "me/push-devices",
    /** `publicKey` goes into `pushManager.subscribe`. */
    answer: z.extend(listOf(PushDevice), { publicKey: z.string() }),
    for: "own",
  },
  addPushDevice: {
    method: "POST",
    path: "me/push-devices",
    body: actBody({
      endpoint: z.url().check(z.maxLength(1_000)),
      p256dh: base64url(200),
      auth: base64url(100),
      label: lineOf(200),
      language: z.enum(["en", "tr", "ar"]),
    }),
    answer: actAnswer(z.object({ id: OwnId })),
    for: "own",
  },
  removePushDevice: {
    method: "POST",
    path: "me/push-devices/{id}/remove",
    body: actBody({}),
    answer: ActDone,
    for: "own",
  },
} as const satisfies Record<string, StaffCall>;
