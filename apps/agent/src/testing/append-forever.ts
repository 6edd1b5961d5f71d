import { openJournal } from "../journal/journal.ts";
import { systemFiles } from "../system-files.ts";

// A child process of the journal's test: appends until it is killed, and says each id once it was promised to be durable.
const folder = process.argv[2];
if (folder === undefined) throw new Error("Give the folder of the journal.");
const journal = await openJournal({ files: systemFiles, folder, rewriteGrowthBytes: 1_000 });
const first = journal.machine("nar-01").transfers.size;
for (let n = first; ; n += 1) {
  const id = `tr_${String(n).padStart(8, "0")}`;
  await journal.append({ t: "intent", m: "nar-01", id, direction: "cashIn", amount: n, epoch: 1, at: n });
  process.stdout.write(`${id}\n`);
}
