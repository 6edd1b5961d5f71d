/** A log; a pino logger is one. */
export interface Log {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/** A log that drops everything: for tests and for callers without one. */
export const silentLog: Log = { info() {}, warn() {}, error() {} };
