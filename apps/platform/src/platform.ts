import { join } from "node:path";
import compress from "@fastify/compress";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Fastify, { LogController } from "fastify";
import { hasZodFastifySchemaValidationErrors, validatorCompiler } from "fastify-type-provider-zod";
import { sql } from "kysely";
import { Gauge, Histogram, Registry } from "prom-client";
import type { Clock } from "./clock.ts";
import type { PlatformDeps } from "./deps.ts";
import type { MakePlay, Play } from "./modules/play/index.ts";
import { createLobby } from "./modules/play/lobby/index.ts";
import type { Players } from "./modules/players/accounts/index.ts";
import { createPlayers } from "./modules/players/accounts/index.ts";
import type { Auth } from "./modules/players/auth/index.ts";
import { createAuth, PLATFORM_VERSION } from "./modules/players/auth/index.ts";
import { createGates } from "./modules/players/gates/index.ts";
import { createPromotions } from "./modules/players/promotions/index.ts";
import { createHistory } from "./modules/records/history/index.ts";
import { createNotifications } from "./modules/talk/notifications/index.ts";
import { createQuickPanel } from "./modules/talk/quick-panel/index.ts";
import { createTeamChat } from "./modules/talk/team-chat/index.ts";
import type { PlatformAudit } from "./platform-audit.ts";
import { createPlatformAudit } from "./platform-audit.ts";
import { clientAddress } from "./plugins/client-address.ts";
import { limitConnections, trackConnections } from "./plugins/connections.ts";
import type { SettingsFile } from "./plugins/files/settings-file.ts";
import { serveSettings } from "./plugins/files/settings-file.ts";
import { serveWeb } from "./plugins/files/static-files.ts";
import { addHeaders } from "./plugins/headers.ts";
import { limitCalls } from "./plugins/limits.ts";
import { serveHealth } from "./plugins/metrics/health.ts";
import { houseMetrics } from "./plugins/metrics/house-metrics.ts";
import { countBus, poolMetrics } from "./plugins/metrics/node-metrics.ts";
import { allowOrigins, checkHosts, hostRule, originRule } from "./plugins/origins.ts";
import { sendProblem } from "./plugins/problems.ts";
import { logOfRequest, logRequests } from "./plugins/request-log.ts";
import { isSocketUpgrade } from "./plugins/sockets/refuse-upgrade.ts";
import type { Sockets } from "./plugins/sockets.ts";
import { createSockets } from "./plugins/sockets.ts";

/** A whole platform, ready to listen. */
export interface Platform {
  readonly app: FastifyInstance;
  readonly players: Players;
  readonly auth: Auth;
  readonly play: Play;
  readonly sockets: Sockets;
  readonly metrics: Registry;
  /** Listens and begins the timers; answers the address it listens on, `http://127.0.0.1:8080`. */
  listen(): Promise<string>;
  /**
   * Says for `DRAIN_MS` that it is not ready. Then nobody new is let in; every request that was taken is answered, over HTTP and over each socket before it is closed with 1012; timers stop.
   * The database stays open: it is not ours.
   */
  close(): Promise<void>;
}

/** Bodies of routes that do not say otherwise, bytes. */
const BODY_BYTES_MAX = 16_384;
/** A request must be there, and answered, within these. */
const REQUEST_MS_MAX = 30_000;
/** Headers must be there within this, and slow callers are looked for this often: a connection costs a file of the process. */
const HEADERS_MS_MAX = 10_000;
const SLOW_LOOK_MS = 2_500;
/** A connection on which nothing goes either way is closed after this: a caller that does not read its answer holds it in our memory. */
const SILENT_MS_MAX = 60_000;
/**
 * When the platform ends: how long what was asked may take to be answered, and then sockets to answer their close frame. Pages and agents
 * one after the other stay below the 10 s after which whoever stops a process kills it.
 */
const CLOSE_TIMES = {
  page: { answerMs: 4_000, graceMs: 1_000 },
  agent: { answerMs: 1_000, graceMs: 1_000 },
} as const;

/** Puts the platform together from what it is given. Nothing here makes its own time, chance or connections. */
export async function buildPlatform(given: PlatformDeps, makePlay: MakePlay): Promise<Platform> {
  const { config, clock, log } = given;
  const metrics = new Registry();
  const deps = { ...given, bus: countBus(metrics, given.bus) };
  const app = openServer(given);
  const audit = createPlatformAudit(deps, app, metrics);
  const { limited } = audit;
  const sockets = createSockets({
    clock,
    log,
    originAllowed: originRule(config, hostRule(config)),
    addressOf: (request) => clientAddress(request, config.trustedProxyHops),
    perAddressMax: config.limits.socketsPerAddress,
    handshakesPerMinute: config.limits.handshakesPerMinuteAddress,
    messagesPerSecondAddress: config.limits.messagesPerSecondAddress,
    limited,
  });
  app.server.on("upgrade", sockets.upgrade);
  const { destroyAll } = trackConnections(app.server);
  const { connections, connectionsPerAddress } = config.limits;
  limitConnections(app.server, { max: connections, perAddress: connectionsPerAddress }, { clock, log, limited });

  let isDraining = false;
  const settings = await addFrame(app, deps, sockets, { audit, metrics, isDraining: () => isDraining });
  const gates = createGates(app, config, audit.seldom);
  const players = await createPlayers(deps);
  const auth = await createAuth(deps, { app, players, isBlocked: gates.isBlocked, settings: settings.file, metrics });
  const play = await makePlay(deps, { app, auth, sockets, metrics });
  await createLobby(deps, app, auth.guard, play);
  createPromotions(deps, app, auth.guard);
  createHistory(deps, app, auth.guard);
  createQuickPanel(deps, app, auth.guard);
  const notifications = createNotifications(deps, { app, auth, sockets, play });
  const chat = createTeamChat(deps, { app, guard: auth.guard, notifications });
  await app.ready();

  return {
    app,
    players,
    auth,
    play,
    sockets,
    metrics,
    async listen() {
      const href = await app.listen({ host: config.host, port: config.portNumber });
      // What is counted is counted from here on.
      await settings.refresh();
      await audit.started(PLATFORM_VERSION, settings.file.now());
      play.start();
      return href;
    },
    async close() {
      isDraining = true;
      // Balancers that only look from time to time have to see it before the door shuts.
      if (config.drainMs > 0) await new Promise<void>((over) => clock.after(config.drainMs, over));
      const left = await endServing(app, { sockets, calls: settings.calls, destroyAll });
      if (left > 0) log.info({ left }, "connections that were left open are cut");
      notifications.close();
      await chat.close();
      auth.close();
      settings.file.close();
      await play.close();
      await audit.close();
    },
  };
}

/** The HTTP server, before anything is on it. */
function openServer({ log }: PlatformDeps): FastifyInstance {
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
    frameworkErrors: answerError,
  });
}

type Serving = { readonly sockets: Sockets; readonly calls: OpenCalls; readonly destroyAll: () => number };

/**
 * Accepts no new connection, answers every open request and then cuts what is left, whatever it is: one caller that stays must not keep the
 * process. Returns how many connections were cut.
 */
async function endServing(app: FastifyInstance, { sockets, calls, destroyAll }: Serving): Promise<number> {
  const closed = app.close();
  closed.catch(() => {});
  await Promise.all([sockets.close("page", CLOSE_TIMES.page), calls.answered(CLOSE_TIMES.page.answerMs)]);
  // What pages and callers had asked may have needed them until now.
  await sockets.close("agent", CLOSE_TIMES.agent);
  const left = destroyAll();
  await closed;
  return left;
}

type FrameParts = {
  readonly audit: PlatformAudit;
  readonly metrics: Registry;
  readonly isDraining: () => boolean;
};

/** What stands around every route: addresses, logs, limits, headers, failures, files. */
async function addFrame(
  app: FastifyInstance,
  { config, clock, log, db, bus }: PlatformDeps,
  sockets: Sockets,
  { audit, metrics, isDraining }: FrameParts,
): Promise<{ readonly file: SettingsFile; readonly calls: OpenCalls; refresh(): Promise<void> }> {
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
  answerFailures(app);
  logRequests(app);
  httpMetrics(metrics, app, sockets.openByPath);
  poolMetrics(metrics, db);
  allowOrigins(app, config.allowedOrigins);
  let hosts: SettingsFile["hosts"] | undefined;
  addHeaders(app, config, () => hosts?.() ?? { connect: [], script: [], style: [], font: [], image: [], frame: [] });
  checkHosts(app, config, hostRule(config));
  await limitCalls(app, config.limits.callsPerMinuteAddress);
  await app.register(compress, { threshold: 1_024, encodings: ["br", "gzip"] });
  const file = await serveSettings(app, {
    file: config.settingsFile ?? join(config.dataFolder, "Settings.json"),
    clock,
    log,
    changed: audit.settingsChanged,
  });
  hosts = file.hosts;
  await serveWeb(app, config.webFolder, methodsOf, log);
  const refresh = houseMetrics({ registry: metrics, db, clock, log, callLateMs: config.play.CALL_LATE_MS });
  serveHealth(app, {
    clock,
    metrics,
    refresh,
    isDraining,
    busState: () => bus.state(),
    ping: async () => {
      await sql`select 1`.execute(db.kysely);
    },
  });
  return { file, calls, refresh };
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

/** Schemas check what comes in; whatever is wrong is answered in the contract's failure body. */
function answerFailures(app: FastifyInstance): void {
  app.setValidatorCompiler(validatorCompiler);
  app.setErrorHandler((error, request, reply) => answerError(error as Thrown, request, reply));
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

/** Calls and sockets of this node. */
function httpMetrics(registry: Registry, app: FastifyInstance, openSockets: () => ReadonlyMap<string, number>): void {
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
type OpenCalls = {
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
    if (open === 0) for (const tell of waiting) tell();
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
