import "@longarm/ui/fonts/archivo.css";
import "@longarm/ui/global.css";
import "@longarm/ui/daylight.css";
import "./console.css";
import { systemTimers } from "@longarm/link/socket";
import { browserPush } from "@longarm/ui/browser-push.ts";
import { createTexts } from "@longarm/ui/i18n/texts.ts";
import { createMessages } from "@longarm/ui/messages.ts";
import { browserPasskeys } from "@longarm/ui/passkeys.ts";
import { createRoot } from "react-dom/client";
import workerHref from "../push-worker.ts?worker&url";
import { paths } from "../shared/paths.ts";
import { firstLanguage, loadCatalogue } from "../shared/texts.ts";
import { createTones } from "../shared/tones.ts";
import { createKept } from "./kept.ts";
import { RootView } from "./root-view.tsx";
import { startConsole } from "./start.ts";

/** Makes the page's real surroundings and starts it. */
async function main(): Promise<void> {
  const place = document.getElementById("root");
  if (place === null) return;
  const kept = createKept(() => localStorage);
  const language = firstLanguage(kept.read("language"), navigator.languages);
  const texts = await createTexts(language, loadCatalogue, ["app", "problem", "right", "signIn"]);
  const clock = { now: () => Date.now() };
  const started = startConsole({
    page: window,
    fetch: (input, init) => fetch(input, init),
    channel: new BroadcastChannel("longarm-console"),
    clock,
    timers: systemTimers,
    random: Math.random,
    newId: () => `ac_${randomHex(16)}`,
    openLive: (deps) =>
      whenLoaded(async () => {
        const { keepLive, socketAddress } = await import("../shared/live.ts");
        return () => keepLive({ ...deps, address: socketAddress(location), timers: systemTimers, random: Math.random });
      }),
    passkeys: browserPasskeys(),
    leave: (href) => location.assign(href),
    push: browserPush(window, workerHref),
    tones: createTones(() => ("AudioContext" in window ? new AudioContext() : undefined), {
      read: () => kept.read("sound"),
      write: (value) => kept.write("sound", value),
    }),
    texts,
    messages: createMessages(),
    kept,
  });
  createRoot(place).render(<RootView started={started} />);
  if (location.pathname !== paths.wall) await started.console.sessions.refresh();
}

const randomHex = (bytes: number): string =>
  [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** How long until what could not be loaded is requested again, ms. */
const AGAIN_MS = 5_000;

/** Begins what `load` brings, and tries again until that could be loaded. Answers how to end it. */
function whenLoaded(load: () => Promise<() => () => void>): () => void {
  let end: (() => void) | undefined;
  let ended = false;
  async function begin(): Promise<void> {
    const start = await load().catch(() => undefined);
    if (ended) return;
    end = start === undefined ? systemTimers.after(AGAIN_MS, () => void begin()) : start();
  }
  void begin();
  return () => {
    ended = true;
    end?.();
  };
}

void main();
