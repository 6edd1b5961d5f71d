import type { ChainReport, Witness } from "../../../modules/records/audit/index.ts";
import { linkWaiting, openAudit, verifyChain } from "../../../modules/records/audit/index.ts";
import type { Command, CommandDeps } from "../../command.ts";
import { UsageProblem } from "../../command.ts";
import { count } from "../../output/table.ts";
import { printableLine } from "../../printable.ts";

const LINK_AT_ONCE = 500;

/** Proves that the audit log is as it was written. */
export const auditVerify: Command = {
  words: "audit verify",
  about: "prove that no entry of the audit log was changed, removed, put in or moved",
  more: [
    "  longarm audit verify",
    "  longarm audit verify --witness 48213:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "",
    "Its last line is a witness: the newest link of the chain. Keep it where nobody who can write this database can write (on paper, in a mail to",
    "somebody else), and give it with --witness later, several parted by commas: then it is also found when the end of the log was cut off, or all",
    "of it made anew. Exit code 1: something is wrong, and each line says what.",
  ].join("\n"),
  options: {
    witness: {
      type: "string",
      value: "<witness>",
      about: "position:hash, as an earlier run printed it; several separated by commas",
    },
  },
  prepare(given) {
    const witnesses = readWitnesses(given.get("witness")?.toString());
    return async (deps) => {
      await linkWaiting(deps.db, LINK_AT_ONCE);
      const report = await verifyChain(deps.db, witnesses);
      if (report.breaches.length > 0) await tellBreaches(deps, report);
      deps.say(
        `The audit log is whole: ${report.links} ${report.links === 1 ? "entry" : "entries"}${waitingText(report)}.`,
      );
      if (report.tail !== null) deps.say(`Witness: ${report.tail.position}:${report.tail.hash}`);
      return report;
    };
  },
};

async function tellBreaches({ db, say, staff }: CommandDeps, { breaches, tail }: ChainReport): Promise<never> {
  for (const { sentence } of breaches) say(printableLine(sentence));
  const facts = { breaches: breaches.slice(0, 20), tail };
  await openAudit(db, "longarm staff").write({
    type: "data.tampered",
    actor: `staff:${staff || "unnamed"}`,
    subject: "audit",
    facts,
  });
  throw new Error(`The audit log is not as it was written: ${count(breaches.length, "finding")}.`);
}

const waitingText = ({ waiting }: ChainReport): string =>
  waiting === 0 ? "" : `, ${waiting} more wait for their link`;

const WITNESS = /^([1-9]\d{0,14}):([0-9a-f]{64})$/i;

function readWitnesses(text: string | undefined): Witness[] {
  if (text === undefined) return [];
  return text.split(",").map((one) => {
    const [, position, hash] = WITNESS.exec(one.trim()) ?? [];
    if (position === undefined || hash === undefined)
      throw new UsageProblem("--witness must be as verify tells it: a position, a colon and 64 letters of a hash.");
    return { position: Number(position), hash };
  });
}
