/** What the browser of this device can do about pushes. */
export type PushPort = {
  /** Has the worker run beside the page; a browser without workers has none. @throws what the browser throws. */
  register(): Promise<void>;
  /** `none`: it has no pushes. `denied`: its person forbade them. */
  state(): Promise<"none" | "denied" | "off" | "on">;
  /** The browser puts it to the person and to the push service. @throws what the browser throws when the person says no. */
  subscribe(publicKey: string): Promise<{ readonly endpoint: string; readonly p256dh: string; readonly auth: string }>;
  unsubscribe(): Promise<void>;
};

/** The browser's own pushes. `workerHref`: the service worker that shows them while no page is open. */
export function browserPush(page: Window & typeof globalThis, workerHref: string): PushPort {
  const has = "serviceWorker" in page.navigator && "PushManager" in page && "Notification" in page;
  const registration = () => page.navigator.serviceWorker.getRegistration("/");
  async function register(): Promise<void> {
    if (!("serviceWorker" in page.navigator)) return;
    // The browser fetches the worker's file anew at each visit; a new one waits until no page is open.
    await page.navigator.serviceWorker.register(trusted(page, workerHref), { scope: "/", updateViaCache: "none" });
  }
  return {
    register,
    async state() {
      if (!has) return "none";
      if (page.Notification.permission === "denied") return "denied";
      const known = await (await registration())?.pushManager.getSubscription();
      return known ? "on" : "off";
    },
    async subscribe(publicKey) {
      await register();
      const { pushManager } = await page.navigator.serviceWorker.ready;
      const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
      const { endpoint, keys } = made.toJSON();
      return { endpoint: endpoint ?? "", p256dh: keys?.["p256dh"] ?? "", auth: keys?.["auth"] ?? "" };
    },
    async unsubscribe() {
      await (await (await registration())?.pushManager.getSubscription())?.unsubscribe();
    },
  };
}

type TrustedTypes = {
  createPolicy(
    name: string,
    rules: { createScriptURL(href: string): string },
  ): { createScriptURL(href: string): string };
};

/** The content policy of the console wants to know which scripts our own code names: this one alone. */
function trusted(page: Window, workerHref: string): string {
  const types = (page as { trustedTypes?: TrustedTypes }).trustedTypes;
  if (types === undefined) return workerHref;
  const only = types.createPolicy("longarm-worker", {
    createScriptURL(href) {
      if (href !== workerHref) throw new Error(`${href} is not the worker of this page`);
      return href;
    },
  });
  return only.createScriptURL(workerHref);
}
