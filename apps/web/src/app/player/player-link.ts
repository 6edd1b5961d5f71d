import type { OpenSession, Paid } from "@longarm/contract/notification-socket";
import { shownMachine } from "@longarm/ui/i18n/shown-name.ts";
import type { Live } from "@longarm/ui/live.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import type { StoreApi } from "zustand/vanilla";
import { createStore } from "zustand/vanilla";
import type { SignedInPlayer } from "../../shared/auth/player.ts";
import { pageNow } from "../../shared/page-clock/page-clock.ts";
import type { WalletNow } from "../../shared/play-deps.ts";
import { socketAt } from "../../shared/settings/addresses.ts";
import type { NotificationEvents } from "../../shared/sockets/notification-events.ts";
import { createNotificationEvents } from "../../shared/sockets/notification-events.ts";
import type { NotificationDeps } from "../../shared/sockets/notifications.ts";
import { keepNotified } from "../../shared/sockets/notifications.ts";
import type { App } from "../app.ts";
import { renewToken } from "../start/sign-in.ts";

/** What lives as long as a player is signed in: the notification socket and the state that it brings. */
export type PlayerLink = {
  readonly player: SignedInPlayer;
  readonly events: NotificationEvents;
  readonly wallet: Live<WalletNow>;
  readonly openSession: Live<OpenSession | undefined>;
  /** The player's places in queues as they were pushed last; undefined: none were. */
  readonly queue: Live<QueuePush | undefined>;
  /** False once the notification socket has been away for longer than a blip. */
  readonly online: Live<boolean>;
  /** How often the notification socket has come back: what was missed meanwhile is in no push. */
  readonly returns: Live<number>;
  /** Requests the balance now; a newer one that is pushed meanwhile wins. */
  refreshBalance(): Promise<void>;
  /** The network came back or the page is seen again: do not wait for the back-off. */
  retryNow(): void;
  /** Opens a new socket, so that the platform sends balance and open session again, as it does on each connection. */
  askAgain(): void;
  end(): void;
};

/** A `queue` notification that is not parsed yet, and when it came, on the page's clock. */
export type QueuePush = { readonly data: unknown; readonly at: number };

/** A shorter gap of the socket is not worth a word, ms. */
export const BLIP_MS = 3_000;
/** A socket that opens and is closed at once, as by a platform that restarts, is not back: it must hold this long, ms. */
export const SETTLE_MS = 700;
/** How often a long-open page has its token renewed, ms. */
export const RENEW_MS = 30 * 60_000;

export function startPlayerLink(app: App, player: SignedInPlayer, open?: NotificationDeps["open"]): PlayerLink {
  const events = createNotificationEvents();
  const { wallet, refreshBalance } = keepWallet(app, events);
  const openSession = createStore<OpenSession | undefined>(() => undefined);
  const queue = followQueues(app, events);
  const online = createStore<boolean>(() => true);
  const returns = createStore<number>(() => 0);
  let missed = false;
  followSession(app, events, openSession);
  events.on("paid", (paid) => app.messages.say("good", paidText(app, paid)));

  let stopBlip: (() => void) | undefined;
  let stopRenewal = () => {};
  let ended = false;
  let stopSettling = () => {};
  const link = keepNotified({
    address: () => socketAt(app.addresses.notifications, app.auth.token() ?? "", app.settings),
    playerId: player.id,
    emit: events.emit,
    timers: app.timers,
    random: app.random,
    log: app.log,
    ...(open && { open }),
    onState(state) {
      stopSettling();
      if (state.is === "waiting") missed = true;
      if (state.is === "open") stopSettling = app.timers.after(SETTLE_MS, settled);
      else stopBlip ??= app.timers.after(BLIP_MS, () => online.setState(false, true));
      // A final close may mean that the token is invalid: the check finds out, and signs out if so.
      if (state.is === "ended" && state.code !== undefined) void renewToken(app);
    },
  });
  function settled(): void {
    stopBlip?.();
    stopBlip = undefined;
    online.setState(true, true);
    if (missed) comeBack();
    missed = false;
  }
  function comeBack(): void {
    returns.setState(returns.getState() + 1, true);
    // A platform may not send the balance by itself to a socket that comes back.
    void refreshBalance();
  }
  function renewLater(): void {
    if (!ended) stopRenewal = app.timers.after(RENEW_MS, () => void renewToken(app).then(renewLater));
  }
  renewLater();
  void refreshBalance();
  return {
    player,
    events,
    wallet,
    openSession,
    queue,
    online,
    returns,
    refreshBalance,
    retryNow: link.retryNow,
    askAgain: link.askAgain,
    end() {
      ended = true;
      stopRenewal();
      link.stop();
      stopSettling();
      stopBlip?.();
    },
  };
}

/** Play may have ended for a break, or a break may have begun on another device: the sign-in's answer says so. */
function followSession(app: App, events: NotificationEvents, openSession: StoreApi<OpenSession | undefined>): void {
  let isFirst = true;
  events.on("session", (open) => {
    openSession.setState(open.status ? open : undefined, true);
    if (!open.status && !isFirst) void renewToken(app);
    isFirst = false;
  });
}

/** The places as they are pushed, unread; and how many wait, for the next page of a machine. */
function followQueues({ seen }: App, events: NotificationEvents): Live<QueuePush | undefined> {
  const queue = createStore<QueuePush | undefined>(() => undefined);
  events.on("queue", (data) => queue.setState({ data, at: pageNow() }, true));
  events.on("waiting", ({ id, count, called }) => {
    const known = seen.get(id);
    if (known !== undefined) seen.set(id, { ...known, waiting: count, called });
  });
  return queue;
}

/** What was paid by hand, where it went, and where it can be found later (player 11). */
function paidText({ texts, settings }: App, { kind, amount, machine }: Paid): string {
  const { t, language } = texts.speech.getState();
  return t(kind === "jackpot" ? "app.jackpotPaid" : "app.handPayPaid", {
    amount: moneyText(amount, settings.currency, language),
    machine: shownMachine({ name: machine, id: "" }),
  });
}

/** The wallet as the platform sent it last: by a push, or as the answer to the latest request unless a push overtook it. */
function keepWallet(app: App, events: NotificationEvents): Pick<PlayerLink, "wallet" | "refreshBalance"> {
  const wallet = createStore<WalletNow>(() => undefined);
  let pushes = 0;
  let requests = 0;
  let answered = 0;
  events.on("balance", (balance) => {
    pushes += 1;
    wallet.setState(balance, true);
  });
  async function refreshBalance(): Promise<void> {
    const before = pushes;
    requests += 1;
    const request = requests;
    const answer = await app.api.call("balance");
    if (!answer.ok || pushes !== before || request < answered) return;
    answered = request;
    wallet.setState(answer.data, true);
  }
  return { wallet, refreshBalance };
}
