import type { ClientBase } from "pg";
import { quoted, quotedTable } from "./catalogue.ts";
import type { TableHead } from "./format.ts";
import { BackupProblem } from "./format.ts";

type ForeignKey = {
  readonly schema: string;
  readonly name: string;
  readonly constraint: string;
  readonly definition: string;
};

/**
 * Runs `load` on tables whose triggers do not fire and whose foreign keys are away: rows come as they were, in any order. Afterwards
 * both are as before, and every foreign key has been checked over all rows at once. An owner of the tables may do all this.
 */
export async function withoutGuards(
  client: ClientBase,
  tables: readonly TableHead[],
  load: () => Promise<void>,
): Promise<void> {
  const keys = await readForeignKeys(client);
  const before = await readGuards(client);
  for (const key of keys)
    await client.query(`alter table ${quotedTable(key)} drop constraint ${quoted(key.constraint)}`);
  for (const table of tables) await client.query(`alter table ${quotedTable(table)} disable trigger user`);
  await load();
  for (const table of tables) await client.query(`alter table ${quotedTable(table)} enable trigger user`);
  for (const key of keys) await addForeignKey(client, key);
  if ((await readGuards(client)) !== before) throw new BackupProblem("The guards of the tables are not as they were.");
}

async function addForeignKey(client: ClientBase, key: ForeignKey): Promise<void> {
  const { constraint, definition } = key;
  try {
    await client.query(`alter table ${quotedTable(key)} add constraint ${quoted(constraint)} ${definition}`);
  } catch (cause) {
    if ((cause as { code?: string }).code !== "23503") throw cause;
    throw new BackupProblem(
      `The backup was altered: rows of ${key.schema}.${key.name} name others that are not there.`,
      { cause },
    );
  }
}

async function readForeignKeys(client: ClientBase): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(`
    select n.nspname as schema, c.relname as name, k.conname as "constraint", pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
    where k.contype = 'f' order by 1, 2, 3`);
  return rows;
}

/** Every trigger with whether it fires, and every constraint: one text to compare. */
async function readGuards(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ guard: string }>(`
    select format('%s %s %s', tgrelid::regclass, tgname, tgenabled) as guard from pg_trigger where not tgisinternal
    union all
    select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint where conrelid <> 0
    order by 1`);
  return rows.map(({ guard }) => guard).join("\n");
}
