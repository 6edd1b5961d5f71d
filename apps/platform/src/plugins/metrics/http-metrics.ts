import type { FastifyInstance } from "fastify";
import { Gauge, Histogram, Registry } from "prom-client";

/** The numbers of one platform; modules may add theirs to the registry. */
export function createMetrics(app: FastifyInstance, openSockets: () => number): Registry {
  const registry = new Registry();
  const answers = new Histogram({
    name: "longarm_http_seconds",
    help: "Time from request to answer, by route and status.",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.02, 0.1, 0.5, 2],
    registers: [registry],
  });
  new Gauge({
    name: "longarm_sockets_open",
    help: "Sockets open now: players' and agents'.",
    registers: [registry],
    collect() {
      this.set(openSockets());
    },
  });
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "none";
    answers.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
    done();
  });
  return registry;
}
