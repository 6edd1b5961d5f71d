import { INFO_PAGES } from "@longarm/contract/info-pages";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";
import type { ContentHosts } from "./files/content-hosts.ts";
import { contentPolicy } from "./headers/content-policy.ts";
import { pathOf } from "./request-log.ts";

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
 * What browsers are told with every answer beside the content policy; each line costs every small answer a little. Source: the defaults of Helmet 8,
 * without what would keep out pictures and scripts of chat widgets (embedder and resource policy) or the info pages' frame (X-Frame-Options;
 * frame-ancestors rules), and without what only browsers of 2012 and Flash understood.
 */
const STEADY = {
  "cross-origin-opener-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "permissions-policy": PERMISSIONS_POLICY,
};
const HTTPS_ONLY = { "strict-transport-security": "max-age=31536000; includeSubDomains" };

/** Strict headers on every answer. The content policy grows only by the hosts that Settings.json names. */
export function addHeaders(app: FastifyInstance, config: Pick<Config, "publicUrl">, hosts: () => ContentHosts): void {
  const https = config.publicUrl?.startsWith("https:") ?? false;
  const steady = { ...STEADY, ...(https && HTTPS_ONLY) };
  const policyOf = rememberedPolicies(https, hosts);
  app.addHook("onRequest", (request, reply, done) => {
    const policy = policyOf(request.headers.host ?? "", FRAMED.has(pathOf(request.url)));
    void reply.headers(steady).header("content-security-policy", policy);
    done();
  });
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
