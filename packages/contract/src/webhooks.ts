import * as z from "zod/mini";
import { OwnId } from "./ids.ts";
import { Minor, SignedMinor } from "./money.ts";
import { PlayedGame } from "./player-record.ts";
import { When } from "./staff-call.ts";

/* What the platform reports to the operator's webhook (docs/operating/watching.md): Standard Webhooks 1.0, and the data of each type of report. */

/** A schema that the OpenAPI document has under this name. */
const named = <S extends z.ZodMiniObject>(id: string, schema: S): S => schema.check(z.meta({ id }));

const player = OwnId.check(z.describe("Ours."));
const machine = z.nullable(OwnId);
const Text = z.string();

const TaskReport = named(
  "TaskReport",
  z.object({
    task: z.int(),
    id: Text,
    kind: Text.check(z.describe("A kind of task; the list may get more.")),
    group: Text.check(z.describe("How soon: now, hour or shift.")),
    subject: Text,
    machine,
    machineName: z.nullable(Text),
    amount: z.nullable(SignedMinor),
    since: When,
    target: When.check(z.describe("When it should be done.")),
    role: z.nullable(Text),
    owner: z.nullable(Text),
    by: z.nullable(Text).check(z.describe("Who did it; null: the platform.")),
  }),
);
const PlayerReport = named("PlayerReport", z.object({ player }));
const WalletReport = named(
  "WalletReport",
  z.object({
    player,
    transfer: Text,
    amount: SignedMinor.check(z.describe("What the wallet gained; below zero: what it gave.")),
    balance: SignedMinor.check(z.describe("What it held then.")),
    machine,
    at: When,
  }),
);
const by = z.enum(["player", "house"]);
const { number, stake, win, handPaid, before, after, freeSpins, bonus } = PlayedGame.shape;
const GameReport = named(
  "GameReport",
  z.object({
    player,
    machine: OwnId,
    session: OwnId.check(z.describe("The play session.")),
    game: Text.check(z.describe("The machine's number of the game, a dot, and the machine: the same for ever.")),
    number: number.check(z.describe("Rises with each game of the machine.")),
    stake,
    win,
    handPaid: handPaid.check(z.describe("The part of `win` that was left to be paid by hand.")),
    before: before.check(z.describe("The credit on the machine.")),
    after,
    freeSpins: freeSpins.check(z.describe("Null: the machine does not say.")),
    bonus,
    start: When,
    end: When,
  }),
);

type Report = {
  readonly about: string;
  /** What it is about, such as this. */
  readonly subject: string;
  readonly data: z.ZodMiniType;
  readonly example: object;
};

const AT = "2026-11-29T08:00:03.000Z";
const PLAYER = { player: "p_8f3kq" };
const subject = `player:${PLAYER.player}`;
const task = (about: string) =>
  ({
    ...{ about, subject: "task:17", data: TaskReport },
    example: {
      ...{ task: 17, id: "tk_17", kind: "handPay", group: "now", subject: "machine:nar-03", machine: "nar-03" },
      ...{ machineName: "Nar 3", amount: 1_245_000, since: AT, target: "2026-11-29T08:05:03.000Z", role: "attendant" },
      ...{ owner: null, by: null },
    },
  }) as const;
const account = (about: string) => ({ about, subject, data: PlayerReport, example: PLAYER }) as const;
const wallet = (about: string) =>
  ({
    ...{ about, subject, data: WalletReport },
    example: { ...PLAYER, transfer: "staff:receipt-1042", amount: 5_000, balance: 12_000, machine: null, at: AT },
  }) as const;

/** Every type of report; it may get more. */
export const webhookReports = {
  "task.opened": task("Staff has a task."),
  "task.assigned": task("A task has an owner."),
  "task.released": task("A task has no owner any more."),
  "task.escalated": task("A task was left too long."),
  "task.closed": task("A task is done."),
  "player.added": account("A player was added."),
  "player.banned": account("A player was banned."),
  "player.unbanned": account("A player is banned no more."),
  "wallet.deposit": wallet("Money came into a wallet."),
  "wallet.withdraw": wallet("Money left a wallet."),
  "wallet.chargeBack": wallet("Money was called back."),
  "wallet.cashIn": wallet("Money went onto a machine."),
  "wallet.cashOut": wallet("Money came back from a machine."),
  "wallet.handPay": wallet("A win was paid by hand."),
  "wallet.jackpot": wallet("A jackpot was paid."),
  "wallet.bonus": wallet("A bonus was granted."),
  "wallet.discount": wallet("A discount was granted."),
  "wallet.fee": wallet("A service was paid, or a fee came back."),
  "wallet.suspense": wallet("A difference was settled."),
  "wallet.correction": wallet("A transfer was corrected."),
  "player.limit": {
    about: "A limit was set.",
    subject,
    data: z.object({
      player,
      limit: Text,
      value: z.nullable(Minor).check(z.describe("Minor units; of time and session minutes. Null: none.")),
      by,
      from: When,
    }),
    example: { ...PLAYER, limit: "loss.week", value: 20_000, by: "player", from: AT },
  },
  "player.exclusion": {
    about: "A player is excluded from play.",
    subject,
    data: z.object({ player, by, from: When, until: z.nullable(When).check(z.describe("Null: no more.")) }),
    example: { ...PLAYER, by: "house", from: AT, until: "2027-05-29T08:00:00.000Z" },
  },
  "player.break": {
    about: "A player takes a break, or has to.",
    subject,
    data: z.object({ player, kind: Text, from: When, until: When }),
    example: { ...PLAYER, kind: "timeOut", from: AT, until: "2026-11-30T08:00:03.000Z" },
  },
  "player.reopening": {
    about: "A player opens play again after an exclusion.",
    subject,
    data: z.object({ player, from: When }),
    example: { ...PLAYER, from: AT },
  },
  "player.identity": {
    about: "The identity of a player was decided on.",
    subject,
    data: z.object({ player, state: Text }),
    example: { ...PLAYER, state: "verified" },
  },
  "queue.called": {
    about: "It is a player's turn at a machine.",
    subject: "place:qp_71",
    data: z.object({ player, machine: OwnId, machineName: z.nullable(Text), seconds: z.number(), until: When }),
    example: { ...PLAYER, machine: "nar-03", machineName: "Nar 3", seconds: 30, until: AT },
  },
  "question.answered": {
    ...account("A question about a game has its verdict, or staff has a question."),
    subject: "dispute:dp_71",
  },
  "game.ended": {
    about: "A player's game has ended. Only with WEBHOOK_GAMES.",
    subject: `games:${PLAYER.player}`,
    data: GameReport,
    example: {
      ...{ ...PLAYER, machine: "nar-01", session: "ps_71", game: "17.nar-01", number: 17, stake: 100, win: 250 },
      ...{ handPaid: 0, before: 1_000, after: 1_150, freeSpins: null, bonus: null },
      ...{ start: "2026-11-29T08:00:00.000Z", end: AT },
    },
  },
  "webhook.test": {
    about: "Staff tries whether you receive.",
    subject: "staff:st_1",
    data: z.object({ by: Text, version: Text }),
    example: { by: "st_1", version: "1.0.0" },
  },
} as const satisfies Record<string, Report>;
export type WebhookReportType = keyof typeof webhookReports;

/** The body of a report. `webhook-id` of its headers is the same in each repeat. */
export const WebhookReport = z.object({
  type: z.string().check(z.maxLength(100)),
  timestamp: When,
  seq: z.int().check(z.describe("Rises; reports about one subject arrive in its order.")),
  subject: z.string().check(z.maxLength(200)),
  data: z.record(z.string(), z.unknown()),
});
