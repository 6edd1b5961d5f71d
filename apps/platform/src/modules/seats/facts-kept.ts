import type {
  KyselyPlugin,
  OperationNode,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
  QueryResult,
  RootOperationNode,
} from "kysely";
import { AliasNode, InsertQueryNode, SelectQueryNode, TableNode, UpdateQueryNode } from "kysely";
import type { PlayTransaction } from "../../play-tables.ts";
import type { MachineFacts } from "./seat-row.ts";
import { readFacts } from "./seat-row.ts";

/** Nothing of a seat's facts is in these, nor in what their triggers write: the seat's own row is kept beside them. */
const APART: ReadonlySet<string> = new Set(["seat", "play_session", "game", "machine_event"]);

/**
 * The facts of one seat inside one transaction that holds its lock: read when first asked for, and again only when the transaction itself has
 * done something that may have changed them. What others change meanwhile counts when they have the lock. A statement counts once it is
 * answered, so whoever changes something waits for it before asking for facts.
 */
export class KeptFacts {
  readonly trx: PlayTransaction;
  readonly #bare: PlayTransaction;
  readonly #machineId: string;
  #kept: MachineFacts | undefined;

  /** `trx` of the answer is the one to work with: what goes by the given one is not noticed. */
  constructor(bare: PlayTransaction, machineId: string) {
    this.#bare = bare;
    this.#machineId = machineId;
    this.trx = bare.withPlugin(new ChangeSeen(() => this.#forget()));
  }

  async read(): Promise<MachineFacts> {
    this.#kept ??= await readFacts(this.#bare, this.#machineId);
    return this.#kept;
  }

  #forget(): void {
    this.#kept = undefined;
  }
}

/** Calls back for every statement of which it is not sure that it changes nothing: a ledger's function is called by a `select`, too. */
class ChangeSeen implements KyselyPlugin {
  readonly #harmless = new WeakSet<object>();
  readonly #seen: () => void;

  constructor(seen: () => void) {
    this.#seen = seen;
  }

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    // Queries that were made of one another share their id.
    if (isHarmless(node)) this.#harmless.add(queryId);
    else this.#harmless.delete(queryId);
    return node;
  }

  async transformResult({ queryId, result }: PluginTransformResultArgs): Promise<QueryResult<Record<string, unknown>>> {
    if (!this.#harmless.has(queryId)) this.#seen();
    return result;
  }
}

function isHarmless(node: RootOperationNode): boolean {
  if (SelectQueryNode.is(node)) return node.with === undefined && readsTables(node);
  if (UpdateQueryNode.is(node)) return node.with === undefined && isApart(node.table);
  if (InsertQueryNode.is(node)) return node.with === undefined && isApart(node.into);
  return false;
}

/** Of tables alone: a function stands in the same place. */
function readsTables({ from, joins = [] }: SelectQueryNode): boolean {
  const sources = [...(from?.froms ?? []), ...joins.map(({ table }) => table)];
  return sources.length > 0 && sources.every((source) => TableNode.is(AliasNode.is(source) ? source.node : source));
}

const isApart = (table: OperationNode | undefined): boolean =>
  table !== undefined && TableNode.is(table) && APART.has(table.table.identifier.name);
