import type { Server } from "node:http";
import type { Browser, BrowserContext, Disposable, Page } from "playwright-core";
import type { Door } from "./back-end.ts";
import { openDoor } from "./back-end.ts";
import { openContext } from "./browser.ts";

/**
 * A page that one test hands on to the next, with the one address that it visits. What the browser has loaded and compiled
 * from there it keeps, so that opening a screen costs half of what it costs a browser that was never there. All else that a
 * visitor left is taken away: `handOn`.
 */
export type KeptVisitor = { readonly page: Page; readonly door: Door };

type Seat = KeptVisitor & {
  readonly context: BrowserContext;
  /** What the visitor put into every document. */
  readonly added: Disposable[];
  /** No other visitor can take it over. */
  spent: boolean;
  taken: boolean;
  visits: number;
  /** Forgets which addresses were visited. */
  forget(): Promise<unknown>;
};

const seats: Seat[] = [];
/** What a page's process holds grows with each visitor: some ten megabytes. */
const VISITS_MAX = 40;

/** For each worker, as its browser is. */
export const keptVisitors = {
  /** Whose contexts stay open between tests. */
  isKept: (context: BrowserContext): boolean => seats.some((seat) => seat.context === context),

  /** A page without a visitor: it has been cleared, or is new. */
  async take(browser: Browser): Promise<KeptVisitor> {
    const free = seats.find(({ taken, page, context }) => !taken && !page.isClosed() && context.browser() === browser);
    const seat = free ?? (await makeSeat(browser));
    seat.taken = true;
    seat.visits += 1;
    return seat;
  },

  /** At the end of a test, before its back ends close. `well` false: the test failed, and its pages are not used again. */
  async giveBack(well: boolean): Promise<void> {
    for (const seat of seats.filter(({ taken }) => taken)) {
      const handedOn = well && !seat.spent && seat.visits < VISITS_MAX && (await handOn(seat).catch(() => false));
      seat.taken = false;
      if (handedOn !== true) await close(seat);
    }
  },
};

async function makeSeat(browser: Browser): Promise<Seat> {
  const door = await openDoor();
  const context = await openContext(browser);
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  const seat: Seat = {
    ...{ page, door, context, added: [], spent: false, taken: false, visits: 0 },
    forget: () => devTools.send("Page.resetNavigationHistory"),
  };
  watch(seat, context.newCDPSession.bind(context));
  seats.push(seat);
  return seat;
}

/** Notes what a visitor adds to the page itself. */
function watch(seat: Seat, newSession: BrowserContext["newCDPSession"]): void {
  const { page, context, added } = seat;
  const { addInitScript, clock, exposeFunction, route } = page;
  const note = async (adding: Promise<Disposable>): Promise<Disposable> => {
    const one = await adding;
    added.push(one);
    return one;
  };
  Object.assign(page, {
    addInitScript: (...given: Parameters<typeof addInitScript>) => note(addInitScript.apply(page, given)),
    exposeFunction: (...given: Parameters<typeof exposeFunction>) => note(exposeFunction.apply(page, given)),
    // A clock that a test has set stays in the page: it cannot be taken away again.
    clock: new Proxy(clock, {
      get(target, name) {
        seat.spent = true;
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    }),
    // A file that was changed on its way is kept like any other.
    route(...given: Parameters<typeof route>) {
      seat.spent = true;
      return route.apply(page, given);
    },
  });
  Object.assign(context, {
    // What was set over such a session cannot be listed.
    newCDPSession(target: Page) {
      seat.spent = true;
      return newSession(target);
    },
  });
}

async function handOn({ page, door, context, added, forget }: Seat): Promise<true> {
  for (const other of context.pages()) if (other !== page) await other.close();
  page.removeAllListeners();
  for (const one of added.splice(0)) await one.dispose();
  await context.setOffline(false);
  await context.clearPermissions();
  await context.clearCookies();
  // Where no page is under it.
  await page.mouse.move(-1, -1);
  // Whatever the page says at its end is said to the back end of its own test.
  await page.goto(door.blank);
  await page.evaluate(clearStorage);
  await forget();
  return true;
}

/** Runs in a page of the same address that has no script of its own. */
async function clearStorage(): Promise<void> {
  localStorage.clear();
  sessionStorage.clear();
  window.name = "";
  for (const { name = "" } of await indexedDB.databases()) indexedDB.deleteDatabase(name);
  for (const name of await caches.keys()) await caches.delete(name);
  for (const worker of await navigator.serviceWorker.getRegistrations()) await worker.unregister();
}

async function close(seat: Seat): Promise<void> {
  seats.splice(seats.indexOf(seat), 1);
  await seat.context.close().catch(() => {});
  await closeServer(seat.door.server);
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
}
