import { descriptorSink, LogOutput } from "@longarm/link/log-output";
import type { Logger } from "pino";
import pino from "pino";
import { prettyFactory } from "pino-pretty";
import type { Config } from "./config/config.ts";

const STANDARD_OUTPUT = 1;

/** The agent's log on its standard output. A full disk or a closed pipe loses lines, which it reports once it works again, and never ends the agent. */
export function createLog({ logLevel, logFormat }: Pick<Config, "logLevel" | "logFormat">): Logger {
  const standardOutput = descriptorSink(STANDARD_OUTPUT);
  const pretty = prettyFactory({ translateTime: "SYS:HH:MM:ss.l" });
  const prettyOutput = { write: (line: string) => standardOutput.write(pretty(line)) };
  const output = new LogOutput(logFormat === "words" ? prettyOutput : standardOutput, (lines) =>
    log.warn({ lines }, "Lines of this log could not be written and are lost."),
  );
  const log: Logger = pino({ level: logLevel, base: null }, output);
  return log;
}
