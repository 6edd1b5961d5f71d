import type { Kysely } from "kysely";
import type { EntryText } from "../../records/audit/index.ts";
import { linkWaiting, newestEntries, openAudit, verifyChain } from "../../records/audit/index.ts";
import type { ActDeps } from "../sign-in/index.ts";
import { actorOf, doAct, Refused } from "../sign-in/index.ts";
import { listed } from "./people.ts";
import type { Handlers } from "./routes.ts";

/** `source`: the whole database, for reading beyond the staff's tables. */
type RecordDeps = ActDeps & { readonly source: Kysely<unknown> };

/** Entries that one statement links. */
const LINKS_PER_STATEMENT = 1_000;
const POSITION = /^\d{1,18}$/;

/** The audit log, and the proof of its chain. */
export function recordHandlers(deps: RecordDeps): Handlers {
  const { db, node, source } = deps;
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
    proveAudit: ({ act, body, caller }) =>
      doAct(deps, act(), async (trx) => {
        // Both look at what is committed: this act's own entry is the first of the next proof.
        await linkWaiting(source, LINKS_PER_STATEMENT);
        const report = await verifyChain(source, body.witness === undefined ? [] : [body.witness]);
        const { links, waiting, tail, breaches } = report;
        if (breaches.length > 0)
          await openAudit(trx, node).write({
            type: "data.tampered",
            actor: actorOf(caller()),
            subject: "audit",
            facts: { breaches: breaches.slice(0, 20), tail },
          });
        const { asOf: checkedAt } = await listed(db, []);
        return { links, waiting, whole: breaches.length === 0, breaches: [...breaches], witness: tail, checkedAt };
      }),
  };
}

const facts = (text: string | null) => (text === null ? null : (JSON.parse(text) as Record<string, unknown>));

const entryRow = ({ id, before, after, ...entry }: EntryText) => ({
  ...entry,
  position: id,
  before: facts(before),
  after: facts(after),
  facts: facts(entry.facts) ?? {},
});
