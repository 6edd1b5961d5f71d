import pg from "pg";

/** One statement as text, and its values. */
export type Sql = { readonly text: string; readonly values: readonly unknown[] };

export type Result = { command: string; rowCount: number | null; rows: unknown[] };

/** What `pg.Query` gives to its own kind and does not declare. */
type Messages = {
  readonly _results: Result;
  /** Gets the connection's own types when it is sent. */
  readonly _result: { _types?: unknown };
  prepare(connection: Wire): void;
  handleRowDescription(message: { fields: Fields }): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
  handleError(error: Error, connection: Wire): void;
};
type Wire = {
  parse(statement: { name: string; text: string; types: readonly number[] }): void;
  bind(statement: { statement: string; values: readonly unknown[] }): void;
  execute(portal: object): void;
  describe(portal: object): void;
  sync(): void;
};
type Fields = readonly { readonly name: string }[];
/** `fields`: of its rows; undefined until it has run once. */
type Known = { readonly name: string; fields: Fields | undefined };

/** The statements that one connection has prepared, by their texts. */
class Prepared {
  readonly #known = new Map<string, Known>();

  has(text: string): boolean {
    return this.#known.has(text);
  }
  /** It has run here: nothing of it has to be sent but its values. */
  hasRun(text: string): boolean {
    return this.#known.get(text)?.fields !== undefined;
  }
  of(text: string): Known {
    const known = this.#known.get(text) ?? { name: `p${this.#known.size}`, fields: undefined };
    this.#known.set(text, known);
    return known;
  }
}

/** The connection with other ways for two of its messages. */
const detour = (wire: Wire, ways: Partial<Pick<Wire, "describe" | "sync">>): Wire =>
  Object.assign(Object.create(wire) as Wire, ways);
const nothing = (): void => undefined;

/**
 * A statement that the server has prepared, in one message together with statements ahead of it whose answers nothing waits for, and with reads
 * behind it that are expected next. A message to the server and its answer cost more than most of our statements; the shape of the rows, which
 * it sends each time, is read once.
 */
class Statement extends pg.Query {
  readonly #prepared: Prepared;
  readonly #ahead: readonly Sql[];
  readonly #behind: readonly Statement[];
  readonly #known: Known;
  #answersLeft: number;
  /** Answers that have come of the statement and those behind it. */
  #answered = 0;
  /** The result knows its fields, or will be sent them. */
  #isShaped: boolean;

  constructor(prepared: Prepared, { text, values }: Sql, ahead: readonly Sql[], behind: readonly Sql[]) {
    super(text, [...values]);
    this.#prepared = prepared;
    this.#ahead = ahead;
    this.#behind = behind.map((sql) => new Statement(prepared, sql, [], []));
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
    this.#send(wire, () => {
      for (const next of this.#behind) {
        next.#own._result._types = this.#own._result._types;
        next.#send(wire, nothing);
      }
      wire.sync();
    });
  }

  /** `results`: of the statements behind it. */
  get results(): readonly Result[] {
    return this.#behind.map((next) => next.#own._results);
  }

  handleRowDescription(message: { fields: Fields }): void {
    const next = this.#next();
    if (next !== undefined) {
      next.handleRowDescription(message);
      return;
    }
    this.#known.fields = message.fields;
    this.#isShaped = true;
    this.#real("handleRowDescription").call(this, message);
  }

  handleDataRow(message: unknown): void {
    if (this.#answersLeft > 0) return;
    const next = this.#next();
    if (next !== undefined) {
      next.handleDataRow(message);
      return;
    }
    if (!this.#isShaped) this.handleRowDescription({ fields: this.#known.fields ?? [] });
    this.#real("handleDataRow").call(this, message);
  }

  handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#answersLeft > 0) {
      this.#answersLeft -= 1;
      return;
    }
    const next = this.#next();
    this.#answered += 1;
    if (next !== undefined) {
      next.handleCommandComplete(message, wire);
      return;
    }
    this.#known.fields ??= [];
    this.#real("handleCommandComplete").call(this, message, wire);
  }

  handleError(error: Error, wire: Wire): void {
    const next = this.#next();
    this.#real("handleError").call(this, next === undefined ? error : new GuessFailed(next.#known.name, error), wire);
  }

  /** The statement behind this one whose answer comes now. */
  #next(): Statement | undefined {
    return this.#answered === 0 ? undefined : this.#behind[this.#answered - 1];
  }

  #send(wire: Wire, sync: () => void): void {
    this.#real("prepare").call(this, detour(wire, { sync, ...(!this.#isShaped && { describe: nothing }) }));
  }

  get #own(): Messages {
    return this as unknown as Messages;
  }

  #real<Name extends Exclude<keyof Messages, "_results" | "_result">>(name: Name): Messages[Name] {
    return (pg.Query.prototype as unknown as Messages)[name];
  }
}

/** A statement failed that the platform has not requested yet: the run proves nothing. */
export class GuessFailed extends Error {
  override readonly name = "GuessFailed";
  constructor(statement: string, cause: Error) {
    super(`the guessed statement ${statement} failed: ${cause.message}`, { cause });
  }
}

/** What connections know, whichever world uses them. */
const connections = new WeakMap<pg.Client, Prepared>();

/** The answer of a statement, and those of the reads that ran behind it. */
type Answers = { readonly result: Result; readonly behind: readonly Result[] };

/**
 * Runs a statement on a connection of `pipeline`, behind those of `ahead`; when it fails, what they did in its transaction is gone too, and
 * nothing of `behind` runs. Of `behind`, what has not run on this connection before is left out, and what follows it.
 */
export function runStatement(
  client: pg.Client,
  statement: Sql,
  ahead: readonly Sql[] = [],
  behind: readonly Sql[] = [],
): Promise<Answers> {
  const prepared = connections.get(client) ?? new Prepared();
  connections.set(client, prepared);
  const unknown = behind.findIndex(({ text }) => !prepared.hasRun(text));
  return new Promise((resolve, reject) => {
    const query = new Statement(prepared, statement, ahead, unknown === -1 ? behind : behind.slice(0, unknown));
    Object.assign(query, {
      callback: (error: Error | null, result: Result) =>
        error === null ? resolve({ result, behind: query.results }) : reject(error),
    });
    client.query(query);
  });
}
