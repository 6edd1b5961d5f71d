import type { Settings } from "@longarm/contract/settings";

type ChatProvider = Exclude<Settings["chat"]["provider"], "none">;

/** A public chat service: where its script is, and how it says that its widget came up. */
type Provider = {
  /** What an operator's id may look like: it becomes a part of the address. */
  readonly id: RegExp;
  readonly script: (id: string) => string;
  /** Has the page told once the widget is there; before its script is loaded. */
  readonly onUp: (page: ChatWindow, up: () => void) => void;
};

/** The names by which the services talk with the page that they are in. */
export type ChatWindow = {
  Tawk_API?: { onLoad?: () => void };
  jivo_onLoadCallback?: () => void;
};

export const PROVIDERS: Readonly<Record<ChatProvider, Provider>> = {
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
