import { isLoopback } from "@longarm/link/environment";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Registry } from "prom-client";
import type { Clock } from "../clock.ts";
import { plainAddress } from "./client-address.ts";

/** A database that has not answered after this is away, ms: a balancer that asks is not kept waiting behind an overload. */
const PING_MS_MAX = 3_000;

export type HealthParts = {
  readonly clock: Pick<Clock, "after">;
  readonly metrics: Registry;
  /** Brings the numbers that are read from elsewhere up to date. */
  refresh(): Promise<void>;
  /** Rejects while the database cannot be reached. */
  ping(): Promise<void>;
  /** The process is about to end. */
  isDraining(): boolean;
  busState(): "up" | "away";
};

/** `/healthz`: the process lives. `/readyz`: it can serve players. `/metrics`: for Prometheus on this computer. */
export function serveHealth(app: FastifyInstance, parts: HealthParts): void {
  const { clock, metrics, refresh, ping, isDraining, busState } = parts;
  app.get("/healthz", { config: { anyHost: true } }, (_request, reply) =>
    reply.header("cache-control", "no-store").send({ status: true }),
  );
  app.get("/readyz", { config: { anyHost: true } }, async (request, reply) => {
    void reply.header("cache-control", "no-store");
    if (isDraining())
      return await reply.code(503).send({ status: false, ErrorMessage: "This process is about to end" });
    try {
      await inTime(clock, ping());
      // It serves its own players all the same; were it taken out for this, all nodes would be at once.
      return { status: true, ...(busState() === "away" && { degraded: ["bus"] }) };
    } catch (error) {
      request.log.warn({ err: error }, "the database cannot be reached");
      return await reply.code(503).send({ status: false, ErrorMessage: "The database cannot be reached" });
    }
  });
  app.get("/metrics", { config: { anyHost: true } }, async (request, reply) => {
    if (!isFromThisComputer(request)) return reply.callNotFound();
    await refresh();
    return await reply
      .header("cache-control", "no-store")
      .type(metrics.contentType)
      .send(await metrics.metrics());
  });
}

async function inTime(clock: HealthParts["clock"], answered: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const stop = clock.after(PING_MS_MAX, () => late.reject(new Error("no answer in time")));
  try {
    await Promise.race([answered, late.promise]);
  } finally {
    stop();
  }
}

/** Headers that proxies add and that a Prometheus on this computer does not send. */
const FORWARDED = /^(x-forwarded-.+|forwarded|via|x-real-ip|(x-|true-)?client-ip|cf-.+)$/;

/**
 * A proxy on this computer also comes from a loopback address, but says for whom, or passes on the name it was asked by; a page whose name
 * was bent to this computer (DNS rebinding) is asked by that name too.
 */
function isFromThisComputer({ raw, headers }: FastifyRequest): boolean {
  if (Object.keys(headers).some((name) => FORWARDED.test(name))) return false;
  const asked = (headers.host ?? "").replace(/:\d+$/, "");
  return isLoopback(asked) && isLoopback(plainAddress(raw.socket.remoteAddress ?? ""));
}
