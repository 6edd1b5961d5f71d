import helmet from "@fastify/helmet";
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

/** Strict headers on every answer. The content policy grows only by the hosts that Settings.json names. */
export async function addHeaders(app: FastifyInstance, config: Config, hosts: () => ContentHosts): Promise<void> {
  const https = config.publicUrl?.startsWith("https:") ?? false;
  await app.register(helmet, {
    contentSecurityPolicy: false,
    // Pictures and scripts of chat widgets come from hosts that do not opt in.
    crossOriginEmbedderPolicy: false,
    crossOriginResourcePolicy: false,
    referrerPolicy: { policy: "no-referrer" },
    // frame-ancestors of the content policy rules; this is for old browsers, and would forbid the info pages.
    xFrameOptions: false,
    strictTransportSecurity: https ? { maxAge: 31_536_000, includeSubDomains: true } : false,
  });
  app.addHook("onRequest", (request, reply, done) => {
    const framedBySelf = FRAMED.has(pathOf(request.url));
    const policy = contentPolicy({ host: request.headers.host ?? "", https, hosts: hosts(), framedBySelf });
    void reply.header("content-security-policy", policy).header("permissions-policy", PERMISSIONS_POLICY);
    done();
  });
}
