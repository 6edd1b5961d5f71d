import type { Settings } from "@longarm/contract/settings";

/** Hosts beside our own that pages may talk to, by kind. */
export type ContentHosts = {
  readonly connect: readonly string[];
  readonly script: readonly string[];
  readonly style: readonly string[];
  readonly font: readonly string[];
  readonly image: readonly string[];
  readonly frame: readonly string[];
};

/** What each known chat provider needs. Source: the providers' own notes on content policies; docs/operating.md tells operators. */
const CHAT_HOSTS: Readonly<Record<Settings["chat"]["provider"], readonly string[]>> = {
  none: [],
  tawk: ["https://*.tawk.to", "wss://*.tawk.to"],
  jivo: ["https://*.jivosite.com", "wss://*.jivosite.com", "https://*.jivochat.com", "wss://*.jivochat.com"],
};

/** The hosts that an operator's settings name: API, calls of their own place, sockets, chat. Relative addresses add none. */
export function contentHosts(settings: Settings): ContentHosts {
  const chat = settings.chat.id === "" ? [] : CHAT_HOSTS[settings.chat.provider];
  const chatPages = chat.filter((host) => host.startsWith("https:"));
  // Without a chat nobody asks for its fallback.
  const fallback = settings.chat.provider === "none" ? [] : originOf(settings.chat.fallbackScript, ["https:"]);
  const api = [settings.apiUrl, settings.templateApiUrl].flatMap((address) => originOf(address, ["http:", "https:"]));
  const calls = [settings.passwordPath, settings.sessionsPath, settings.transactionsPath].flatMap((path) =>
    originOf(path, ["http:", "https:"]),
  );
  const sockets = [settings.notificationUrl, settings.gameUrl].flatMap((address) =>
    originOf(address, ["ws:", "wss:", "http:", "https:"]),
  );
  return {
    connect: [...api, ...calls, ...sockets.map(asSocket), ...chat],
    script: [...chatPages, ...fallback],
    // Chat widgets write their own style elements; none of them takes a nonce.
    style: chat.length === 0 ? [] : ["'unsafe-inline'", ...chatPages],
    font: chatPages,
    image: [...api, ...chatPages],
    frame: chatPages,
  };
}

/** The origin of an absolute address, as a policy writes it; nothing for a relative or strange one. */
function originOf(address: string, schemes: readonly string[]): string[] {
  const read = URL.parse(address);
  if (read === null || !schemes.includes(read.protocol) || !/^[A-Za-z0-9.[\]:-]+$/.test(read.host)) return [];
  return [`${read.protocol}//${read.host}`];
}

function asSocket(origin: string): string {
  return origin.replace(/^http/, "ws");
}
