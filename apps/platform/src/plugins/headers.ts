import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { INFO_PAGES } from "@longarm/contract/info-pages";
import { addressOfMachine } from "@longarm/link/environment";
import type { FastifyInstance } from "fastify";
import type { HelmetOptions } from "helmet";
import helmet from "helmet";
import type { Config } from "../config.ts";
import { pathOf } from "./request-log.ts";
import type { ContentHosts } from "./settings-file.ts";
import { originOf } from "./settings-file.ts";

const YEAR_S = 31_536_000;

/** What a page of ours may use of the browser: full screen and sound for itself, nothing else. */
const PERMISSIONS_POLICY = [
  "autoplay=(self)",
  "fullscreen=(self)",
  "screen-wake-lock=(self)",
  "clipboard-write=(self)",
  ...["camera", "microphone", "geolocation", "payment", "usb", "serial", "midi", "display-capture"].map(
    (feature) => `${feature}=()`,
  ),
].join(", ");

const FRAMED: ReadonlySet<string> = new Set(Object.values(INFO_PAGES).map(({ path }) => path));

/**
 * Where Helmet's own choice is not ours: left out is what would keep out pictures and scripts of chat widgets (resource policy) or the info pages'
 * frame (X-Frame-Options; frame-ancestors rules), and what only browsers of 2012 and Flash understood.
 */
const helmetOptions = (https: boolean, closed: boolean): HelmetOptions => ({
  contentSecurityPolicy: false,
  crossOriginResourcePolicy: closed ? { policy: "same-origin" } : false,
  referrerPolicy: { policy: "no-referrer" },
  strictTransportSecurity: https ? { maxAge: YEAR_S, includeSubDomains: true } : false,
  xFrameOptions: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/** What Helmet sets, asked of it once: nothing of it depends on the request, and a plugin that asks for each answer costs 3 µs more (record 0099). */
function helmetHeaders(options: HelmetOptions): Readonly<Record<string, string>> {
  const request = new IncomingMessage(new Socket());
  const answer = new ServerResponse(request);
  helmet(options)(request, answer, (error) => {
    if (error) throw error;
  });
  return Object.fromEntries(answer.getHeaderNames().map((name) => [name, String(answer.getHeader(name))]));
}

/**
 * Strict headers on every answer. The content policy is our own and grows only by the hosts that Settings.json and `CROWD_WHEP` name. Without `hosts` it is that of
 * the console, which loads nothing from anywhere else.
 */
export function addHeaders(
  app: FastifyInstance,
  config: Pick<Config, "publicUrl" | "play">,
  hosts: (() => ContentHosts) | undefined,
): void {
  const https = config.publicUrl?.startsWith("https:") ?? false;
  const steady = {
    ...helmetHeaders(helmetOptions(https, hosts === undefined)),
    "permissions-policy": PERMISSIONS_POLICY,
  };
  const policyOf =
    hosts === undefined
      ? (host: string) => closedPolicy(host, https)
      : rememberedPolicies(https, withCrowd(hosts, config.play.CROWD_WHEP));
  app.addHook("onRequest", (request, reply, done) => {
    const policy = policyOf(request.headers.host ?? "", FRAMED.has(pathOf(request.url)));
    void reply.headers(steady).header("content-security-policy", policy);
    done();
  });
}

/** Beside the settings' hosts that of the media server, which spectators watch at (`CROWD_WHEP`). */
function withCrowd(hosts: () => ContentHosts, crowdWhep: string | null): () => ContentHosts {
  const origins = crowdWhep === null ? [] : originOf(addressOfMachine(crowdWhep, "m"), ["http:", "https:"]);
  let made: { readonly of: ContentHosts; readonly hosts: ContentHosts } | undefined;
  return () => {
    const now = hosts();
    if (made?.of !== now) made = { of: now, hosts: { ...now, connect: [...now.connect, ...origins] } };
    return made.hosts;
  };
}

/** Names of this platform that callers may come by; more are made up. */
const NAMES_MAX = 20;

/** The policy for a name, made anew when the settings have changed. */
function rememberedPolicies(https: boolean, hosts: () => ContentHosts) {
  const made = new Map<string, string>();
  let madeFor: ContentHosts | undefined;
  return (host: string, framedBySelf: boolean): string => {
    const now = hosts();
    if (now !== madeFor || made.size > NAMES_MAX) made.clear();
    madeFor = now;
    const name = `${framedBySelf} ${host}`;
    const known = made.get(name);
    if (known !== undefined) return known;
    const policy = contentPolicy({ host, https, hosts: now, framedBySelf });
    made.set(name, policy);
    return policy;
  };
}

type PolicyFacts = {
  /** Host header of the request. */
  readonly host: string;
  /** Players come over https. */
  readonly https: boolean;
  readonly hosts: ContentHosts;
  /** The page may stand in a frame of our own pages. */
  readonly framedBySelf: boolean;
};

/** The Content-Security-Policy of every answer: no inline script, no plugin, and nobody else's page around ours. */
export function contentPolicy({ host, https, hosts, framedBySelf }: PolicyFacts): string {
  const directives: Record<string, readonly string[]> = {
    "default-src": ["'self'"],
    "script-src": ["'self'", ...hosts.script],
    "style-src": ["'self'", ...hosts.style],
    "connect-src": ["'self'", ...ownSocket(host, https), ...hosts.connect],
    "img-src": ["'self'", "blob:", "data:", ...hosts.image],
    "media-src": ["'self'", "blob:", "data:"],
    "font-src": ["'self'", "data:", ...hosts.font],
    "worker-src": ["'self'", "blob:"],
    "frame-src": hosts.frame.length === 0 ? ["'self'"] : ["'self'", ...hosts.frame],
    "form-action": ["'self'"],
    "object-src": ["'none'"],
    "base-uri": ["'none'"],
    "frame-ancestors": [framedBySelf ? "'self'" : "'none'"],
  };
  return policyText(directives);
}

/** The policy of the console: its own scripts, styles, fonts and pictures, and no text that becomes a script. */
function closedPolicy(host: string, https: boolean): string {
  return policyText({
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "connect-src": ["'self'", ...ownSocket(host, https)],
    "img-src": ["'self'", "blob:"],
    "media-src": ["blob:"],
    "font-src": ["'self'"],
    "form-action": ["'none'"],
    "base-uri": ["'none'"],
    "frame-ancestors": ["'none'"],
    "require-trusted-types-for": ["'script'"],
  });
}

/** Older Safari does not take 'self' for sockets. A Host header that could carry anything else is left out. */
function ownSocket(host: string, https: boolean): readonly string[] {
  return /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-fA-F:]+\](:\d{1,5})?$/.test(host)
    ? [`${https ? "wss" : "ws"}://${host}`]
    : [];
}

const policyText = (directives: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(directives)
    .map(([name, values]) => `${name} ${[...new Set(values)].join(" ")}`)
    .join("; ");
