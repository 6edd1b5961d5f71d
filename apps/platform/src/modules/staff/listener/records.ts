import type { AuditText } from "@longarm/contract/evidence/format";
import type { ChainReport, Witness } from "../../records/audit/index.ts";
import { linkWaiting, newestEntries, openAudit, verifyChain } from "../../records/audit/index.ts";
import { actorOf, doAct, Refused } from "../sign-in/index.ts";
import type { DeskDeps } from "./desk.ts";
import { listed } from "./people.ts";
import type { Handlers } from "./routes.ts";

/** Entries that one statement links. */
const LINKS_PER_STATEMENT = 1_000;
const POSITION = /^\d{1,18}$/;

/**
 * Proofs of the audit log, one at a time: each reads the whole log. Who asks the same meanwhile gets the same answer. @throws Refused: another one
 * runs.
 */
function createProofs(source: DeskDeps["source"]): (witness: Witness | undefined) => Promise<ChainReport> {
  let running: { readonly of: string; readonly report: Promise<ChainReport> } | undefined;
  return async (witness) => {
    const of = `${witness?.position} ${witness?.hash}`;
    if (running !== undefined && running.of !== of)
      throw new Refused("act.refused", { sentence: "Another proof runs: ask again when it has ended." });
    running ??= {
      of,
      report: linkWaiting(source, LINKS_PER_STATEMENT)
        .then(() => verifyChain(source, witness === undefined ? [] : [witness]))
        .finally(() => {
          running = undefined;
        }),
    };
    return await running.report;
  };
}

/** The audit log with the proof of its chain. */
export function recordHandlers(deps: DeskDeps): Handlers {
  const { db, node, source } = deps;
  const prove = createProofs(source);
  return {
    audit: async ({ query }) => {
      const { after, limit, type, ...filter } = query;
      if (after !== undefined && !POSITION.test(after)) throw new Refused("request.invalid", { where: "after" });
      const entries = await newestEntries(
        source,
        { ...filter, before: after, ...(type !== undefined && { types: [type] }) },
        limit,
      );
      const oldest = entries.length === limit ? (entries[0]?.id ?? null) : null;
      return await listed(db, entries.reverse().map(entryRow), oldest);
    },
    proveAudit: async ({ act, body, caller }) => {
      const order = act();
      // Before the act's transaction, which would hold a connection meanwhile: this act's own entry is the first of the next proof.
      const { links, waiting, tail, breaches } = await prove(body.witness);
      const { asOf: checkedAt } = await listed(db, []);
      return await doAct(deps, order, async (trx) => {
        if (breaches.length > 0)
          await openAudit(trx, node).write({
            type: "data.tampered",
            actor: actorOf(caller()),
            subject: "audit",
            facts: { breaches: breaches.slice(0, 20), tail },
          });
        return { links, waiting, whole: breaches.length === 0, breaches: [...breaches], witness: tail, checkedAt };
      });
    },
  };
}

const facts = (text: string | null) => (text === null ? null : (JSON.parse(text) as Record<string, unknown>));

/** An audit entry as pages read it. */
export const entryRow = ({ id, before, after, ...entry }: AuditText) => ({
  ...entry,
  position: id,
  before: facts(before),
  after: facts(after),
  facts: facts(entry.facts) ?? {},
});
