import { enrolAgent, revokeAgent } from "../../play/agents/index.ts";
import { deskAgents } from "../../play/desk/index.ts";
import type { PlayTables } from "../../play/tables.ts";
import type { ChainReport, EntryText, Witness } from "../../records/audit/index.ts";
import { linkWaiting, newestEntries, openAudit, verifyChain } from "../../records/audit/index.ts";
import type { StaffTransaction } from "../accounts/index.ts";
import { wholeOf } from "../accounts/index.ts";
import { actorOf, doAct, Refused } from "../sign-in/index.ts";
import type { DeskDeps } from "./desk.ts";
import { idIn } from "./floor.ts";
import { listed } from "./people.ts";
import type { Handlers } from "./routes.ts";

/** Entries that one statement links. */
const LINKS_PER_STATEMENT = 1_000;
const POSITION = /^\d{1,18}$/;

/** The audit log with the proof of its chain, and the agents with their keys. */
export function recordHandlers(deps: DeskDeps): Handlers {
  return { ...audit(deps), ...agents(deps) };
}

function agents(deps: DeskDeps): Handlers {
  const { db, source, random } = deps;

  async function agentIn(trx: StaffTransaction, params: Readonly<Record<string, string>>) {
    const id = idIn(params, "agent");
    const found = (await deskAgents(wholeOf(trx))).find((agent) => agent.id === id);
    if (found === undefined) throw new Refused("thing.unknown", { kind: "agent" });
    return found;
  }

  return {
    agents: async () =>
      await listed(
        db,
        (await deskAgents(source)).map(({ seenAt: _, ...agent }) => agent),
      ),
    enrolAgent: ({ act, body }) =>
      doAct(
        deps,
        act(),
        async (trx) => {
          const name = body.name.trim();
          const known = (await deskAgents(wholeOf(trx))).some((agent) => agent.name === name);
          if (known)
            throw new Refused("act.refused", { sentence: `There is an agent ${name} already: rotate its key.` });
          if (name === "" || name.length > 64) throw new Refused("request.invalid", { where: "name" });
          const { agentId, key } = await enrolAgent(wholeOf(trx).withTables<PlayTables>(), random, name);
          return { agent: agentId, key };
        },
        { secret: true },
      ),
    rotateAgent: ({ act, caller, params }) =>
      doAct(
        deps,
        act(),
        async (trx, after) => {
          const { id, name } = await agentIn(trx, params);
          const { key } = await enrolAgent(wholeOf(trx).withTables<PlayTables>(), random, name);
          after.push(() => deps.ask({ kind: "agentKey", body: { agentId: id }, by: caller().username }));
          return { key };
        },
        { secret: true },
      ),
    revokeAgent: ({ act, caller, params }) =>
      doAct(deps, act(), async (trx, after) => {
        const { id, name } = await agentIn(trx, params);
        if ((await revokeAgent(wholeOf(trx).withTables<PlayTables>(), name)) === undefined)
          throw new Refused("act.refused", { sentence: `${name} has no key any more.` });
        after.push(() => deps.ask({ kind: "agentKey", body: { agentId: id }, by: caller().username }));
        return {};
      }),
  };
}

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

function audit(deps: DeskDeps): Handlers {
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

const entryRow = ({ id, before, after, ...entry }: EntryText) => ({
  ...entry,
  position: id,
  before: facts(before),
  after: facts(after),
  facts: facts(entry.facts) ?? {},
});
