import { Readable } from "node:stream";
import type { StaffCall } from "@longarm/contract/staff-call";
import { STAFF_BASE } from "@longarm/contract/staff-call";
import { REPORT_FILE_PATH, ReportFileQuery } from "@longarm/contract/staff-reports";
import type { FastifyInstance } from "fastify";
import * as z from "zod/mini";
import { deskMachineGames } from "../../play/desk/index.ts";
import { openAudit } from "../../records/audit/index.ts";
import { listReportTransfers, listSheets, periodInstants, readHours } from "../../records/reports/index.ts";
import type { StaffTransaction } from "../accounts/index.ts";
import { wholeOf } from "../accounts/index.ts";
import {
  checkPaytable,
  checkReportPeriod,
  checkRowsPeriod,
  enterPaytable,
  makeProviderFile,
  makeProviderReport,
  makeReport,
  makeReportFile,
  reportShifts,
} from "../desk/index.ts";
import type { StaffCaller } from "../sign-in/index.ts";
import { actorOf, doAct, requestApproval } from "../sign-in/index.ts";
import type { ActsDeps, Executes } from "./desk.ts";
import { idIn, seesPlayer } from "./floor.ts";
import type { GuardDeps } from "./guard.ts";
import { guardOf } from "./guard.ts";
import { listed } from "./people.ts";
import type { Handlers } from "./routes.ts";
import { callerOf, parsed } from "./routes.ts";

/** Shifts that one answer lists. Its sums are of all. */
const SHIFTS_MAX = 500;
/** Paytable sheets that one answer lists. */
const SHEETS_MAX = 2_000;

/** Reports, what their figures are made of, and paytable sheets. */
export function reportHandlers(deps: ActsDeps): Handlers {
  const { db, source, random, secondPerson } = deps;
  return {
    report: ({ query }) => makeReport(source, query),
    reportHours: async ({ query }) => {
      checkReportPeriod(query);
      return await readHours(source, query);
    },
    reportGames: async ({ caller, query }) => {
      checkRowsPeriod(query);
      const { machine, after, limit } = query;
      const { rows, next } = await deskMachineGames(source, {
        ...{ machineId: machine, after, limit, seesPlayer: seesPlayer(caller()) },
        taken: await periodInstants(source, query),
      });
      return await listed(db, rows, next);
    },
    reportTransfers: async ({ caller, query }) => {
      checkRowsPeriod(query);
      const { machine = null, ...page } = query;
      const wanted = { ...page, after: query.after, machine, seesPlayers: seesPlayer(caller()) };
      const rows = await listReportTransfers(source, wanted);
      return await listed(db, rows, rows.length === query.limit ? (rows.at(-1)?.id ?? null) : null);
    },
    reportShifts: async ({ caller, query }) => {
      checkRowsPeriod(query);
      const { from, to } = query;
      // The head of a report: which day it is now, and where days begin.
      const { timeZone, dayBeginsMinutes, asOf, today } = await readHours(source, { from: to, to });
      const shifts = await reportShifts(db, caller().staffId, {
        ...(await periodInstants(source, query)),
        limit: SHIFTS_MAX,
      });
      return { from, to, timeZone, dayBeginsMinutes, asOf, today, ...shifts };
    },
    reportProviders: ({ query }) => makeProviderReport(source, { from: query.from, to: query.to }),
    paytables: async () => await listed(db, await listSheets(source, { limit: SHEETS_MAX })),
    setPaytable: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx) => {
        const { from, hold, spread, reason } = body;
        const content: PaytableContent = { is: "paytable", machine: idIn(params, "machine"), from, hold, spread };
        const by = caller().username;
        if (!secondPerson) {
          await enter(trx, content, { by, reason });
          return {};
        }
        await checkPaytable(wholeOf(trx), { machineId: content.machine, from });
        const [before] = await listSheets(wholeOf(trx), { machine: content.machine, limit: 1 });
        return await requestApproval(trx, random, caller(), {
          kind: "machine.configure",
          subject: `machine:${content.machine}`,
          reason,
          content,
          evidence: [
            { label: "hold before", value: before === undefined ? "not known" : percent(before.hold) },
            { label: "hold", value: percent(hold) },
            { label: "spread", value: spread === null ? "not known" : (spread / 100).toFixed(2) },
            { label: "from", value: from },
          ],
          would: {},
        });
      }),
  };
}

const percent = (hundredths: number): string => `${(hundredths / 100).toFixed(2)} %`;

/** What a second person signs. Its word distinguishes it from other changes of a machine. */
const PaytableContent = z.strictObject({
  is: z.literal("paytable"),
  machine: z.string(),
  from: z.string(),
  hold: z.int(),
  spread: z.nullable(z.int()),
});
type PaytableContent = z.output<typeof PaytableContent>;

const enter = (
  trx: StaffTransaction,
  { machine, from, hold, spread }: PaytableContent,
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<void> => enterPaytable(wholeOf(trx), { machineId: machine, from, hold, spread, by, reason });

/** What a second signature does: also to enter a sheet, which is one of several changes of a machine. */
export const withPaytables = (others: Executes): Executes => ({
  ...others,
  "machine.configure": async (trx, content, signed) => {
    const read = z.safeParse(PaytableContent, content);
    if (!read.success) return await others["machine.configure"]?.(trx, content, signed);
    const { username } = await trx
      .selectFrom("staff")
      .select("username")
      .where("id", "=", signed.requestedBy)
      .executeTakeFirstOrThrow();
    return await enter(trx, read.data, { by: username, reason: signed.reason });
  },
});

const FILE = {
  method: "GET",
  path: REPORT_FILE_PATH,
  answer: z.unknown(),
  for: "report.see",
} as const satisfies StaffCall;

/** GET reports/file: a report as CSV or PDF, streamed. Each one is an audit entry. */
export function reportFileRoute(
  app: FastifyInstance,
  guard: GuardDeps,
  { db, source, node }: ActsDeps,
  venue: { readonly name: string; readonly version: string },
): void {
  app.get(
    STAFF_BASE + FILE.path,
    { onRequest: guardOf(guard, FILE), exposeHeadRoute: false },
    async (request, reply) => {
      const { language, ...wanted } = parsed(ReportFileQuery, request.query) as ReportFileQuery;
      const caller: StaffCaller = callerOf(request);
      const about = { language, venue: venue.name, version: venue.version, person: caller.name };
      const { name, type, content } = await ("of" in wanted
        ? makeProviderFile(source, { from: wanted.from, to: wanted.to }, about)
        : makeReportFile(source, wanted, about));
      await openAudit(db, node).write({
        type: "data.exported",
        actor: actorOf(caller),
        subject: "reports",
        facts: { language, ...wanted },
      });
      return await reply
        .header("cache-control", "no-store")
        .header("content-disposition", `attachment; filename="${name}"`)
        .type(type)
        .send(Readable.from(content));
    },
  );
}
