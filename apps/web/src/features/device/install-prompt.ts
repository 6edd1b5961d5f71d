import type { Language } from "@longarm/contract/settings";
import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";

type PromptEvent = Event & { prompt(): Promise<{ readonly outcome: "accepted" | "dismissed" }> };

/**
 * How this page becomes an app here. `installed`: it is one. `prompt`: the browser asks when told to. `share`: by hand, on an iPhone or iPad. `menu`: by
 * hand, where the browser can at all.
 */
export type Install = "installed" | "prompt" | "share" | "menu";

const event = createStore<PromptEvent | undefined>(() => undefined);

/** Keeps the browser from asking by itself, from the page's start on: a casino does not press its app on anybody. */
export function holdInstallPrompt(page: Pick<Window, "addEventListener">): void {
  page.addEventListener("beforeinstallprompt", (offered) => {
    offered.preventDefault();
    event.setState(offered as PromptEvent, true);
  });
  page.addEventListener("appinstalled", () => event.setState(undefined, true));
}

/** Names the manifest that makes this page an app, in the language in which it would be installed. The browser requests it and an icon at once, 9 KB. */
export function nameManifest(language: Language, page: Document): void {
  const href = `/manifest-${language}.webmanifest`;
  const named = page.querySelector("link[rel=manifest]");
  if (named === null) page.head.append(Object.assign(page.createElement("link"), { rel: "manifest", href }));
  else if (named.getAttribute("href") !== href) named.setAttribute("href", href);
}

type Surroundings = {
  readonly standalone: boolean;
  readonly browser: Pick<Navigator, "userAgent" | "maxTouchPoints">;
};

/** What a page in these surroundings can do. */
export function installIn({ standalone, browser }: Surroundings, offered: boolean): Install {
  if (standalone) return "installed";
  if (offered) return "prompt";
  const isTablet = /Macintosh/.test(browser.userAgent) && browser.maxTouchPoints > 1;
  return isTablet || /iPhone|iPad|iPod/.test(browser.userAgent) ? "share" : "menu";
}

/** The held question of the browser. */
export const installOffer: Live<object | undefined> = event;

/** Has the browser ask; it asks once. */
export async function promptInstall(): Promise<void> {
  const offered = event.getState();
  event.setState(undefined, true);
  await offered?.prompt().catch(() => undefined);
}
