import type { ReadBackup } from "@longarm/database/backup";
import { loadBackup } from "@longarm/database/backup";
import { openDatabase } from "@longarm/database/connection";
import { startEmbeddedPostgres } from "@longarm/database/embedded-server";
import { silentLog } from "@longarm/database/log";
import { systemClock } from "../../../clock.ts";
import { platformMigrations } from "../../../migration-sets.ts";
import type { Settled } from "../../../modules/play/restores/index.ts";
import { checkBooks, settleRestored } from "../../../modules/play/restores/index.ts";
import { verifyChain } from "../../../modules/records/audit/index.ts";
import { newId } from "../../../random.ts";
import { BY, readBy, whoAsks } from "../../ask-platform.ts";
import type { AloneDeps, Command } from "../../command.ts";
import { ANSWER_MS_MAX, advised, namedDatabase } from "../../database.ts";

/** Makes a database of a backup. */
export const restore: Command = {
  words: "restore",
  about: "make an empty database what a backup holds; no platform may run on it",
  more: [
    "  longarm restore /backups/longarm-2026-11-21.backup --data /srv/longarm-new",
    "  DATABASE_URL=postgres://… longarm restore /backups/longarm-2026-11-21.backup",
    "",
    "The database must be empty; a data folder without one gets one. All of it is restored and proved, or nothing is. Every sign-in ends and",
    "whoever played gets up. Nobody sits down at a machine before it was compared with the books: what it did after the backup becomes a difference",
    "that staff explains (longarm suspense). Agents keep their data folders as they are.",
  ].join("\n"),
  places: [{ name: "file", about: "the backup" }],
  options: { by: BY },
  prepareAlone(given) {
    const asked = { file: String(given.get("file")), by: readBy(given) };
    return async (deps) => {
      try {
        return await run(deps, asked);
      } catch (error) {
        throw advised(error);
      }
    };
  },
};

type Asked = { readonly file: string; readonly by: string | undefined };

async function run(deps: AloneDeps, asked: Asked): Promise<object> {
  const named = namedDatabase(deps.environment);
  if (named !== undefined) return await restoreInto(deps, asked, named);
  const server = await startEmbeddedPostgres({ folder: deps.dataFolder, log: silentLog, clock: systemClock });
  try {
    return await restoreInto(deps, asked, server.url);
  } finally {
    await server.stop();
  }
}

async function restoreInto(deps: AloneDeps, { file, by: named }: Asked, url: string): Promise<object> {
  const { say, random } = deps;
  const by = whoAsks(deps, named);
  const id = newId(random, "rs");
  let settled: Settled | undefined;
  const { head, rows, sha256 }: ReadBackup = await loadBackup({
    url,
    file,
    sets: platformMigrations,
    check: (ask, told) => checkBooks(ask, told.about),
    afterwards: async (ask, read) => {
      settled = await settleRestored(ask, { id, takenAt: read.head.takenAt, fileSha256: read.sha256, by });
    },
    loaded: (table, count) => say(`  ${String(count).padStart(10)}  ${table}`),
  });
  say(
    `Restored: ${rows} rows of ${head.tables.length} tables, as they were at ${head.takenAt}. What came after that is not in them.`,
  );
  say("The ledger keeps its rules, and its sums are those of the backup.");
  const audit = await auditReport(url);
  say(audit.sentence);
  const { signIns = 0, sessions = 0, transfers = 0, machines = 0 } = settled ?? {};
  say(
    `Ended: ${signIns} sign-ins. Players who sat at a machine: ${sessions}. Transfers to be asked for: ${transfers}.`,
  );
  say(`Machines to be compared with the books before anybody sits down there: ${machines}.`);
  if (!audit.isWhole)
    throw new Error("The audit log was not whole when the backup was made: look at it before this database is used.");
  return { id, file, takenAt: head.takenAt, rows, sha256, ...settled, auditLinks: audit.links };
}

/** The chain is proved by its own arithmetic, beside the database's. */
async function auditReport(url: string): Promise<{ isWhole: boolean; links: number; sentence: string }> {
  const asStaff = { applicationName: "longarm staff", answerTimeoutMs: ANSWER_MS_MAX };
  const database = openDatabase<unknown>({ url, maxConnections: 1, log: silentLog, ...asStaff });
  try {
    const { links, breaches } = await verifyChain(database.kysely);
    const [first] = breaches;
    const sentence =
      first === undefined ? `The audit log is whole: ${links} links.` : `The audit log is not whole: ${first.sentence}`;
    return { isWhole: first === undefined, links, sentence };
  } finally {
    await database.close();
  }
}
