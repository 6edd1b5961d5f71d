import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import type { Bindings, ChildLoggerOptions } from "pino";

/** One line for each answer. The query is left out: it may carry a token. */
export function logRequests(app: FastifyInstance): void {
  app.addHook("onResponse", (request, reply, done) => {
    const line = {
      method: request.method,
      path: pathOf(request.url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      address: request.clientAddress,
      playerId: request.caller?.playerId,
    };
    if (reply.statusCode >= 500) request.log.warn(line, "answered");
    else request.log.debug(line, "answered");
    done();
  });
}

/** The path without its query. */
export function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}

type Level = "trace" | "debug" | "info" | "warn" | "error" | "fatal";
type Said = readonly unknown[];
type ParentLog = FastifyBaseLogger & { isLevelEnabled?(level: Level): boolean };

/** The log of one request, made when it has something to say: most have not, and making it costs a tenth of a small answer. */
class RequestLog {
  readonly #parent: ParentLog;
  readonly #bindings: Bindings;
  readonly #options: ChildLoggerOptions;
  #made: FastifyBaseLogger | undefined;

  constructor(parent: ParentLog, bindings: Bindings, options: ChildLoggerOptions) {
    this.#parent = parent;
    this.#bindings = bindings;
    this.#options = options;
  }

  get level(): string {
    return this.#parent.level;
  }

  child(bindings: Bindings, options?: ChildLoggerOptions): FastifyBaseLogger {
    return this.#own().child(bindings, options);
  }

  trace(...said: Said): void {
    this.#say("trace", said);
  }

  debug(...said: Said): void {
    this.#say("debug", said);
  }

  info(...said: Said): void {
    this.#say("info", said);
  }

  warn(...said: Said): void {
    this.#say("warn", said);
  }

  error(...said: Said): void {
    this.#say("error", said);
  }

  fatal(...said: Said): void {
    this.#say("fatal", said);
  }

  silent(): void {}

  #own(): FastifyBaseLogger {
    this.#made ??= this.#parent.child(this.#bindings, this.#options);
    return this.#made;
  }

  #say(level: Level, said: Said): void {
    if (this.#parent.isLevelEnabled?.(level) === false) return;
    const own = this.#own();
    (own[level] as (...words: Said) => void).apply(own, [...said]);
  }
}

/** Gives each request its log, with the number by which its lines belong together. */
export const logOfRequest = (
  parent: FastifyBaseLogger,
  bindings: Bindings,
  options: ChildLoggerOptions,
): FastifyBaseLogger => new RequestLog(parent, bindings, options) as unknown as FastifyBaseLogger;
