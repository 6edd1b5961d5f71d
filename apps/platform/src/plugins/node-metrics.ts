import type { Database } from "@longarm/database/connection";
import type { Registry } from "prom-client";
import { Counter, Gauge } from "prom-client";
import type { Bus } from "../bus/index.ts";
import type { Stop } from "../clock.ts";
import type { Log } from "../log.ts";
import { listenToAlarms, lostLines } from "../log.ts";

/** The connections of this node to its database. */
export function poolMetrics(registry: Registry, { pool }: Pick<Database<unknown>, "pool">): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge("longarm_database_connections", "Connections of this node to the database.", () => pool.totalCount);
  gauge("longarm_database_connections_used", "Those that work now.", () => pool.totalCount - pool.idleCount);
  gauge("longarm_database_waiting", "Calls that wait for a connection.", () => pool.waitingCount);
}

/** Kinds of alarms that there are from the start: a series that begins at one has grown by nothing. */
const ALARMS = [
  ...["transfer", "seat", "game", "events", "handPay", "discrepancy", "credits", "orphan", "reconciliation"],
  ...[
    "restored",
    "moved",
    "bus",
    "clock",
    "audit",
    "delivery",
    "wallet",
    "provider",
    "settings",
    "register",
    "recording",
    "evidence",
  ],
];

/** Every alarm that the log of this node is told. */
export function alarmMetrics(registry: Registry, log: Log): Stop {
  const raised = new Counter({
    name: "longarm_alarms_total",
    help: "Alarms for staff, by kind; the log says which machine, transfer or player.",
    labelNames: ["alarm"],
    registers: [registry],
  });
  for (const alarm of ALARMS) raised.inc({ alarm }, 0);
  return listenToAlarms(log, ({ alarm }) => raised.inc({ alarm }));
}

/** What the log of this node could not write: a full disk, a closed pipe. */
export function logMetrics(registry: Registry, log: Log): void {
  new Counter({
    name: "longarm_log_lines_lost_total",
    help: "Lines of the log that could not be written.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(lostLines(log));
    },
  });
}

/** Limits of sockets and connections; those of calls are answers 429 of `longarm_http_seconds`. */
export function limitMetrics(registry: Registry): (limit: string) => void {
  const hit = new Counter({
    name: "longarm_limits_hit_total",
    help: "How often a limit of sockets, messages or connections was hit.",
    labelNames: ["limit"],
    registers: [registry],
  });
  for (const limit of ["handshakes", "sockets", "messages", "connections"]) hit.inc({ limit }, 0);
  return (limit) => hit.inc({ limit });
}

/** Sign-ins that this node refused, each of them: the audit log keeps bursts of them. */
export function signInMetrics(registry: Registry): (type: string) => void {
  const refused = new Counter({
    name: "longarm_sign_ins_refused_total",
    help: "Sign-ins that this node refused, by what the audit log calls them.",
    labelNames: ["type"],
    registers: [registry],
  });
  for (const type of ["loginFail", "temporaryBlocked", "notAllowed"]) refused.inc({ type }, 0);
  return (type) => refused.inc({ type });
}

/** The same bus, counted. */
export function countBus(registry: Registry, bus: Bus): Bus {
  const published = new Counter({
    name: "longarm_bus_published_total",
    help: "Messages that this node told the others, by topic.",
    labelNames: ["topic"],
    registers: [registry],
  });
  const asked = new Counter({
    name: "longarm_bus_requests_total",
    help: "What this node asked of others, by what came of it.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  const gaps = new Counter({
    name: "longarm_bus_gaps_total",
    help: "Moments in which messages of other nodes may have been missed.",
    registers: [registry],
  });
  new Gauge({
    name: "longarm_bus_up",
    help: "1 while this node and the others hear each other.",
    registers: [registry],
    collect() {
      this.set(bus.state() === "up" ? 1 : 0);
    },
  });
  bus.onGap(() => gaps.inc());
  return {
    publish(topic, message) {
      published.inc({ topic });
      bus.publish(topic, message);
    },
    subscribe: (topic, handler) => bus.subscribe(topic, handler),
    async request(subject, message, deadlineMs) {
      const answer = await bus.request(subject, message, deadlineMs);
      asked.inc({ outcome: answer.is });
      return answer;
    },
    respond: (subject, handler) => bus.respond(subject, handler),
    onGap: (handler) => bus.onGap(handler),
    state: () => bus.state(),
    close: () => bus.close(),
  };
}
