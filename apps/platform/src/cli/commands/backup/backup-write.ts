import { writeBackup } from "@longarm/database/backup";
import { readBooks } from "../../../modules/play/restores/index.ts";
import { openAudit } from "../../../modules/records/audit/index.ts";
import { BY, readBy, whoAsks } from "../../ask-platform.ts";
import type { Command, CommandDeps } from "../../command.ts";

/** Copies the database into a file while people play. */
export const backup: Command = {
  words: "backup",
  about: "copy the whole database into a file, as it is at one moment, while people play",
  more: [
    "  longarm backup /backups/longarm-2026-11-21.backup",
    "",
    "The file must not be there yet, and is there only once it is whole. It holds the keys of tokens and PINs and hashes of passwords: its owner",
    "alone may read it; encrypt what leaves this computer. Keep the SHA-256 that is printed somewhere else. What is not in it: Settings.json,",
    "and the data folders of the agents, which are never restored to an older state.",
  ].join("\n"),
  places: [{ name: "file", about: "where it goes" }],
  options: { by: BY },
  prepare(given) {
    const by = readBy(given);
    const file = String(given.get("file"));
    return (deps) => make(deps, file, by);
  },
};

async function make(deps: CommandDeps, file: string, named: string | undefined): Promise<object> {
  const { databaseUrl: url, say } = deps;
  const by = whoAsks(deps, named);
  const written = await writeBackup({
    url,
    file,
    about: (ask) => readBooks(ask),
    wrote: (table, rows) => say(`  ${String(rows).padStart(10)}  ${table}`),
  });
  const { head, rows, bytes, sha256 } = written;
  const breaches = (head.about as Awaited<ReturnType<typeof readBooks>>).breaches;
  await openAudit(deps.db, "longarm staff").write({
    type: "staff.did",
    actor: `staff:${by}`,
    facts: { did: "made a backup", takenAt: head.takenAt, fileSha256: sha256 },
  });
  say(
    `${file}: ${rows} rows of ${head.tables.length} tables as of ${head.takenAt}, ${bytes} bytes. It was written whole.`,
  );
  say(`SHA-256 ${sha256}`);
  if (breaches.length > 0)
    say(`The ledger broke ${breaches.length} of its rules at that moment (${breaches[0]}): this must be looked at.`);
  return { file, takenAt: head.takenAt, tables: head.tables.length, rows, bytes, sha256, ledgerBreaches: breaches };
}
