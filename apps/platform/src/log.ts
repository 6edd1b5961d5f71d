import type { LineSink } from "@longarm/link/log-output";
import { descriptorSink, LogOutput } from "@longarm/link/log-output";
import type { FastifyBaseLogger } from "fastify";
import type { LoggerOptions } from "pino";
import pino from "pino";
import { prettyFactory } from "pino-pretty";
import type { Stop } from "./clock.ts";
import type { Config } from "./config.ts";

/** The log of every part of the platform. */
export type Log = FastifyBaseLogger;

/** Fields that may carry a secret, wherever a log call puts them. */
const SECRET_FIELDS = [
  ...["password", "old_password", "new_password", "pin", "pin_code", "token", "authorization", "key"],
  ...["secret", "credential", "cookie"],
];

/** What an error with the field `alarm` said; it calls for staff. */
export type RaisedAlarm = {
  readonly alarm: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly sentence: string;
};
type Listener = (raised: RaisedAlarm) => void;

const listeners = new WeakMap<object, Set<Listener>>();

/**
 * Calls `listener` for each alarm that is logged here or in a child log. A log that does not write errors (LOG_LEVEL `fatal`, `silent`) raises no
 * alarm.
 */
export function listenToAlarms(log: Log, listener: Listener): Stop {
  const all = listeners.get(log);
  all?.add(listener);
  return () => void all?.delete(listener);
}

const outputs = new WeakMap<object, LogOutput>();

/** How many lines of this log could not be written since the process began. */
export function lostLines(log: Log): number {
  return outputs.get(log)?.lost ?? 0;
}

const STANDARD_OUTPUT = 1;

/**
 * The process log: one JSON object a line, or words for people; secrets are blanked by field name. `destination` takes the
 * lines instead of the standard output. One that fails loses lines and never ends the process.
 */
export function createLog(
  config: Pick<Config, "logLevel" | "logFormat">,
  destination: LineSink = descriptorSink(STANDARD_OUTPUT),
): Log {
  const alarmListeners = new Set<Listener>();
  const output = new LogOutput(inFormat(config, destination), (lines) =>
    log.warn({ lines }, "lines of this log could not be written and are lost"),
  );
  const log: Log = pino(optionsOf(config, alarmListeners), output);
  listeners.set(log, alarmListeners);
  outputs.set(log, output);
  return log;
}

function optionsOf(config: Pick<Config, "logLevel">, alarmListeners: ReadonlySet<Listener>): LoggerOptions {
  return {
    level: config.logLevel,
    base: null,
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
      censor: "[hidden]",
    },
    hooks: {
      logMethod(args, method) {
        const [facts, sentence] = args as unknown[];
        if (typeof facts === "object" && facts !== null && "alarm" in facts)
          for (const listener of alarmListeners)
            listener({ alarm: String(facts.alarm), facts: { ...facts }, sentence: String(sentence) });
        method.apply(this, args);
      },
    },
  };
}

function inFormat({ logFormat }: Pick<Config, "logFormat">, destination: LineSink): LineSink {
  if (logFormat === "json") return destination;
  const words = prettyFactory({ translateTime: "SYS:HH:MM:ss.l" });
  return { write: (line) => destination.write(words(line)) };
}
