import type { ContentHosts } from "../files/content-hosts.ts";

export type PolicyFacts = {
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
  // Older Safari does not take 'self' for sockets. A Host header that could carry anything else is left out.
  const ownSocket = /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-fA-F:]+\](:\d{1,5})?$/.test(host)
    ? [`${https ? "wss" : "ws"}://${host}`]
    : [];
  const directives: Record<string, readonly string[]> = {
    "default-src": ["'self'"],
    "script-src": ["'self'", ...hosts.script],
    "style-src": ["'self'", ...hosts.style],
    "connect-src": ["'self'", ...ownSocket, ...hosts.connect],
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
  return Object.entries(directives)
    .map(([name, values]) => `${name} ${[...new Set(values)].join(" ")}`)
    .join("; ");
}
