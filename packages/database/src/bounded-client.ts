import pg from "pg";

/**
 * A connection that is given up when a statement is not answered in time (`query_timeout` of the library). The server cancels what takes too
 * long by itself; who does not answer at all is gone or frozen, and whatever is asked on that connection next would wait behind it.
 */
export class BoundedClient extends pg.Client {
  override query(...args: unknown[]): never {
    const asked = (super.query as (...given: unknown[]) => unknown).apply(this, args);
    if (asked instanceof Promise) asked.catch((error: unknown) => this.#giveUp(error));
    return asked as never;
  }

  /** For work that may take as long as it takes, such as a migration of a large table. */
  waitForever(): void {
    (this as unknown as { connectionParameters: { query_timeout: number } }).connectionParameters.query_timeout = 0;
  }

  #giveUp(error: unknown): void {
    if (!(error instanceof Error) || error.message !== "Query read timeout") return;
    // With a statement under way this cuts the connection instead of asking the server for its end.
    this.end().catch(() => {});
  }
}
