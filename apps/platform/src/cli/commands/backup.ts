import { loadBackup } from "@longarm/database/backup/load-backup";
import type { ReadBackup } from "@longarm/database/backup/read-backup";
import { readBackup } from "@longarm/database/backup/read-backup";
import { writeBackup } from "@longarm/database/backup/write-backup";
import { openDatabase } from "@longarm/database/connection";
import { startEmbeddedPostgres } from "@longarm/database/embedded-server";
import { silentLog } from "@longarm/database/log";
import { systemClock } from "../../clock.ts";
import { platformMigrations } from "../../migration-sets.ts";
import type { Settled } from "../../modules/play/restores/index.ts";
import { checkBooks, readBooks, settleRestored } from "../../modules/play/restores/index.ts";
import { openAudit, verifyChain } from "../../modules/records/audit/index.ts";
import { newId } from "../../random.ts";
import { rootOf } from "../acting.ts";
import type { StandaloneDeps } from "../command.ts";
import { AS_ROOT, actCommand, standaloneCommand, UsageProblem } from "../command.ts";
import { ANSWER_MS_MAX, advised, namedDatabase } from "../database.ts";
import { argument, plainText, required } from "../fields.ts";
import { actorOf, SOURCE } from "../staff.ts";

/** One line of the list of tables. */
const tableLine = (rows: number, table: string): string => `  ${String(rows).padStart(10)}  ${table}`;

export const backupVerify = standaloneCommand({
  name: "backup verify",
  about: "read a backup from end to end and say whether it is whole; needs no database",
  more: [
    "  longarm backup verify /backups/longarm-2026-11-21.backup",
    "",
    "It finds a file that was cut off, damaged or altered. A person who can write the file can also make its sums fit: compare the SHA-256 with the",
    "one that was kept elsewhere. Only a restore proves that a backup can be restored: try one on another computer now and then.",
  ].join("\n"),
  arguments: { file: argument("the backup", plainText) },
  async run({ say }, { file }) {
    const { head, rows, bytes, sha256 } = await readBackup(file, {
      table: async (table, sum) => say(tableLine(sum.rows, `${table.schema}.${table.name}`)),
    });
    say(`${file} is whole: ${rows} rows of ${head.tables.length} tables as of ${head.takenAt}, ${bytes} bytes.`);
    say(`SHA-256 ${sha256}`);
    return { file, takenAt: head.takenAt, tables: head.tables.length, rows, bytes, sha256 };
  },
});

export const backup = actCommand({
  name: "backup",
  needs: "restore.sign",
  about: "copy the whole database into a file, as it is at one moment, while people play",
  more: [
    "  longarm backup /backups/longarm-2026-11-21.backup",
    "",
    "The file must not exist yet, and exists only once it is whole. It holds the keys of tokens and PINs and hashes of passwords: only its owner",
    "may read it; encrypt what leaves this computer. Keep the SHA-256 that is printed somewhere else. What is not in it: Settings.json,",
    "and the data folders of the agents, which are never restored to an older state.",
  ].join("\n"),
  arguments: { file: argument("where it goes", plainText) },
  async run({ db, databaseUrl: url, say }, { file, by }) {
    const { head, rows, bytes, sha256 } = await writeBackup({
      url,
      file,
      about: (query) => readBooks(query),
      wrote: (table, count) => say(tableLine(count, table)),
    });
    const { breaches } = head.about as Awaited<ReturnType<typeof readBooks>>;
    await openAudit(db, SOURCE).write({
      type: "staff.did",
      actor: actorOf(by),
      facts: { did: "made a backup", takenAt: head.takenAt, fileSha256: sha256 },
    });
    const tables = head.tables.length;
    say(`${file}: ${rows} rows of ${tables} tables as of ${head.takenAt}, ${bytes} bytes. It was written whole.`);
    say(`SHA-256 ${sha256}`);
    if (breaches.length > 0)
      say(`The ledger broke ${breaches.length} of its rules at that moment (${breaches[0]}): this must be looked at.`);
    return { file, takenAt: head.takenAt, tables, rows, bytes, sha256, ledgerBreaches: breaches };
  },
});

type RestoreInput = { readonly file: string; readonly by: string; readonly why: string };

/** An empty database knows no staff: only the server's own user restores. */
const WHY = required("<why>", "why it is restored; the audit log says who did it", (text, label) => {
  const why = AS_ROOT.parse(text, { label, staff: "" });
  if (why === undefined) throw new UsageProblem(`${label} must say why.`);
  return why;
});

export const restore = standaloneCommand({
  name: "restore",
  about: "restore a backup into an empty database; no platform may run on it",
  more: [
    '  longarm restore /backups/longarm-2026-11-21.backup --data /srv/longarm-new --as-root "the disk failed"',
    "  DATABASE_URL=postgres://… longarm restore /backups/longarm-2026-11-21.backup --as-root …",
    "",
    "The database must be empty; a data folder without one gets one. The command restores the whole backup and verifies it; if either fails, the",
    "database stays empty. Every sign-in ends, and every seat is free. A machine can be played again after it was compared with the books: what it",
    "did after the backup becomes a discrepancy that staff explains (longarm suspense). Agents keep their data folders as they are.",
  ].join("\n"),
  arguments: { file: argument("the backup", plainText) },
  options: { asRoot: WHY },
  async run(deps, { file, asRoot: why }) {
    const input = { file, why, by: rootOf(deps).by };
    try {
      const named = namedDatabase(deps.environment);
      if (named !== undefined) return await restoreInto(deps, input, named);
      const server = await startEmbeddedPostgres({ folder: deps.dataFolder, log: silentLog, clock: systemClock });
      try {
        return await restoreInto(deps, input, server.url);
      } finally {
        await server.stop();
      }
    } catch (error) {
      throw advised(error);
    }
  },
});

async function restoreInto(
  { say, random }: StandaloneDeps,
  { file, by, why }: RestoreInput,
  url: string,
): Promise<object> {
  const id = newId(random, "rs");
  let settled: Settled | undefined;
  const { head, rows, sha256 }: ReadBackup = await loadBackup({
    url,
    file,
    sets: platformMigrations,
    check: (query, read) => checkBooks(query, read.about),
    afterwards: async (query, read) => {
      settled = await settleRestored(query, { id, takenAt: read.head.takenAt, fileSha256: read.sha256, by });
    },
    loaded: (table, count) => say(tableLine(count, table)),
  });
  const { length: tables } = head.tables;
  say(
    `Restored: ${rows} rows of ${tables} tables, as they were at ${head.takenAt}. What came after that is not in them.`,
  );
  say("The ledger keeps its rules, and its sums are those of the backup.");
  const audit = await auditReport(url, { by, why });
  say(audit.sentence);
  const { signIns = 0, sessions = 0, transfers = 0, machines = 0 } = settled ?? {};
  say(
    `Ended: ${signIns} sign-ins. Players who sat at a machine: ${sessions}. Transfers to be read from machines: ${transfers}.`,
  );
  say(`Machines to be compared with the books before a player may sit down there: ${machines}.`);
  if (!audit.isWhole)
    throw new Error("The audit log was not whole when the backup was made: look at it before this database is used.");
  return { id, file, takenAt: head.takenAt, rows, sha256, ...settled, auditLinks: audit.links };
}

/** Proves the chain of the audit log by its own arithmetic, beside the database's. */
async function auditReport(
  url: string,
  { by, why }: Pick<RestoreInput, "by" | "why">,
): Promise<{ isWhole: boolean; links: number; sentence: string }> {
  const database = openDatabase<unknown>({
    url,
    maxConnections: 1,
    log: silentLog,
    applicationName: SOURCE,
    answerTimeoutMs: ANSWER_MS_MAX,
  });
  try {
    const facts = { command: "restore", why };
    await openAudit(database.kysely, SOURCE).write({ type: "staff.actedAsRoot", actor: actorOf(by), facts });
    const { links, breaches } = await verifyChain(database.kysely);
    const [first] = breaches;
    const sentence =
      first === undefined ? `The audit log is whole: ${links} links.` : `The audit log is not whole: ${first.sentence}`;
    return { isWhole: first === undefined, links, sentence };
  } finally {
    await database.close();
  }
}
