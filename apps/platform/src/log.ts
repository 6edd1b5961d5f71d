import type { FastifyBaseLogger } from "fastify";
import type { DestinationStream, LoggerOptions } from "pino";
import pino from "pino";
import type { Config } from "./config.ts";

/** Where every part tells what happens to it. */
export type Log = FastifyBaseLogger;

/** Fields that may carry a secret, wherever a log call puts them. */
const SECRET_FIELDS = ["password", "old_password", "new_password", "pin", "pin_code", "token", "authorization", "key"];

/**
 * The process log: one JSON object a line, or words for people; secrets are blanked by field name. `destination` takes the
 * lines instead of the standard output.
 */
export function createLog(config: Pick<Config, "logLevel" | "logFormat">, destination?: DestinationStream): Log {
  const options: LoggerOptions = {
    level: config.logLevel,
    base: null,
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
      censor: "[hidden]",
    },
  };
  if (destination) return pino(options, destination);
  if (config.logFormat === "json") return pino(options);
  return pino({ ...options, transport: { target: "pino-pretty", options: { translateTime: "SYS:HH:MM:ss.l" } } });
}
