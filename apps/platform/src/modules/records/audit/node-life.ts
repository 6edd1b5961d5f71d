import { canonicalJson } from "@longarm/contract/canonical-json";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import type { Audit } from "./audit.ts";
import { cleanObject } from "./audit.ts";

/** What a process runs with, by name; secrets are hidden before it is kept. */
export type Parameters = Readonly<Record<string, unknown>>;

export type NodeLife = {
  readonly db: AnyDb;
  readonly audit: Audit;
  /** `NODE_ID`. */
  readonly node: string;
};

/**
 * Writes down that a node serves from now on, with what; before it, that its last life ended without a word, and which parameters are
 * others than then.
 */
export async function recordStart(
  { db, audit, node }: NodeLife,
  version: string,
  parameters: Parameters,
): Promise<void> {
  const subject = `node:${node}`;
  const kept = cleanObject(parameters) as Record<string, unknown>;
  const last = await lastLife(db, subject);
  if (last !== undefined && !last.ended)
    await audit.write({
      type: "node.died",
      actor: subject,
      subject,
      facts: { startedAt: last.at, foundBy: "its next start" },
    });
  if (last?.parameters) {
    const { before, after } = differences(last.parameters, kept);
    if (Object.keys(after).length > 0)
      await audit.write({ type: "parameters.changed", actor: subject, subject, before, after });
  }
  await audit.write({ type: "node.started", actor: subject, subject, facts: { version, parameters: kept } });
}

export async function recordStop({ audit, node }: NodeLife): Promise<void> {
  await audit.write({ type: "node.stopped", actor: `node:${node}`, subject: `node:${node}` });
}

/** Keys that differ between two objects, with what they were and are; `null` where there is none. */
export function differences(
  was: Parameters,
  now: Parameters,
): { before: Record<string, unknown>; after: Record<string, unknown> } {
  const keys = [...new Set([...Object.keys(was), ...Object.keys(now)])].filter(
    (key) => canonicalJson(was[key]) !== canonicalJson(now[key]),
  );
  const pick = (from: Parameters) => Object.fromEntries(keys.map((key) => [key, from[key] ?? null]));
  return { before: pick(was), after: pick(now) };
}

type Life = { readonly at: string; readonly ended: boolean; readonly parameters: Record<string, unknown> | null };

async function lastLife(db: AnyDb, subject: string): Promise<Life | undefined> {
  const { rows } = await sql<Life>`select s.at::text as at, s.facts -> 'parameters' as parameters,
      exists (select from audit.entries e where e.subject = ${subject} and e.id > s.id and e.type in ('node.stopped', 'node.died')) as ended
    from audit.entries s where s.subject = ${subject} and s.type = 'node.started' order by s.id desc limit 1`.execute(
    db,
  );
  return rows[0];
}
