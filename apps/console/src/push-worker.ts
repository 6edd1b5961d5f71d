import ar from "./shared/catalogues/ar/tasks.json";
import en from "./shared/catalogues/en/tasks.json";
import tr from "./shared/catalogues/tr/tasks.json";

/*
 * Shows pushes while no page of the console is open. What arrives says no names and no amounts: a locked screen shows it. Nothing is cached here, so that
 * an old console never comes from a device.
 */

type Pushed = {
  readonly subject?: unknown;
  readonly kind?: unknown;
  readonly group?: unknown;
  readonly machine?: unknown;
  readonly language?: unknown;
};
type WorkerEvent = Event & { waitUntil(work: Promise<unknown>): void };
type Client = { readonly url: string; focus(): Promise<unknown> };
type Worker = {
  readonly registration: {
    showNotification(title: string, options: NotificationOptions & { renotify?: boolean }): Promise<void>;
  };
  readonly clients: { matchAll(of: object): Promise<readonly Client[]>; openWindow(href: string): Promise<unknown> };
  addEventListener(name: string, run: (event: WorkerEvent) => void): void;
};
const worker = globalThis as unknown as Worker;

type Texts = Readonly<Record<string, string>>;
const ENGLISH: Texts = en;
const CATALOGUES: Readonly<Record<string, Texts>> = { en, tr, ar };

worker.addEventListener("push", (event) => {
  const { data } = event as WorkerEvent & { data: { json(): Pushed } | null };
  const { subject, kind, group, machine, language } = data?.json() ?? {};
  const texts = CATALOGUES[String(language)] ?? ENGLISH;
  const title = texts[`kind_${String(kind)}`] ?? "Longarm";
  const shown = worker.registration.showNotification(typeof machine === "string" ? `${title} · ${machine}` : title, {
    tag: String(subject ?? "task"),
    lang: String(language ?? "en"),
    dir: language === "ar" ? "rtl" : "ltr",
    requireInteraction: group === "now",
    // A push about the same task again rings again.
    renotify: true,
  });
  event.waitUntil(shown);
});

worker.addEventListener("notificationclick", (event) => {
  (event as WorkerEvent & { notification: Notification }).notification.close();
  event.waitUntil(
    worker.clients
      .matchAll({ type: "window", includeUncontrolled: true })
      .then(([page]) => (page === undefined ? worker.clients.openWindow("/today") : page.focus())),
  );
});
