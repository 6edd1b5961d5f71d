import pg from "pg";

/** One statement as text, and its values. */
export type Sql = { readonly text: string; readonly values: readonly unknown[] };

export type Result = { command: string; rowCount: number | null; rows: unknown[] };

/** What `pg.Query` gives to its own kind and does not declare. */
type Messages = {
  prepare(connection: Wire): void;
  handleRowDescription(message: { fields: Fields }): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
};
type Wire = {
  parse(statement: { name: string; text: string; types: readonly number[] }): void;
  bind(statement: { statement: string; values: readonly unknown[] }): void;
  execute(portal: object): void;
  describe(portal: object): void;
};
type Fields = readonly { readonly name: string }[];
/** `fields`: of its rows; undefined until it has run once. */
type Known = { readonly name: string; fields: Fields | undefined };

/** The statements that one connection has prepared, by their texts. */
class Prepared {
  readonly #known = new Map<string, Known>();
  #undescribed: Wire | undefined;

  has(text: string): boolean {
    return this.#known.has(text);
  }
  of(text: string): Known {
    const known = this.#known.get(text) ?? { name: `p${this.#known.size}`, fields: undefined };
    this.#known.set(text, known);
    return known;
  }
  /** The connection, without the request to describe the rows. */
  undescribed(wire: Wire): Wire {
    this.#undescribed ??= Object.assign(Object.create(wire) as Wire, { describe: () => {} });
    return this.#undescribed;
  }
}

/**
 * A statement that the server has prepared, in one message together with statements ahead of it whose answers nothing waits for. A message to
 * the server and its answer cost more than most of our statements; the shape of the rows, which it sends each time, is read once.
 */
class Statement extends pg.Query {
  readonly #prepared: Prepared;
  readonly #ahead: readonly Sql[];
  readonly #known: Known;
  #answersLeft: number;
  /** The result knows its fields, or will be sent them. */
  #isShaped: boolean;

  constructor(prepared: Prepared, { text, values }: Sql, ahead: readonly Sql[]) {
    super(text, [...values]);
    this.#prepared = prepared;
    this.#ahead = ahead;
    this.#answersLeft = ahead.length;
    this.#known = prepared.of(text);
    this.#isShaped = this.#known.fields === undefined;
    Object.assign(this, { name: this.#known.name });
  }

  prepare(wire: Wire): void {
    for (const { text, values } of this.#ahead) {
      const isNew = !this.#prepared.has(text);
      const { name } = this.#prepared.of(text);
      if (isNew) wire.parse({ name, text, types: [] });
      wire.bind({ statement: name, values });
      wire.execute({});
    }
    this.#real("prepare").call(this, this.#isShaped ? wire : this.#prepared.undescribed(wire));
  }

  handleRowDescription(message: { fields: Fields }): void {
    this.#known.fields = message.fields;
    this.#isShaped = true;
    this.#real("handleRowDescription").call(this, message);
  }

  handleDataRow(message: unknown): void {
    if (this.#answersLeft > 0) return;
    if (!this.#isShaped) this.handleRowDescription({ fields: this.#known.fields ?? [] });
    this.#real("handleDataRow").call(this, message);
  }

  handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#answersLeft > 0) {
      this.#answersLeft -= 1;
      return;
    }
    this.#known.fields ??= [];
    this.#real("handleCommandComplete").call(this, message, wire);
  }

  #real<Name extends keyof Messages>(name: Name): Messages[Name] {
    return (pg.Query.prototype as unknown as Messages)[name];
  }
}

/** What connections know, whichever world uses them. */
const connections = new WeakMap<pg.Client, Prepared>();

/** Runs a statement on a connection of `pipeline`, behind those of `ahead`; when it fails, what they did in its transaction is gone too. */
export function runStatement(client: pg.Client, statement: Sql, ahead: readonly Sql[] = []): Promise<Result> {
  const prepared = connections.get(client) ?? new Prepared();
  connections.set(client, prepared);
  return new Promise((resolve, reject) => {
    const query = new Statement(prepared, statement, ahead);
    Object.assign(query, {
      callback: (error: Error | null, result: Result) => (error === null ? resolve(result) : reject(error)),
    });
    client.query(query);
  });
}
