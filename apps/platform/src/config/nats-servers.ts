/** Where NATS is, and how we show who we are. */
export type NatsServers = {
  /** `host:port`, at least one; of one cluster. */
  readonly hosts: readonly string[];
  readonly tls: boolean;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
};

/**
 * Reads `nats://user:password@host:4222` or `tls://token@host`, several separated by commas; the first one's credentials count for all.
 * Returns what is wrong with it as the end of a sentence.
 */
export function readNatsServers(text: string): NatsServers | string {
  const urls = text.split(",").map((part) => URL.parse(part.trim()));
  const schemes = new Set(urls.map((url) => url?.protocol));
  const [first] = urls;
  const plain = (url: URL | null): url is URL =>
    url !== null && url.hostname !== "" && /^\/?$/.test(url.pathname) && url.search === "" && url.hash === "";
  if (!first || !urls.every(plain) || ![...schemes].every((scheme) => scheme === "nats:" || scheme === "tls:"))
    return "must be like nats://user:password@host:4222 or tls://token@host:4222, several separated by commas";
  if (schemes.size > 1) return "must be all nats:// or all tls://";
  const name = decodeURIComponent(first.username);
  const secret = decodeURIComponent(first.password);
  return {
    hosts: urls.map((url) => `${url.hostname}:${url.port || "4222"}`),
    tls: schemes.has("tls:"),
    ...(secret !== "" ? { user: name, pass: secret } : name !== "" && { token: name }),
  };
}
