import type { FastifyInstance } from "fastify";
import type { Registry } from "prom-client";
import type { Bus } from "./bus/index.ts";
import type { Clock, Stop } from "./clock.ts";
import type { PlatformDeps } from "./deps.ts";
import type { Log } from "./log.ts";
import { listenToAlarms } from "./log.ts";
import type { Audit, Keeper, ThrottledAudit } from "./modules/records/audit/index.ts";
import {
  createKeeper,
  createThrottledAudit,
  differences,
  openAudit,
  recordStart,
  recordStop,
} from "./modules/records/audit/index.ts";
import { alarmMetrics, limitMetrics, logMetrics } from "./plugins/node-metrics.ts";

/** The audit log of a whole platform: what no single module could tell. */
export type PlatformAudit = {
  readonly audit: Audit;
  readonly throttled: ThrottledAudit;
  readonly keeper: Keeper;
  /** The operator's settings are others from now on. */
  settingsChanged(before: object, after: object): void;
  /** A limit of sockets or connections was hit; counted, too. */
  limited(limit: string, address: string): void;
  /** The node serves. */
  started(version: string, settings: object): Promise<void>;
  /** The node ends with grace: the last entry of its life, and all of them linked. */
  close(): Promise<void>;
};

const BUS_LOOK_MS = 1_000;

/** Tells each time that this node and the others stop hearing each other, or begin again. */
function watchBus(bus: Bus, clock: Clock, tell: (type: "bus.away" | "bus.back") => void): Stop {
  let was = bus.state();
  return clock.every(BUS_LOOK_MS, () => {
    const now = bus.state();
    if (now !== was) tell(now === "up" ? "bus.back" : "bus.away");
    was = now;
  });
}

export function createPlatformAudit(
  { config, db, bus, clock, log }: PlatformDeps,
  app: FastifyInstance,
  metrics: Registry,
): PlatformAudit {
  const countLimit = limitMetrics(metrics);
  const stopCounting = alarmMetrics(metrics, log);
  logMetrics(metrics, log);
  const node = config.play.NODE_ID;
  const audit = openAudit(db.kysely, node);
  const life = { db: db.kysely, audit, node };
  const keeper = createKeeper({ ...life, clock, log, elapsed: () => performance.now() });
  const throttled = createThrottledAudit({ audit, clock, log });

  const stopWatchingBus = watchBus(bus, clock, (type) =>
    throttled.note(`${type} ${clock.now()}`, { type, actor: `node:${node}`, subject: "bus" }),
  );
  const stopListening = recordAlarms(log, throttled, node);
  recordRefusals(app, throttled);

  return {
    audit,
    throttled,
    keeper,
    settingsChanged(before, after) {
      const change = differences(before as Record<string, unknown>, after as Record<string, unknown>);
      throttled.note(`settings ${clock.now()}`, {
        type: "parameters.changed",
        actor: `node:${node}`,
        subject: "Settings.json",
        ...change,
      });
    },
    limited(limit, address) {
      countLimit(limit);
      throttled.note(`limit ${limit} ${address}`, { type: "limit.hit", actor: "visitor", address, facts: { limit } });
    },
    started(version, settings) {
      // The same as the rest, in the words of the environment.
      const { server: _, limitsOfServer: __, ...parameters } = config;
      return recordStart(life, version, { ...parameters, settings });
    },
    async close() {
      stopListening();
      stopWatchingBus();
      stopCounting();
      await throttled.settled();
      await recordStop(life).catch((error: unknown) =>
        log.warn({ err: error }, "the end of this node could not be written down"),
      );
      await keeper.close();
    },
  };
}

function recordAlarms(log: Log, throttled: ThrottledAudit, node: string): Stop {
  return listenToAlarms(log, ({ alarm, facts, sentence }) => {
    const { err, ...rest } = facts;
    const about = ["transferId", "machineId", "playSessionId"]
      .map((name) => facts[name])
      .filter((one) => typeof one === "string");
    throttled.note(`alarm ${alarm} ${about.join(" ")}`, {
      type: "alarm.raised",
      actor: `node:${node}`,
      subject: about[0] ?? `node:${node}`,
      facts: { ...rest, sentence, ...(err instanceof Error && { error: err.message }) },
    });
  });
}

/** Answers a limit was behind, and those to a token that was not good. */
const TOO_MANY = 429;
const NOT_SIGNED_IN = 401;

function recordRefusals(app: FastifyInstance, throttled: ThrottledAudit): void {
  app.addHook("onResponse", (request, reply, done) => {
    const { clientAddress: address, routeOptions, caller } = request;
    const facts = { method: request.method, route: routeOptions.url ?? "none" };
    const actor = caller === null ? "visitor" : `player:${caller.playerId}`;
    const key = `${reply.statusCode} ${facts.route} ${actor} ${address}`;
    if (reply.statusCode === TOO_MANY)
      throttled.note(key, { type: "limit.hit", actor, address, facts: { ...facts, limit: "calls" } });
    if (reply.statusCode === NOT_SIGNED_IN && request.headers.authorization !== undefined)
      throttled.note(key, { type: "signIn.mismatch", actor, address, facts });
    done();
  });
}
