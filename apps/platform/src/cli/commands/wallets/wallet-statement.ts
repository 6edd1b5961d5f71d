import type { Ledger } from "@longarm/ledger/ledger";
import { openLedger } from "@longarm/ledger/ledger";
import { playerAccount } from "@longarm/ledger/rules/address";
import type { Hold, StatementRow } from "@longarm/ledger/rules/records";
import { writeAmount } from "../../amount.ts";
import type { Command, CommandDeps } from "../../command.ts";
import { UsageProblem } from "../../command.ts";
import { namedPlayer } from "../../named-player.ts";
import { csvLine } from "../../output/csv.ts";
import { count, tableLines, timeText } from "../../output/table.ts";
import { databaseTime, readPast } from "../../reading/times.ts";

const YEAR_MS = 366 * 86_400_000;
const PAGE_ROWS = 500;

/** Every move of a wallet (GLI-19 2.5.7 and 2.8.5). */
export const walletsStatement: Command = {
  words: "wallets statement",
  about: "list every move of a wallet, with the balance before and after it",
  more: [
    "  longarm wallets statement deniz.aydin --from 2026-11-01 --csv > statement.csv",
    "",
    "Without --from the past year. What is set aside and not decided yet stands at the end as pending. Amounts in the currency;",
    "with --json in minor units. Times are UTC.",
  ].join("\n"),
  places: [{ name: "username", about: "of the player" }],
  options: {
    from: { type: "string", value: "<day>", about: "2026-11-01 or 2026-11-01T18:00Z; without: a year ago" },
    to: { type: "string", value: "<day>", about: "not included; without: now" },
    csv: { type: "boolean", about: "as CSV with a heading" },
  },
  prepare(given) {
    const [from, to] = ["from", "to"].map((name) =>
      given.has(name) ? readPast(name, given.get(name)?.toString() ?? "") : undefined,
    );
    if (given.has("csv") && given.has("json")) throw new UsageProblem("Either --csv or --json, not both.");
    const username = String(given.get("username"));
    return async (deps) => {
      const player = await namedPlayer(deps.db, username);
      const since = from ?? new Date((await databaseTime(deps.db)).getTime() - YEAR_MS);
      const ledger = openLedger(deps.db);
      const moves = await movesOf(ledger, player.id, since, to);
      const pending = to === undefined ? (await ledger.holdsOf(playerAccount(player.id))).map(pendingOf) : [];
      const rows = [...moves, ...pending];
      write(deps, rows, given.has("csv"));
      return { player: player.id, from: since, to: to ?? null, moves: rows };
    };
  },
};

/** One row of a statement, amounts in minor units. */
type Move = {
  readonly time: Date;
  readonly id: string;
  readonly type: string;
  readonly amount: number;
  readonly before: number | null;
  readonly after: number | null;
  readonly status: "complete" | "pending";
  readonly other: string;
  readonly machine: string;
  readonly session: string;
  readonly by: string;
  readonly reason: string;
};

async function movesOf(ledger: Ledger, playerId: string, from: Date, to: Date | undefined): Promise<Move[]> {
  const found: StatementRow[] = [];
  let before: number | undefined;
  for (;;) {
    const page = await ledger.statement(playerAccount(playerId), { before, limit: PAGE_ROWS });
    const old = page.rows.findIndex(({ createdAt }) => createdAt < from);
    found.push(...(old === -1 ? page.rows : page.rows.slice(0, old)));
    if (old !== -1 || page.nextBefore === null) break;
    before = page.nextBefore;
  }
  return found
    .reverse()
    .filter(({ createdAt }) => to === undefined || createdAt < to)
    .map(moveOf);
}

function moveOf({ transferId, kind, amountMinor, balanceMinor, counterparty, about, createdAt }: StatementRow): Move {
  return {
    ...{ time: createdAt, id: transferId, type: kind, amount: amountMinor },
    ...{ before: balanceMinor - amountMinor, after: balanceMinor, status: "complete", other: counterparty },
    ...told(about),
  };
}

function pendingOf({ id, kind, amountMinor, to, about, createdAt }: Hold): Move {
  return {
    ...{
      time: createdAt,
      id,
      type: kind,
      amount: -amountMinor,
      before: null,
      after: null,
      status: "pending",
      other: to,
    },
    ...told(about),
  };
}

function told(about: StatementRow["about"]) {
  const { machineId = "", playSessionId = "", actor = "", reason = "" } = about;
  return { machine: String(machineId), session: String(playSessionId), by: String(actor), reason: String(reason) };
}

const HEADING = [
  "time",
  "id",
  "type",
  "amount",
  "before",
  "after",
  "status",
  "other",
  "machine",
  "session",
  "by",
  "reason",
];

function write({ say }: CommandDeps, rows: readonly Move[], csv: boolean): void {
  const amount = (minor: number | null) => (minor === null ? "" : writeAmount(minor));
  if (csv) {
    say(csvLine(HEADING));
    for (const { time, amount: moved, before, after, ...rest } of rows) {
      const { id, type, status, other, machine, session, by, reason } = rest;
      const money = [moved, before, after].map((minor) => (minor === null ? null : minor / 100));
      say(csvLine([time.toISOString(), id, type, ...money, status, other, machine, session, by, reason]));
    }
    return;
  }
  const columns = rows.map((row) => [
    ...[timeText(row.time), row.type, amount(row.amount), amount(row.before), amount(row.after)],
    ...[row.status === "pending" ? "pending" : "", row.machine || row.other, row.by, row.reason],
  ]);
  for (const line of tableLines(columns)) say(line);
  say(`${count(rows.length, "move")}.`);
}
