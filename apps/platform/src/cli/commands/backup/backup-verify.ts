import { readBackup } from "@longarm/database/backup";
import type { Command } from "../../command.ts";

/** Reads a backup from end to end, without any database. */
export const backupVerify: Command = {
  words: "backup verify",
  about: "read a backup from end to end and say whether it is whole; needs no database",
  more: [
    "  longarm backup verify /backups/longarm-2026-11-21.backup",
    "",
    "It finds what was cut off, damaged or altered. Who can write the file can also make its sums fit: compare the SHA-256 with the one that",
    "was kept elsewhere. Only a restore proves a restore: try one on another computer now and then.",
  ].join("\n"),
  places: [{ name: "file", about: "the backup" }],
  options: {},
  prepareAlone(given) {
    const file = String(given.get("file"));
    return async ({ say }) => {
      const { head, rows, bytes, sha256 } = await readBackup(file, {
        table: async (table, sum) => say(`  ${String(sum.rows).padStart(10)}  ${table.schema}.${table.name}`),
      });
      say(`${file} is whole: ${rows} rows of ${head.tables.length} tables as of ${head.takenAt}, ${bytes} bytes.`);
      say(`SHA-256 ${sha256}`);
      return { file, takenAt: head.takenAt, tables: head.tables.length, rows, bytes, sha256 };
    };
  },
};
