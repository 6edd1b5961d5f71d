import { browserPush } from "@longarm/ui/browser-push.ts";
import { siteName } from "@longarm/ui/page-title.ts";
import { nameManifest } from "../../features/device/install-prompt.ts";
import { keepNote } from "../../features/device/note.ts";
import { createRing } from "../../features/device/ring.ts";
import type { App } from "../app.ts";
import { oncePer } from "../app.ts";
import type { PlayerLink } from "../player/player-link.ts";
import workerHref from "../worker/service-worker.ts?worker&url";

const port = browserPush(window, workerHref);

/** The pushes of this device for the player who is signed in. */
export const ringOnDeviceOf = oncePer(({ api, log }: App) =>
  oncePer((_link: PlayerLink) => createRing(api, port, log)),
);

/** Has the worker run beside the pages, and keeps for it what its offline page says: once for each player who signs in. */
export const beginDevice = oncePer((app: App) => oncePer((link: PlayerLink) => begin(app, link)));

function begin(app: App, { openSession, online }: PlayerLink): "begun" {
  // A build alone has a worker of one file, and a browser has caches only by https or on this computer.
  if (!import.meta.env.PROD || typeof caches === "undefined") return "begun";
  const { settings, texts, clock, log } = app;
  const helpline = settings.helpList.find(({ phone }) => phone !== undefined && phone !== "")?.phone?.slice(0, 40);
  let seat: { readonly machine: string; readonly at: number } | undefined;
  const keep = (): void => {
    const open = openSession.getState();
    if (open !== undefined) seat = { machine: open.name.slice(0, 200), at: clock.now() };
    // Once the seat is left there is nothing to say of it; while the platform is not reached, nothing is known of that.
    else if (online.getState()) seat = undefined;
    const { language } = texts.speech.getState();
    // The shortcuts of an installed page are in the language in which it was installed.
    nameManifest(language, document);
    const note = {
      language,
      name: siteName().slice(0, 60),
      ...(helpline !== undefined && { helpline }),
      ...(seat && { seat }),
    };
    keepNote(caches, note).catch((error: unknown) => log("What the offline page says could not be kept.", error));
  };
  keep();
  for (const live of [openSession, online, texts.speech]) live.subscribe(keep);
  port.register().catch((error: unknown) => log("The worker beside the page could not start.", error));
  return "begun";
}
