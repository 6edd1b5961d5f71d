import { pipeline } from "node:stream/promises";
import type { ReportFigures } from "@longarm/contract/staff-reports";
import { REPORT_GROUPS } from "@longarm/contract/staff-reports";
import { PLATFORM_VERSION } from "../../modules/players/auth/index.ts";
import { openAudit } from "../../modules/records/audit/index.ts";
import {
  businessDayNow,
  FILE_LANGUAGES,
  listSheets,
  periodInstants,
  proveReports,
  rebuildReports,
} from "../../modules/records/reports/index.ts";
import type { StaffTables } from "../../modules/staff/accounts/index.ts";
import {
  checkReportPeriod,
  enterPaytable,
  makeReport,
  makeReportFile,
  reportShifts,
} from "../../modules/staff/desk/index.ts";
import type { Command, CommandDeps } from "../command.ts";
import { actCommand, CheckFailed, command, UsageProblem } from "../command.ts";
import { actAtDesk, sayOutcome } from "../desk.ts";
import {
  amount,
  argument,
  DRY_RUN,
  day,
  flag,
  oneOf,
  option,
  plainText,
  required,
  requiredReason,
  withDefault,
} from "../fields.ts";
import { newFile } from "../new-file.ts";
import { count, printableLine, sayTable, timeText, writeAmount } from "../output.ts";
import { actorOf, asStaff, refusedCommand, SOURCE } from "../staff.ts";

/** The days of a report. */
const PERIOD = {
  from: option("<day>", "the first business day; without: today", day),
  to: option("<day>", "the last business day; without: that of --from", day),
};
type PeriodInput = { readonly from: string | undefined; readonly to: string | undefined };

async function periodOf({ db }: CommandDeps, { from, to }: PeriodInput): Promise<{ from: string; to: string }> {
  const first = from ?? to ?? (await businessDayNow(db));
  return { from: first, to: to ?? first };
}

/** Runs a staff act, and says its refusals as the command line does. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw refusedCommand(error);
  }
}

const HEAD = [
  "",
  "games",
  "coin in",
  "coin out",
  "by hand",
  "held",
  "hold",
  "by paytable",
  "variance",
  "cash-in",
  "cash-out",
  "hand pays",
  "watched min",
  "at once",
  "delay ms",
  "of 95 %",
];

const percent = (hundredths: number | null | undefined): string =>
  hundredths === null || hundredths === undefined ? "not known" : `${(hundredths / 100).toFixed(2)} %`;

function columns({ name, figures }: { readonly name: string; readonly figures: ReportFigures }): string[] {
  const { games, wagered, machinePaid, handPaid, held, hold, expected, cashIn, cashOut, handPays, delay } = figures;
  return [
    name,
    String(games),
    ...[wagered, machinePaid, handPaid, held].map(writeAmount),
    hold === null ? "" : percent(hold),
    percent(expected?.hold),
    expected === null ? "" : writeAmount(expected.variance),
    ...[cashIn, cashOut, handPays].map(writeAmount),
    String(Math.round(figures.watchedMs / 60_000)),
    String(figures.watchersMost),
    ...[delay?.medianMs, delay?.p95Ms].map((ms) => (ms === undefined ? "" : String(ms))),
  ];
}

const show = actCommand({
  name: "reports show",
  needs: ({ csv, pdf }) => (csv || pdf !== undefined ? "report.see" : null),
  about: "what was played, paid and moved, by machine, brand, denomination, day, month or year",
  more: [
    "  longarm reports show --from 2026-11-01 --to 2026-11-30 --by brand",
    "  longarm reports show --from 2026-11-01 --to 2026-11-30 --by day --csv > november.csv",
    "  longarm reports show --from 2026-01-01 --to 2026-12-31 --by month --pdf year.pdf --language tr",
    "",
    "Days are business days of the venue. What is booked counts on the day on which it was booked, so a day that is over does not change.",
    "Delays are those that players' pages reported, upper bounds of the buckets in which they are counted. Watched: minutes of all spectators together.",
    "Hold by the paytable is known where its sheet was entered: longarm paytables set --help",
  ].join("\n"),
  options: {
    ...PERIOD,
    by: withDefault("<group>", `${REPORT_GROUPS.join(", ")} (machine)`, "machine", oneOf(REPORT_GROUPS)),
    brand: option("<name>", "only machines of this brand", plainText),
    machine: option("<id>", "only this machine", plainText),
    denomination: option("<amount>", "only machines whose credit is worth this", amount),
    csv: flag("as CSV"),
    pdf: option("<file>", "as PDF into this new file", plainText),
    language: withDefault("<language>", "of CSV and PDF: tr, en or ar (en)", "en", oneOf(FILE_LANGUAGES)),
  },
  check({ csv, pdf }, given) {
    if ([csv, pdf !== undefined, given.has("json")].filter(Boolean).length > 1)
      throw new UsageProblem("One of --csv, --pdf and --json, not several.");
  },
  run: async (deps, { from, to, csv, pdf, language, ...wanted }) =>
    await refusing(async () => {
      const { db, say, acting } = deps;
      const whole = { ...wanted, ...(await periodOf(deps, { from, to })) };
      if (!csv && pdf === undefined) {
        const report = await makeReport(db, whole);
        sayTable(say, [...report.rows, { name: "all", figures: report.total }], columns, HEAD);
        return report;
      }
      const format = csv ? ("csv" as const) : ("pdf" as const);
      const about = { language, venue: "", version: PLATFORM_VERSION, person: acting.by };
      const file = await makeReportFile(db, { ...whole, format }, about);
      const note = async () =>
        await openAudit(db, SOURCE).write({
          type: "data.exported",
          actor: actorOf(acting.by),
          subject: "reports",
          facts: { format, language, ...whole },
        });
      if (pdf !== undefined) {
        await newFile(pdf, async (target) => {
          await note();
          await pipeline(file.content, target.createWriteStream());
        });
        say(`The report is in ${printableLine(pdf)}.`);
        return { file: pdf };
      }
      await note();
      for await (const line of file.content) say(String(line).replace(/\r\n$/, ""));
      return { ...whole, format };
    }),
});

const shifts = command({
  name: "reports shifts",
  about: "cashier shifts: what was taken in and paid out, what was counted, what was short or over",
  more: "  longarm reports shifts --from 2026-11-01 --to 2026-11-30\n\nSums are of closed shifts: an open one is counted blind.",
  options: PERIOD,
  run: async (deps, input) =>
    await refusing(async () => {
      const period = await periodOf(deps, input);
      checkReportPeriod(period);
      const { db, say } = deps;
      const of = { ...(await periodInstants(db, period)), limit: 10_000 };
      const found = await reportShifts(db.withTables<StaffTables>(), "", of);
      const money = (minor: number | null) => (minor === null ? "" : writeAmount(minor));
      sayTable(
        say,
        found.rows,
        (row) => [
          row.cashier.name,
          row.desk,
          timeText(new Date(row.openedAt)),
          row.closedAt === null ? "open" : timeText(new Date(row.closedAt)),
          ...[row.float, row.cashIn, row.cashOut, row.expected, row.counted, row.difference].map((one) => money(one)),
          String(row.receipts),
        ],
        ["cashier", "desk", "opened", "closed", "float", "in", "out", "expected", "counted", "difference", "receipts"],
      );
      say(
        `${count(found.total.shifts, "shift")}, ${found.total.open} open; the counts differ by ${writeAmount(found.total.difference)}.`,
      );
      return found;
    }),
});

const prove = command({
  name: "reports prove",
  about: "compare every sum of the reports exactly with games, ledger and play sessions",
  more: "  longarm reports prove\n\nIt reads every game. It locks nothing, and works beside a running platform.",
  async run({ db, say }) {
    const breaches = await proveReports(db);
    sayTable(say, breaches.slice(0, SHOWN_MAX), ({ rollUp, subject, detail }) => [rollUp, subject, detail]);
    if (breaches.length > 0)
      throw new CheckFailed(
        `${count(breaches.length, "sum")} of the reports are not what they are made of. longarm reports rebuild makes all of them again.`,
        { breaches },
      );
    say("Every sum of the reports is exactly what it is made of.");
    return { breaches };
  },
});
const SHOWN_MAX = 50;

const rebuild = actCommand({
  name: "reports rebuild",
  needs: "settings.change",
  about: "make every sum of the reports again from games, ledger and play sessions",
  more: "  longarm reports rebuild\n\nGames that are booked meanwhile wait: up to two minutes for a million games.",
  options: { dryRun: DRY_RUN },
  confirm: () => "Nothing is booked while the sums are made again.",
  async run(deps, { by, dryRun }) {
    const work = async (trx: Parameters<typeof rebuildReports>[0]): Promise<void> => {
      await rebuildReports(trx);
      await openAudit(trx, SOURCE).write({
        type: "staff.did",
        actor: actorOf(by),
        subject: "reports",
        facts: { did: "made the sums of the reports again" },
      });
    };
    await asStaff(deps, by, work, dryRun);
    deps.say(dryRun ? "Every sum of the reports could be made again." : "Every sum of the reports was made again.");
    return {};
  },
});

/** `5.20`, as the sheet has it, to hundredths. */
const hundredths =
  (max: number) =>
  (text: string, label: string): number => {
    const value = /^\d{1,6}([.,]\d{1,2})?$/.test(text) ? Math.round(Number(text.replace(",", ".")) * 100) : Number.NaN;
    if (value >= 0 && value <= max) return value;
    throw new UsageProblem(`${label} must be a number from 0 to ${max / 100}, with at most two decimals.`);
  };

const setPaytable = actCommand({
  name: "paytables set",
  needs: "machine.configure",
  about: "enter what a machine's paytable sheet says, for the hold that reports expect",
  more: [
    '  longarm paytables set nar-01 --hold 5.20 --spread 8.50 --from 2026-11-01 --reason "sheet 4711 of the maker"',
    "",
    "A sheet is never changed: the newest entry of the newest day holds. Without --spread a report has no band of chance.",
  ].join("\n"),
  arguments: { machine: argument("its id, such as nar-01", plainText) },
  options: {
    hold: required("<percent>", "what the machine keeps of all stakes, such as 5.20", hundredths(10_000)),
    spread: option(
      "<number>",
      "standard deviation of what one game pays back, in stakes, such as 8.50",
      hundredths(10_000_000),
    ),
    from: option("<day>", "the business day from which it is right; without: today", day),
    reason: requiredReason("where the figures are from"),
    dryRun: DRY_RUN,
  },
  check({ spread }) {
    if (spread === 0) throw new UsageProblem("--spread must be above 0: leave it out where the sheet does not say.");
  },
  run: async (deps, { machine, hold, spread = null, from, reason, by, dryRun }) =>
    await refusing(async () => {
      const first = from ?? (await businessDayNow(deps.db));
      const what = `${machine} keeps ${percent(hold)} by its paytable from ${first} on.`;
      if (deps.acting.caller !== null) {
        const sent = { params: { id: machine }, fields: { from: first, hold, spread, reason }, dryRun };
        const outcome = await actAtDesk(deps, deps.acting.caller, "setPaytable", sent);
        return sayOutcome(deps, outcome, { done: () => what, would: `enter the paytable sheet of ${machine}` });
      }
      const sheet = { machineId: machine, from: first, hold, spread, by, reason };
      await asStaff(deps, by, (trx) => enterPaytable(trx, sheet), dryRun);
      deps.say(dryRun ? `Would be entered, nothing was changed: ${what}` : what);
      return { ...sheet, dryRun };
    }),
});

/** Sheets that are listed. */
const SHEETS_MAX = 10_000;

const listPaytables = command({
  name: "paytables list",
  about: "list the paytable sheets that were entered, newest first",
  more: "  longarm paytables list --machine nar-01",
  options: { machine: option("<id>", "only of this machine", plainText) },
  async run({ db, say }, { machine }) {
    const sheets = await listSheets(db, { machine, limit: SHEETS_MAX });
    sayTable(
      say,
      sheets,
      (sheet) => [
        sheet.machine.id,
        sheet.from,
        percent(sheet.hold),
        sheet.spread === null ? "not known" : (sheet.spread / 100).toFixed(2),
        sheet.setBy,
        timeText(new Date(sheet.setAt)),
        sheet.reason,
      ],
      ["machine", "from", "hold", "spread", "by", "entered", "reason"],
    );
    say(`${count(sheets.length, "sheet")}.`);
    return { sheets };
  },
});

export const reportCommands: readonly Command[] = [show, shifts, prove, rebuild, setPaytable, listPaytables];
