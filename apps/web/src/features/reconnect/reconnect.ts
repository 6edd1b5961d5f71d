import { CancelAnswer } from "@longarm/contract/http";
import type { SessionStatus } from "@longarm/contract/lobby-lists";
import { SESSION_STATUSES } from "@longarm/contract/lobby-lists";
import type { OpenSession } from "@longarm/contract/notification-socket";
import { problems } from "@longarm/contract/problems";
import type { Settings } from "@longarm/contract/settings";
import type { Timers } from "@longarm/link/socket";
import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";
import type { ApiClient } from "../../shared/api/client.ts";
import { tolerantOf } from "../../shared/api/client.ts";
import type { ApiFailure } from "../../shared/api/failure.ts";

/** How long a look at the machine may take before the button works again, ms. */
export const ASK_MS = 10_000;

export type ReconnectNow = {
  /** What the dialog shows; undefined: it is closed. */
  readonly shown: Reconnectable | undefined;
  /** The action under way; no other can start meanwhile. */
  readonly busy: "cancel" | "kick" | "ask" | undefined;
  /** Why the credits have not come home, as far as it is known; said in the dialog until the machine's status changes. */
  readonly notHome: NotHome | undefined;
  /** Another tab of this browser has the seat: what plays there is no other device. */
  readonly inOtherTab: boolean;
};

/**
 * `unknown`: no answer, or the machine has not confirmed, so that credits may be under way. `game`: one runs. `away`: the machine does not
 * answer. `locked`: it needs an attendant. `refused`: anything else that the platform says.
 */
export type NotHome =
  | { readonly is: "game" | "unknown" | "away" | "locked" }
  | { readonly is: "refused"; readonly failure: ApiFailure };

type ReconnectDeps = Omit<PushedSessionDeps, "show"> & {
  readonly api: Pick<ApiClient, "call" | "read">;
  /** Makes the platform send balance and open session again. */
  readonly askAgain: () => void;
  readonly refreshBalance: () => Promise<void>;
  /** Whether another tab of this browser has the player's seat at the machine. */
  readonly isInOtherTab: (machineId: string) => Promise<boolean>;
  /** The credits are in the wallet. `amount`: what moved, minor units; undefined where the platform does not say. */
  readonly onCancelled: (amount: number | undefined) => void;
  readonly onFailure: (failure: ApiFailure) => void;
};

/** Opens a machine's game, whose socket takes the seat. */
type ToGame = (session: Reconnectable) => void;

/** Whether the reconnect dialog is there and what it does, for as long as a player is signed in. Its methods may be handed on as they are. */
export class Reconnect {
  readonly now: Live<ReconnectNow>;
  readonly #set: (change: Partial<ReconnectNow>) => void;
  readonly #deps: ReconnectDeps;
  readonly #session: PushedSession;
  #toGame: ToGame | undefined;
  /** The player closed the dialog while a call was under way. */
  #turnedAway = false;
  #stopAsk = (): void => {};
  /** The machine whose cash-out was not answered: its outcome is reported when it is known. */
  #awaitedHome: string | undefined;

  constructor(deps: ReconnectDeps) {
    this.#deps = deps;
    const now = createStore<ReconnectNow>(() => ({
      ...{ shown: undefined, busy: undefined, notHome: undefined, inOtherTab: false },
    }));
    this.now = now;
    this.#set = (change) => now.setState(change);
    this.#session = new PushedSession({ ...deps, show: (shown) => this.#show(shown) });
    deps.openSession.subscribe(() => {
      if (now.getState().busy === "ask") this.#endAsk();
      // Known before the dialog opens, so that it does not first say something else.
      void this.#lookForTab();
      this.#session.changed();
      this.#sayHome();
    });
  }

  /** A page that may show the dialog is there. Returns what ends it. */
  attend(toGame: ToGame): () => void {
    this.#toGame = toGame;
    this.#session.mayShow(true);
    return () => {
      this.#toGame = undefined;
      this.#session.mayShow(false);
    };
  }

  /** Closed by the player: it stays so until the variant changes. */
  readonly close = (): void => {
    this.#turnedAway = true;
    this.#session.close();
  };

  readonly goOn = (): void => {
    const session = this.#free();
    if (session === undefined) return;
    this.#session.close();
    this.#toGame?.(session);
  };

  readonly cashOut = async (): Promise<void> => {
    const session = this.#free();
    if (session === undefined) return;
    this.#set({ busy: "cancel", notHome: undefined });
    this.#turnedAway = false;
    const answer = await this.#deps.api.read("cancel", { body: { machineId: session.id } }, tolerantOf(CancelAnswer));
    this.#set({ busy: undefined });
    if (!answer.ok) return this.#notHome(session, answer.failure);
    this.#session.close();
    void this.#deps.refreshBalance();
    const amount = answer.data.Params?.amount;
    this.#deps.onCancelled(amount);
    // A platform that does not say what moved is of the specification's kind: after the cancel its client rejoins the machine.
    // A machine with a fault accepts no player.
    if (amount === undefined && session.variant === "waiting") this.#goOnAt(session);
  };

  /** The credits did not come, or it is not known whether they did: the dialog says which. */
  #notHome(session: Reconnectable, failure: ApiFailure): void {
    void this.#deps.refreshBalance();
    const why = notHomeOf(failure);
    if (why.is === "unknown") this.#awaitedHome = session.id;
    if (this.now.getState().shown?.id === session.id) this.#set({ notHome: why });
    else if (why.is !== "unknown") this.#deps.onFailure(failure);
    this.#sayHome();
  }

  /** Credits of an unanswered cash-out are in the wallet once their play session is over. */
  #sayHome(): void {
    const open = this.#deps.openSession.getState();
    if (this.#awaitedHome === undefined || this.now.getState().busy === "cancel") return;
    if (open?.status === true && open.id === this.#awaitedHome) {
      // The game goes on: the cash-out is over without having moved everything.
      if (open.machine_status === "playing") this.#awaitedHome = undefined;
      return;
    }
    this.#awaitedHome = undefined;
    void this.#deps.refreshBalance();
    this.#deps.onCancelled(undefined);
  }

  #show(shown: Reconnectable | undefined): void {
    const before = this.now.getState().shown;
    const isSame = before?.id === shown?.id && before?.variant === shown?.variant;
    this.#set(isSame ? { shown } : { shown, notHome: undefined });
    // A tab that has just sat down shows its seat a moment after the platform's push.
    if (shown !== undefined && !isSame) void this.#lookForTab();
  }

  async #lookForTab(): Promise<void> {
    const { openSession, isInOtherTab } = this.#deps;
    const id = openSession.getState()?.id;
    const inOtherTab = id !== undefined && (await isInOtherTab(id));
    if (openSession.getState()?.id === id && this.now.getState().inOtherTab !== inOtherTab) this.#set({ inOtherTab });
  }

  readonly kick = async (): Promise<void> => {
    const session = this.#free();
    if (session !== undefined && (await this.#kick(session))) this.#goOnAt(session);
  };

  readonly askAgain = (): void => {
    if (this.#free() === undefined) return;
    this.#set({ busy: "ask" });
    this.#stopAsk = this.#deps.timers.after(ASK_MS, () => this.#endAsk());
    this.#deps.askAgain();
  };

  #endAsk(): void {
    this.#stopAsk();
    this.#set({ busy: undefined });
  }

  /** Done, the dialog is closed. */
  async #kick({ id }: Reconnectable): Promise<boolean> {
    this.#set({ busy: "kick", notHome: undefined });
    this.#turnedAway = false;
    const answer = await this.#deps.api.call("kick", { body: { machineId: id } });
    this.#set({ busy: undefined });
    if (answer.ok) this.#session.close();
    else this.#deps.onFailure(answer.failure);
    return answer.ok;
  }

  /** The game opens only for a player who has not closed the dialog. */
  #goOnAt(session: Reconnectable): void {
    if (!this.#turnedAway) this.#toGame?.(session);
  }

  /** The session shown, while nothing is under way. */
  #free(): Reconnectable | undefined {
    const { shown, busy } = this.now.getState();
    return busy === undefined ? shown : undefined;
  }
}

const NOT_HOME: ReadonlyMap<number | undefined, NotHome> = new Map([
  [problems["game.in_progress"].code, { is: "game" }],
  [problems["transfer.being_checked"].code, { is: "unknown" }],
  [problems["machine.unreachable"].code, { is: "away" }],
  [problems["machine.locked"].code, { is: "locked" }],
]);

function notHomeOf(failure: ApiFailure): NotHome {
  if (failure.is === "network" || failure.is === "malformed") return { is: "unknown" };
  return NOT_HOME.get(failure.code) ?? { is: "refused", failure };
}

/**
 * A play session must be open for this long before the dialog opens, ms: just after sitting down or leaving it is pushed for a moment too.
 * Once the dialog is open it follows at once.
 */
export const CALM_MS = 1_000;

type PushedSessionDeps = {
  readonly openSession: Live<OpenSession | undefined>;
  readonly names: Settings["reconnectStatus"];
  readonly timers: Timers;
  /** Opens the dialog with it, changes what it shows, or closes it. */
  readonly show: (session: Reconnectable | undefined) => void;
};

const isSame = (one: Reconnectable | undefined, other: Reconnectable | undefined): boolean =>
  one?.id === other?.id && one?.variant === other?.variant;

/** Whether the pushed open session is shown: on a page that may show it, after a pause, and not again once the player has closed it. */
class PushedSession {
  readonly #deps: PushedSessionDeps;
  #mayShow = false;
  #shown: Reconnectable | undefined;
  #closed: Reconnectable | undefined;
  #awaited: Reconnectable | undefined;
  #stopWait = (): void => {};

  constructor(deps: PushedSessionDeps) {
    this.#deps = deps;
  }

  /** The platform pushed a session. */
  changed(): void {
    if (!isSame(this.#pushed(), this.#closed)) this.#closed = undefined;
    this.#place();
  }

  /** A page that may show the dialog is there, or is not any more. */
  mayShow(may: boolean): void {
    this.#mayShow = may;
    this.#place();
  }

  /** It stays closed until the variant changes. */
  close(): void {
    this.#closed = this.#pushed();
    this.#place();
  }

  #pushed(): Reconnectable | undefined {
    const open = this.#deps.openSession.getState();
    if (open === undefined) return undefined;
    const { status, ...session } = open;
    return status ? { ...session, variant: variantOf(session.machine_status, this.#deps.names) } : undefined;
  }

  #place(): void {
    const session = this.#mayShow && this.#closed === undefined ? this.#pushed() : undefined;
    const isOpen = session !== undefined && this.#shown?.id === session.id;
    if (isOpen || this.#shown !== undefined) this.#show(isOpen ? session : undefined);
    if (isOpen || session === undefined) this.#await(undefined);
    else if (this.#awaited === undefined || !isSame(this.#awaited, session)) this.#await(session);
  }

  #await(session: Reconnectable | undefined): void {
    this.#stopWait();
    this.#awaited = session;
    if (session === undefined) return;
    this.#stopWait = this.#deps.timers.after(CALM_MS, () => {
      this.#awaited = undefined;
      this.#show(this.#pushed());
    });
  }

  #show(session: Reconnectable | undefined): void {
    this.#shown = session;
    this.#deps.show(session);
  }
}

/** What the dialog is about: an open play session and the variant of its machine's status. */
export type Reconnectable = Omit<OpenSession, "status"> & { readonly variant: SessionStatus };

/** The variant of a machine status as it was pushed: one of ours, another name by the settings, else unknown (decision D-37). */
export function variantOf(status: string | number, names: Settings["reconnectStatus"]): SessionStatus {
  const text = String(status);
  const named = Object.hasOwn(names, text) ? names[text] : text;
  return SESSION_STATUSES.find((one) => one === named) ?? "unknown";
}
