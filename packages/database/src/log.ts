/** Where a part tells what happens to it. A pino logger fits as it is. */
export interface Log {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/** A log that keeps nothing: for tests and for callers that do not care. */
export const silentLog: Log = { info() {}, warn() {}, error() {} };
