import { openLedger } from "@longarm/ledger/ledger";
import type { DifferenceRow, Explained, ExplainOrder } from "../../../modules/play/books/index.ts";
import { explainDifference, listDifferences } from "../../../modules/play/books/index.ts";
import type { PlayTables } from "../../../modules/play/tables.ts";
import { openAudit } from "../../../modules/records/audit/index.ts";
import { readAmount, readWholeNumber, writeAmount } from "../../amount.ts";
import { asStaff, haveCarriedOut } from "../../as-staff.ts";
import { BY, readBy, whoAsks } from "../../ask-platform.ts";
import type { Command, CommandDeps, Given } from "../../command.ts";
import { CommandRefused, DRY_RUN, UsageProblem } from "../../command.ts";
import { count, tableLines, timeText } from "../../output/table.ts";
import { readReason } from "../../reading/reason.ts";

const ROWS_MAX = 10_000;
const ROWS_DEFAULT = 100;

/** Lists what machine and ledger differ in. */
export const suspenseList: Command = {
  words: "suspense list",
  about: "list differences between machines and ledger that a person must explain, and what of them is in suspense",
  more: [
    "  longarm suspense list --all",
    "",
    "settle, late: the ledger had money on an empty machine, which is in suspense now. claim: a machine said it moved more than it can have. meters:",
    "its running meters do not agree with what was booked. games: games were never told, or do not add up. While one is open nobody new sits down at the machine.",
  ].join("\n"),
  options: {
    all: { type: "boolean", about: "also those that are explained" },
    limit: {
      type: "string",
      value: "<rows>",
      about: `at most so many, 1 to ${ROWS_MAX} (${ROWS_DEFAULT}), newest first`,
    },
  },
  prepare(given) {
    const limit = readWholeNumber("limit", given.get("limit")?.toString() ?? String(ROWS_DEFAULT), 1, ROWS_MAX);
    return async ({ db, say }) => {
      const rows = await listDifferences(db, { open: !given.has("all"), limit });
      const { balanceMinor } = await openLedger(db).account("suspense");
      const head = [
        "number",
        "found",
        "machine",
        "kind",
        "player",
        "ledger",
        "machine says",
        "in suspense",
        "owner",
        "about",
      ];
      if (rows.length > 0) for (const line of tableLines([head, ...rows.map(cellsOf)])) say(line);
      const open = rows.filter(({ explainedAt }) => explainedAt === null).length;
      say(`${count(open, "difference")} to explain; ${writeAmount(balanceMinor)} in suspense.`);
      return { suspense: balanceMinor, differences: rows };
    };
  },
};

function cellsOf(row: DifferenceRow): string[] {
  const told =
    row.explainedAt === null
      ? JSON.stringify(row.about)
      : `${row.explanation} (${row.explainedBy}, ${timeText(row.explainedAt)})`;
  return [
    ...[String(row.id), timeText(row.foundAt), row.machineId, row.kind, row.player ?? ""],
    ...[row.ledgerMinor, row.machineMinor, row.inSuspenseMinor].map(writeAmount),
    ...[row.owner, told],
  ];
}

/** A person explains a difference. */
export const suspenseExplain: Command = {
  words: "suspense explain",
  about: "explain a difference: its money leaves suspense, and the machine may be played again",
  more: [
    '  longarm suspense explain 12 --to player --reason "the machine counted the win, its journal had lost the game"',
    '  longarm suspense explain 13 --reason "test credits of the technician, taken off again" --by eva',
    "",
    "--to says where the money in suspense belongs, or who makes it good: the player of that play session, or the house. --pay is for a claim that",
    "was right after all: the house pays the player that amount. Both are transfers that carry the reason.",
  ].join("\n"),
  places: [{ name: "number", about: "of the discrepancy, as longarm suspense list prints it" }],
  options: {
    reason: {
      type: "string",
      value: "<text>",
      about: "what happened, kept for ever; 1 to 200 characters",
      needed: true,
    },
    to: { type: "string", value: "player|house", about: "where its money in suspense belongs, or who makes it good" },
    pay: { type: "string", value: "<amount>", about: "also pay the player this amount from the house account" },
    by: BY,
    "dry-run": DRY_RUN,
  },
  asks: (given) => `The difference ${given.get("number")} is explained for ever.`,
  prepare(given) {
    const by = readBy(given);
    const order = readOrder(given);
    return async (deps) => {
      const who = whoAsks(deps, by);
      const explained = await explain(deps, who, order, given.has("dry-run"));
      deps.say(explained.sentence);
      if (given.has("dry-run")) return { dryRun: true, sentence: explained.sentence };
      await tell(deps, who, explained);
      return { difference: order.id, sentence: explained.sentence };
    };
  },
};

type Order = Omit<ExplainOrder, "by">;
type Done = Extract<Explained, { is: "done" }>;

/** @throws UsageProblem. */
function readOrder(given: Given): Order {
  const id = readWholeNumber("number", String(given.get("number")), 1, 999_999_999);
  const reason = readReason(given);
  if (reason === "") throw new UsageProblem("--reason must say something.");
  const to = given.get("to")?.toString() ?? null;
  if (to !== null && to !== "player" && to !== "house") throw new UsageProblem("--to must be player or house.");
  const pay = given.get("pay")?.toString();
  return { id, reason, to, payMinor: pay === undefined ? null : readAmount("pay", pay) };
}

class OnlyTried extends Error {
  readonly done: Done;
  constructor(done: Done) {
    super("only tried");
    this.done = done;
  }
}

/** @throws CommandRefused. */
async function explain(deps: CommandDeps, who: string, order: Order, onlyTry: boolean): Promise<Done> {
  try {
    return await asStaff(deps, who, async (transaction) => {
      const trx = transaction.withTables<PlayTables>();
      const done = await explainDifference({ ledger: openLedger(transaction), trx }, { ...order, by: who });
      if (done.is === "refused") throw new CommandRefused(done.sentence);
      if (onlyTry) throw new OnlyTried(done);
      const { id, reason, to, payMinor } = order;
      await openAudit(transaction, "longarm staff").write({
        ...{ type: "staff.did", actor: `staff:${who}`, subject: `machine:${done.machineId}` },
        facts: { did: "explained a difference", difference: id, reason, to, payMinor },
      });
      return done;
    });
  } catch (error) {
    if (!(error instanceof OnlyTried)) throw error;
    return { ...error.done, sentence: `Would be done, nothing was changed: ${error.done.sentence}` };
  }
}

/** How long a page may wait for it, ms: where no platform runs nobody looks. */
const TELL_WITHIN_MS = 1_000;

/** Lobbies and the player's page learn of it at once where a platform runs; it is done in any case. */
async function tell(deps: CommandDeps, by: string, { machineId, playerId }: Done): Promise<void> {
  const quietly = { ...deps, say: () => {} };
  const within = { by, beginWithinMs: TELL_WITHIN_MS };
  await haveCarriedOut(quietly, { kind: "carryOut", machineId, body: {}, ...within }).catch(() => false);
  if (playerId !== null)
    await haveCarriedOut(quietly, { kind: "player", body: { playerId }, ...within }).catch(() => false);
}
