import { isIP } from "node:net";
import { problems } from "@longarm/contract/problems";
import { isLoopback } from "@longarm/link/environment";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Answers under every name: it tells and does nothing that a page of another name could use. */
    anyHost?: boolean;
    /** Pages of every origin may call it, and it answers their preflights itself: what it does needs a token that no page has by itself. */
    anyOrigin?: boolean;
  }
}

type HostConfig = Pick<Config, "host" | "publicUrl" | "allowedOrigins">;
export type HostAllowed = (host: string | undefined) => boolean;

const WILDCARDS: ReadonlySet<string> = new Set(["0.0.0.0", "::", "[::]"]);
const WRONG_HOST_STATUS = 421;
const WRONG_HOST = "This platform does not answer under this name: set PUBLIC_URL to the address that its players open";

/**
 * Under which names callers may reach us, by the Host header: loopback ones, the address that we listen on, and those that the operator names.
 * A page of a stranger's name that its DNS server points at us (DNS rebinding) would be of our own origin otherwise. Such a name is never
 * an address, so a platform that listens on all addresses answers under each.
 */
export function hostRule({ host, publicUrl, allowedOrigins }: HostConfig): HostAllowed {
  const origins = [...allowedOrigins, ...(publicUrl === null ? [] : [publicUrl])];
  const named = new Set([host.toLowerCase(), ...origins.map((origin) => new URL(origin).hostname)]);
  return remembered((header) => {
    const name = URL.parse(`http://${header}`)?.hostname ?? "";
    if (name === "" || /[/@?#\\]/.test(header)) return false;
    const address = name.replace(/^\[(.*)\]$/, "$1");
    return isLoopback(name) || named.has(name) || named.has(address) || (WILDCARDS.has(host) && isIP(address) !== 0);
  });
}

/** Names that callers come by; more are made up. */
const NAMES_MAX = 20;

/** The same rule, which reads a header once: it is looked at with each call. */
function remembered(isAllowed: (header: string) => boolean): HostAllowed {
  const judged = new Map<string, boolean>();
  return (header = "") => {
    const known = judged.get(header);
    if (known !== undefined) return known;
    const allowed = isAllowed(header);
    if (judged.size >= NAMES_MAX) judged.clear();
    judged.set(header, allowed);
    return allowed;
  };
}

/** Refuses HTTP calls under other names. A proxy of ours in front of a named platform decides that itself, and may call us as it likes. */
export function checkHosts(
  app: FastifyInstance,
  { publicUrl, trustedProxyHops }: Pick<Config, "publicUrl" | "trustedProxyHops">,
  isAllowed: HostAllowed,
): void {
  if (publicUrl !== null && trustedProxyHops > 0) return;
  app.addHook("onRequest", (request, reply, done) => {
    if (isAllowed(request.headers.host) || request.routeOptions.config.anyHost === true) return done();
    request.log.info("refused: the name in its Host header is none of ours");
    void reply
      .code(WRONG_HOST_STATUS)
      .header("cache-control", "no-store")
      .send({ code: problems["request.invalid"].code, ErrorMessage: WRONG_HOST });
  });
}

/** Which pages may talk to us: those of our own origin and those the operator names. */
export function originRule({ publicUrl, allowedOrigins }: HostConfig, hostAllowed: HostAllowed) {
  const named = new Set([...allowedOrigins, ...(publicUrl === null ? [] : [publicUrl])]);
  /** `host` is the Host header: a page is our own when it was loaded from the very address it now talks to. */
  return (origin: string, host: string): boolean => {
    if (named.has(origin)) return true;
    // With a public address only that is our own: a Host header proves nothing behind a proxy.
    return publicUrl === null && hostAllowed(host) && (origin === `http://${host}` || origin === `https://${host}`);
  };
}

/** Lets pages of the origins that the operator names call the API from another address. Tokens travel in a header, never in a cookie. */
export function allowOrigins(app: FastifyInstance, allowedOrigins: readonly string[]): void {
  if (allowedOrigins.length === 0) return;
  app.addHook("onRequest", async (request, reply) => {
    if (request.routeOptions.config.anyOrigin === true) return;
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
