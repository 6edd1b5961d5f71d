import type { FastifyInstance } from "fastify";

/** Which pages may talk to us: those of our own origin and those the operator names. */
export function originRule(publicUrl: string | null, allowedOrigins: readonly string[]) {
  const named = new Set([...allowedOrigins, ...(publicUrl === null ? [] : [publicUrl])]);
  /** `host` is the Host header: a page is our own when it was loaded from the very address it now talks to. */
  return (origin: string, host: string): boolean => {
    if (named.has(origin)) return true;
    // With a public address only that is our own: a Host header proves nothing behind a proxy.
    return publicUrl === null && (origin === `http://${host}` || origin === `https://${host}`);
  };
}

/** Lets pages of the origins that the operator names call the API from another address. Tokens travel in a header, never in a cookie. */
export function allowOrigins(app: FastifyInstance, allowedOrigins: readonly string[]): void {
  if (allowedOrigins.length === 0) return;
  app.addHook("onRequest", async (request, reply) => {
    const { origin } = request.headers;
    void reply.header("vary", "origin");
    if (origin === undefined || !allowedOrigins.includes(origin)) return;
    void reply.header("access-control-allow-origin", origin);
    if (request.method !== "OPTIONS") return;
    await reply
      .header("access-control-allow-methods", "GET, POST")
      .header("access-control-allow-headers", "authorization, content-type")
      .header("access-control-max-age", "600")
      .code(204)
      .send();
  });
}
