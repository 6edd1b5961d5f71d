import type { FastifyInstance } from "fastify";
import type { Registry } from "prom-client";
import { Gauge, Histogram } from "prom-client";

/** Calls and sockets of this node. */
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
