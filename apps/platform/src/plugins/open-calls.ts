import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Clock } from "../clock.ts";

/** The calls that are being answered now. */
export type OpenCalls = {
  /** Resolves when each of them is answered, or its caller gone; after `limitMs` in any case. */
  answered(limitMs: number): Promise<void>;
};

/** Counts the calls of a server from here on; added before every other hook. */
export function countCalls(app: FastifyInstance, clock: Clock): OpenCalls {
  const open = new Set<FastifyRequest>();
  const waiting = new Set<() => void>();

  function done(request: FastifyRequest): void {
    open.delete(request);
    if (open.size === 0) for (const tell of waiting) tell();
  }

  app.addHook("onRequest", (request, _reply, next) => {
    open.add(request);
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
        if (open.size === 0) return resolve();
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
