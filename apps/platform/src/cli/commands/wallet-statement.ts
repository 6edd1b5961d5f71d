import { databaseTime } from "@longarm/database/clock";
import type { Ledger } from "@longarm/ledger/ledger";
import { openLedger } from "@longarm/ledger/ledger";
import { playerAccount } from "@longarm/ledger/rules/address";
import type { Hold, StatementRow } from "@longarm/ledger/rules/records";
import { csvLine } from "../../csv.ts";
import { command, UsageProblem } from "../command.ts";
import { flag, instant, option, USERNAME } from "../fields.ts";
import { count, sayTable, timeText, writeAmount } from "../output.ts";
import { namedPlayer } from "../staff.ts";

const YEAR_MS = 366 * 86_400_000;
const PAGE_ROWS = 500;

/** Every move of a wallet (GLI-19 2.5.7 and 2.8.5). */
export const walletsStatement = command({
  name: "wallets statement",
  about: "list every move of a wallet, with the balance before and after it",
  more: [
    "  longarm wallets statement deniz.aydin --from 2026-11-01 --csv > statement.csv",
    "",
    "Without --from the past year. Amounts that are held and not decided yet are listed last, as pending. Amounts in the currency;",
    "with --json in minor units. Times are UTC.",
  ].join("\n"),
  arguments: { username: USERNAME },
  options: {
    from: option("<day>", "2026-11-01 or 2026-11-01T18:00Z; without: a year ago", instant),
    to: option("<day>", "not included; without: now", instant),
    csv: flag("as CSV with a heading"),
  },
  check({ csv }, given) {
    if (csv && given.has("json")) throw new UsageProblem("Either --csv or --json, not both.");
  },
  async run(deps, { username, from, to, csv }) {
    const player = await namedPlayer(deps.db, username);
    const since = from ?? new Date((await databaseTime(deps.db)).getTime() - YEAR_MS);
    const ledger = openLedger(deps.db);
    const moves = await movesOf(ledger, player.id, since, to);
    const pending = to === undefined ? (await ledger.holdsOf(playerAccount(player.id))).map(pendingOf) : [];
    const rows = [...moves, ...pending];
    if (csv) writeCsv(deps.say, rows);
    else writeTable(deps.say, rows);
    return { player: player.id, from: since, to: to ?? null, moves: rows };
  },
});

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
    time: createdAt,
    id: transferId,
    type: kind,
    amount: amountMinor,
    before: balanceMinor - amountMinor,
    after: balanceMinor,
    status: "complete",
    other: counterparty,
    ...detailsOf(about),
  };
}

function pendingOf({ id, kind, amountMinor, to, about, createdAt }: Hold): Move {
  return {
    time: createdAt,
    id,
    type: kind,
    amount: -amountMinor,
    before: null,
    after: null,
    status: "pending",
    other: to,
    ...detailsOf(about),
  };
}

function detailsOf(about: StatementRow["about"]) {
  const { machineId = "", playSessionId = "", actor = "", reason = "" } = about;
  return { machine: String(machineId), session: String(playSessionId), by: String(actor), reason: String(reason) };
}

const CSV_HEAD = "time,id,type,amount,before,after,status,other,machine,session,by,reason";

function writeCsv(say: (line: string) => void, rows: readonly Move[]): void {
  say(CSV_HEAD);
  for (const { time, id, type, amount, before, after, status, other, machine, session, by, reason } of rows) {
    const money = [amount, before, after].map((minor) => (minor === null ? null : minor / 100));
    say(csvLine([time.toISOString(), id, type, ...money, status, other, machine, session, by, reason]));
  }
}

function writeTable(say: (line: string) => void, rows: readonly Move[]): void {
  const amount = (minor: number | null) => (minor === null ? "" : writeAmount(minor));
  sayTable(say, rows, (row) => [
    timeText(row.time),
    row.type,
    amount(row.amount),
    amount(row.before),
    amount(row.after),
    row.status === "pending" ? "pending" : "",
    row.machine || row.other,
    row.by,
    row.reason,
  ]);
  say(`${count(rows.length, "move")}.`);
}
