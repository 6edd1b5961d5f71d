import type { AddressInfo } from "node:net";
import compress from "@fastify/compress";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Fastify, { LogController } from "fastify";
import { hasZodFastifySchemaValidationErrors, validatorCompiler } from "fastify-type-provider-zod";
import type { Registry } from "prom-client";
import { Gauge, Histogram } from "prom-client";
import type { Clock } from "./clock.ts";
import type { PlatformDeps } from "./deps.ts";
import { clientAddress } from "./plugins/client-address.ts";
import { addHeaders } from "./plugins/headers.ts";
import type { AnswerTooMany } from "./plugins/limits.ts";
import { limitCalls } from "./plugins/limits.ts";
import { allowOrigins, checkHosts, hostRule } from "./plugins/origins.ts";
import { sendProblem } from "./plugins/problems.ts";
import { isSocketUpgrade } from "./plugins/refuse-upgrade.ts";
import { logOfRequest, logRequests } from "./plugins/request-log.ts";
import type { SettingsFile } from "./plugins/settings-file.ts";

/** Bodies of routes that do not say otherwise, bytes. */
const BODY_BYTES_MAX = 16_384;
/** A request must be there, and answered, within these. */
const REQUEST_MS_MAX = 30_000;
/** Headers must be there within this, and slow callers are looked for this often: a connection costs a file of the process. */
const HEADERS_MS_MAX = 10_000;
const SLOW_LOOK_MS = 2_500;
/** A connection on which nothing goes either way is closed after this: a caller that does not read its answer holds it in our memory. */
const SILENT_MS_MAX = 60_000;
/** The server before it has routes, and what later steps need of it. */
export type HttpServer = {
  readonly app: FastifyInstance;
  readonly calls: OpenCalls;
  /** The methods that a path knows, of the routes added so far. */
  methodsOf(path: string): string[];
};

/** Opens the HTTP server with what every request passes through first: counting, the client's address, failures, the request log. */
export function openHttpServer(
  { config, clock, log }: Pick<PlatformDeps, "config" | "clock" | "log">,
  answer: AnswerFailure = answerError,
): HttpServer {
  const app = newServer(log, answer);
  const calls = countCalls(app, clock);
  app.decorateRequest("caller", null);
  app.decorateRequest("clientAddress", "");
  app.addHook("onRequest", (request, reply, done) => {
    request.clientAddress = clientAddress(request.raw, config.trustedProxyHops);
    // Node drops what comes in one piece with an offer that was not accepted, so its connection is not used again: nothing of it is misread.
    if (request.headers.upgrade !== undefined) void reply.header("connection", "close");
    done();
  });
  const methodsOf = knownMethods(app);
  answerFailures(app, answer);
  logRequests(app);
  return { app, calls, methodsOf };
}

/** Adds what protects every route added from now on: origins, headers, hosts, the limit of calls per address; and compression. */
export async function protectRoutes(
  app: FastifyInstance,
  { config }: Pick<PlatformDeps, "config">,
  hosts: SettingsFile["hosts"] | undefined,
  tooMany?: AnswerTooMany,
): Promise<void> {
  allowOrigins(app, config.allowedOrigins);
  addHeaders(app, config, hosts);
  checkHosts(app, config, hostRule(config));
  await limitCalls(app, config.limits.callsPerMinuteAddress, tooMany);
  await app.register(compress, { threshold: 1_024, encodings: ["br", "gzip"] });
}

function newServer(log: PlatformDeps["log"], answer: AnswerFailure): FastifyInstance {
  return Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: logOfRequest,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_MS_MAX,
    connectionTimeout: SILENT_MS_MAX,
    http: {
      headersTimeout: HEADERS_MS_MAX,
      connectionsCheckingInterval: SLOW_LOOK_MS,
      shouldUpgradeCallback: isSocketUpgrade,
    },
    routerOptions: { maxParamLength: 200 },
    forceCloseConnections: "idle",
    frameworkErrors: answer,
  });
}

/** Collects the routes added from now on; answers the methods that a path knows, to tell 405 from 404. */
function knownMethods(app: FastifyInstance): (path: string) => string[] {
  const routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook("onRoute", ({ url, method }) => {
    if (url.includes("*")) return;
    const pattern = url
      .split("/")
      .map((part) => (part.startsWith(":") ? "[^/]+" : RegExp.escape(part)))
      .join("/");
    routes.push({ pattern: new RegExp(`^${pattern}$`), methods: [method].flat() });
  });
  return (path) => [...new Set(routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods))];
}

/** An error that Fastify throws carries its HTTP status; any other has none. */
type Thrown = Partial<FastifyError>;
/** Writes the failure body of a listener. */
export type AnswerFailure = (error: Thrown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Schemas check what comes in; whatever is wrong is answered in the contract's failure body. */
function answerFailures(app: FastifyInstance, answer: AnswerFailure): void {
  app.setValidatorCompiler(validatorCompiler);
  app.setErrorHandler((error, request, reply) => answer(error as Thrown, request, reply));
}

/** Answers whatever was thrown; also for addresses that cannot be read, which reach no route. */
function answerError(error: Thrown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (hasZodFastifySchemaValidationErrors(error)) {
    const [first] = error.validation;
    return sendProblem(reply, {
      name: "request.invalid",
      detail: `${first?.instancePath ?? ""} ${first?.message ?? ""}`,
    });
  }
  const status = error.statusCode ?? 500;
  if (status < 500) return sendProblem(reply, { name: "request.malformed", detail: error.message ?? "" }, status);
  request.log.error({ err: error }, "a request failed on our side");
  return reply
    .code(status)
    .header("cache-control", "no-store")
    .send({ code: status, ErrorMessage: "The request failed on our side, please try again" });
}

/** Measures the calls and sockets of this node. */
export function httpMetrics(
  registry: Registry,
  app: FastifyInstance,
  openSockets: () => ReadonlyMap<string, number>,
): void {
  const answers = new Histogram({
    name: "longarm_http_seconds",
    help: "Time from request to answer, by route and status.",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.02, 0.1, 0.5, 2],
    registers: [registry],
  });
  new Gauge({
    name: "longarm_sockets_open",
    help: "Sockets of this node that are open now, by path.",
    labelNames: ["path"],
    registers: [registry],
    collect() {
      for (const [path, count] of openSockets()) this.set({ path }, count);
    },
  });
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "none";
    answers.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
    done();
  });
}

declare module "fastify" {
  interface FastifyRequest {
    /** It is counted as a call that is being answered. */
    isOpen: boolean;
  }
}

/** The calls that are being answered now. */
export type OpenCalls = {
  /** Resolves when each of them is answered, or its caller gone; after `limitMs` in any case. */
  answered(limitMs: number): Promise<void>;
};

/**
 * Counts the calls of a server from here on; added before every other hook. A number and no set of the calls: the tables that a set grows out of
 * are linked, and keep every call alive that was ever in it until the whole memory is swept, which cost a small answer a sixth of its time.
 */
function countCalls(app: FastifyInstance, clock: Clock): OpenCalls {
  let open = 0;
  const waiting = new Set<() => void>();

  function done(request: FastifyRequest): void {
    if (!request.isOpen) return;
    request.isOpen = false;
    open -= 1;
    if (open === 0) for (const resolve of waiting) resolve();
  }

  app.decorateRequest("isOpen", false);
  app.addHook("onRequest", (request, _reply, next) => {
    request.isOpen = true;
    open += 1;
    next();
  });
  app.addHook("onRequestAbort", (request, next) => {
    done(request);
    next();
  });
  app.addHook("onResponse", (request, _reply, next) => {
    done(request);
    next();
  });

  return {
    answered: (limitMs) =>
      new Promise((resolve) => {
        if (open === 0) return resolve();
        const end = (): void => {
          stop();
          waiting.delete(end);
          resolve();
        };
        const stop = clock.after(limitMs, end);
        waiting.add(end);
      }),
  };
}

/** The port that it listens on; undefined: not yet. */
export function portOf(app: FastifyInstance): number | undefined {
  const address = app.server.address() as AddressInfo | string | null;
  return typeof address === "object" ? address?.port : undefined;
}
