import type { Settings } from "@longarm/contract/settings";
import type { Timers } from "@longarm/link/socket";
import type { Log } from "../../shared/log/log.ts";

/** From the start of the app to the chat's script, and to the fallback where no widget came up, ms (specification section 9). */
export const CHAT_MS = 700;
export const FALLBACK_MS = 5_000;

export type ChatDeps = {
  readonly chat: Settings["chat"];
  readonly clock: { now(): number };
  readonly timers: Timers;
  readonly log: Log;
  /** When the app started, ms since 1970. */
  readonly startedAt: number;
  readonly page: Window;
};

/** Starts the operator's live chat beside the app. Whatever fails is only logged: the page never depends on it. */
export function startLiveChat({ chat, clock, timers, log, startedAt, page }: ChatDeps): void {
  if (chat.provider === "none") return;
  const provider = PROVIDERS[chat.provider];
  const after = (ms: number, run: () => void) => timers.after(Math.max(0, startedAt + ms - clock.now()), run);
  const load = (address: string) =>
    addScript(page.document, address, () => log("A script of the live chat could not be loaded."));
  let isUp = false;

  after(CHAT_MS, () => {
    if (!provider.id.test(chat.id)) {
      log(`Settings.json: the id of the chat is none that "${chat.provider}" gives out.`);
      return;
    }
    provider.onUp(page as ChatWindow, () => {
      isUp = true;
    });
    load(provider.script(chat.id));
  });
  after(FALLBACK_MS, () => {
    const address = fallbackAddress(chat.fallbackScript, page.location.href);
    if (!isUp && address !== undefined) load(address);
  });
}

/** The operator's own script: ours, or one by https. Anything else would not be a script's address. */
function fallbackAddress(script: string, page: string): string | undefined {
  if (script === "" || !URL.canParse(script, page)) return undefined;
  const url = new URL(script, page);
  return url.origin === new URL(page).origin || url.protocol === "https:" ? url.href : undefined;
}

function addScript(document: Document, address: string, failed: () => void): void {
  const script = document.createElement("script");
  script.src = address;
  script.async = true;
  script.onerror = failed;
  document.head.append(script);
}

type ChatProvider = Exclude<Settings["chat"]["provider"], "none">;

/** A public chat service: where its script is, and how it says that its widget came up. */
type Provider = {
  /** What an operator's id may look like: it becomes a part of the address. */
  readonly id: RegExp;
  readonly script: (id: string) => string;
  /** Registers the callback for when the widget is there; called before its script is loaded. */
  readonly onUp: (page: ChatWindow, up: () => void) => void;
};

/** The names by which the services talk with the page that they are in. */
type ChatWindow = {
  Tawk_API?: { onLoad?: () => void };
  jivo_onLoadCallback?: () => void;
};

const PROVIDERS: Readonly<Record<ChatProvider, Provider>> = {
  tawk: {
    // Property and widget, as the service's own snippet writes them.
    id: /^[0-9a-f]{24}\/[A-Za-z0-9]{1,32}$/,
    script: (id) => `https://embed.tawk.to/${id}`,
    onUp(page, up) {
      page.Tawk_API = { ...page.Tawk_API, onLoad: up };
    },
  },
  jivo: {
    id: /^[A-Za-z0-9]{4,32}$/,
    script: (id) => `https://code.jivosite.com/widget/${id}`,
    onUp(page, up) {
      page.jivo_onLoadCallback = up;
    },
  },
};
