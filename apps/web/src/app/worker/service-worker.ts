import { readNote } from "../../features/device/note.ts";
import { OFFLINE_POLICY, offlinePage } from "../../features/device/offline-page.ts";
import { shownOf } from "../../features/device/pushed.ts";

/*
 * What runs beside the pages of this browser, and while none is open. It shows pushes, and one page of its own while the platform cannot be reached.
 * It keeps no file and no answer of the platform, so nothing old ever comes from a device. A new version waits until no page is open: none is
 * taken over while somebody plays.
 */

type WorkerEvent = Event & { waitUntil(work: Promise<unknown>): void };
type FetchEvent = WorkerEvent & {
  readonly request: Request;
  readonly preloadResponse: Promise<Response | undefined>;
  respondWith(answer: Promise<Response>): void;
};
type PushEvent = WorkerEvent & { readonly data: { json(): unknown } | null };
type ClickEvent = WorkerEvent & { readonly notification: Notification };
type Client = { readonly visibilityState: string; focus(): Promise<unknown> };
type Worker = {
  readonly registration: {
    readonly scope: string;
    readonly navigationPreload?: { enable(): Promise<void> };
    showNotification(title: string, options: NotificationOptions): Promise<void>;
  };
  readonly clients: {
    matchAll(of: { type: "window"; includeUncontrolled: true }): Promise<readonly Client[]>;
    openWindow(href: string): Promise<unknown>;
  };
  readonly navigator: { readonly language: string };
  addEventListener(name: "activate", run: (event: WorkerEvent) => void): void;
  addEventListener(name: "fetch", run: (event: FetchEvent) => void): void;
  addEventListener(name: "push", run: (event: PushEvent) => void): void;
  addEventListener(name: "notificationclick", run: (event: ClickEvent) => void): void;
};
const worker = globalThis as unknown as Worker;

// The page travels while this worker starts.
worker.addEventListener("activate", (event) =>
  event.waitUntil(Promise.resolve(worker.registration.navigationPreload?.enable())),
);

worker.addEventListener("fetch", (event) => {
  const { mode, destination } = event.request;
  if (mode === "navigate" && destination === "document") event.respondWith(pageOf(event));
});

async function pageOf({ request, preloadResponse }: FetchEvent): Promise<Response> {
  try {
    return (await preloadResponse) ?? (await fetch(request));
  } catch {
    const note = await readNote(caches).catch(() => undefined);
    const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": OFFLINE_POLICY };
    return new Response(offlinePage(note ?? { language: spoken() }), { status: 503, headers });
  }
}

/** No page has said which language: that of the browser, where it is one of ours. */
function spoken(): "tr" | "en" | "ar" {
  const language = worker.navigator.language.slice(0, 2);
  return language === "en" || language === "ar" ? language : "tr";
}

worker.addEventListener("push", (event) => event.waitUntil(show(dataOf(event))));

function dataOf({ data }: PushEvent): unknown {
  try {
    return data?.json();
  } catch {
    return undefined;
  }
}

const openPages = () => worker.clients.matchAll({ type: "window", includeUncontrolled: true });

async function show(data: unknown): Promise<void> {
  const { title, options, isTurn, opens } = shownOf(data);
  if (isTurn && (await openPages()).some(({ visibilityState }) => visibilityState === "visible")) return;
  await worker.registration.showNotification(title, { ...options, data: { opens } });
}

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open((event.notification.data as { readonly opens?: unknown } | null)?.opens));
});

/** A page that is open is the player's own, and shows the turn by itself; else a new one shows it. */
async function open(opens: unknown): Promise<void> {
  const [page] = await openPages();
  if (page !== undefined) await page.focus();
  else await worker.clients.openWindow(new URL(opens === "queue" ? "queue" : "lobby", worker.registration.scope).href);
}
