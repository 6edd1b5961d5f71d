import type { Call } from "@longarm/contract/call";
import { calls } from "@longarm/contract/http";
import type { Settings } from "@longarm/contract/settings";
import type { SocketAddress } from "@longarm/link/browser-socket";

/** Where the platform is, from the settings and the page's own origin (contract.md section 1). */
export type Addresses = {
  /** API base with its slash. */
  readonly api: URL;
  /** Base of the template's calls, with its slash. */
  readonly template: URL;
  /** Where a new password is sent. */
  readonly password: URL;
  /** Where the two listings come from, without their query (decision D-33). */
  readonly sessions: URL;
  readonly transactions: URL;
  /** The notification socket, without its token. */
  readonly notifications: URL;
  /** The game socket of a machine, without its token; `machineUrl` is the machine's own, when the list gave one. */
  game(machineId: string, machineUrl?: string | null): URL;
};

export function addressesOf(settings: Settings, page: URL): Addresses {
  const base = (address: string) => new URL(address.endsWith("/") ? address : `${address}/`, page);
  const api = base(settings.apiUrl);
  return {
    api,
    template: base(settings.templateApiUrl),
    password: callUrl(settings.passwordPath, calls.password, api),
    sessions: callUrl(settings.sessionsPath, calls.sessions, api),
    transactions: callUrl(settings.transactionsPath, calls.transactions, api),
    notifications: socketUrl(settings.notificationUrl || new URL("/notifications", api).href, page),
    game(machineId, machineUrl) {
      const url = socketUrl(machineUrl || settings.gameUrl || new URL("/game", api).href, page);
      url.searchParams.set("machine", machineId);
      return url;
    },
  };
}

/** A path counts from the API base, with or without its first slash; one that cannot be read gives the default. */
function callUrl(path: string, call: Call, api: URL): URL {
  const relative = path.replace(/^\/+/, "");
  return new URL(relative !== "" && URL.canParse(relative, api) ? relative : call.path, api);
}

/** Where a socket is opened, with the token in its query or in a header (`socketTokenInAddress`); never for a log. */
export function socketAt(
  url: URL,
  token: string,
  { socketTokenInAddress: inAddress }: Pick<Settings, "socketTokenInAddress">,
): SocketAddress {
  if (!inAddress) return { url: url.href, token };
  const full = new URL(url);
  full.searchParams.set("token", token);
  return { url: full.href };
}

/** Settings may name a socket by path, by http(s) or by ws(s). */
function socketUrl(address: string, page: URL): URL {
  const url = new URL(address, page);
  if (url.protocol === "http:") url.protocol = "ws:";
  if (url.protocol === "https:") url.protocol = "wss:";
  return url;
}
