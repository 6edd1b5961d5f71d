import type { OpenSession } from "@longarm/contract/notification-socket";
import type { Settings } from "@longarm/contract/settings";
import type { Timers } from "@longarm/link/socket";
import { createStore } from "zustand/vanilla";
import type { ApiClient } from "../../../shared/api/client.ts";
import type { ApiFailure } from "../../../shared/api/failure.ts";
import type { Live } from "../../../shared/live/live.ts";
import type { Reconnectable } from "./variant.ts";
import { variantOf } from "./variant.ts";

/**
 * A play session must be told for this long before the dialog opens, ms: who has just got up or just sat down is told of it too, for a
 * moment. Once it is open it follows at once.
 */
export const CALM_MS = 1_000;
/** How long a look at the machine may take before it may be asked for again, ms. */
export const ASK_MS = 10_000;

export type ReconnectNow = {
  /** What the dialog shows; undefined: it is closed. */
  readonly shown: Reconnectable | undefined;
  /** The action under way; nothing else can be asked meanwhile. */
  readonly busy: "cancel" | "kick" | "ask" | undefined;
};

export type ReconnectDeps = {
  readonly openSession: Live<OpenSession | undefined>;
  readonly api: Pick<ApiClient, "call">;
  readonly names: Settings["reconnectStatus"];
  readonly timers: Timers;
  /** Has the platform tell anew what is true. */
  readonly askAgain: () => void;
  readonly refreshBalance: () => Promise<void>;
  /** The credits are in the wallet. */
  readonly onCancelled: () => void;
  readonly onFailure: (failure: ApiFailure) => void;
};

export type Reconnect = {
  readonly now: Live<ReconnectNow>;
  /** A page that may show the dialog is there. `toGame` opens a machine's game, whose socket takes the seat. Returns what ends it. */
  attend(toGame: (session: Reconnectable) => void): () => void;
  goOn(): void;
  cashOut(): Promise<void>;
  kick(): Promise<void>;
  askAgain(): void;
  /** Closed by the player: it stays so until the variant changes. */
  close(): void;
};

const isSame = (one: Reconnectable | undefined, other: Reconnectable | undefined): boolean =>
  one?.id === other?.id && one?.variant === other?.variant;

/** Whether the reconnect dialog is there and what it does, for as long as a player is signed in. */
export function createReconnect(deps: ReconnectDeps): Reconnect {
  const now = createStore<ReconnectNow>(() => ({ shown: undefined, busy: undefined }));
  let toGame: ((session: Reconnectable) => void) | undefined;
  let closed: Reconnectable | undefined;
  /** The player closed the dialog while a call was under way. */
  let turnedAway = false;
  let awaited: Reconnectable | undefined;
  let stopWait = (): void => {};
  let stopAsk = (): void => {};

  function told(): Reconnectable | undefined {
    const open = deps.openSession.getState();
    if (open === undefined) return undefined;
    const { status, ...session } = open;
    return status ? { ...session, variant: variantOf(session.machine_status, deps.names) } : undefined;
  }

  function place(): void {
    const session = told();
    const { shown } = now.getState();
    const mayShow = toGame !== undefined && session !== undefined && closed === undefined;
    if (mayShow && shown?.id === session.id) now.setState({ shown: session });
    else if (shown !== undefined) now.setState({ shown: undefined });
    if (mayShow && shown?.id !== session.id) wait(session);
    else endWait();
  }

  function wait(session: Reconnectable): void {
    if (awaited !== undefined && isSame(awaited, session)) return;
    stopWait();
    awaited = session;
    stopWait = deps.timers.after(CALM_MS, () => {
      awaited = undefined;
      now.setState({ shown: told() });
    });
  }

  function endWait(): void {
    stopWait();
    awaited = undefined;
  }

  deps.openSession.subscribe(() => {
    if (!isSame(told(), closed)) closed = undefined;
    if (now.getState().busy === "ask") endAsk();
    place();
  });

  function endAsk(): void {
    stopAsk();
    now.setState({ busy: undefined });
  }

  function close(): void {
    closed = told();
    place();
  }

  /** One call about the session that is shown, and then the game, if the player still waits for it. */
  async function call(name: "cancel" | "kick", session: Reconnectable, thenGame: boolean): Promise<void> {
    now.setState({ busy: name });
    turnedAway = false;
    const answer = await deps.api.call(name, { body: { machineId: session.id } });
    now.setState({ busy: undefined });
    if (!answer.ok) {
      deps.onFailure(answer.failure);
      return;
    }
    if (name === "cancel") {
      void deps.refreshBalance();
      deps.onCancelled();
    }
    close();
    if (thenGame && !turnedAway) toGame?.(session);
  }

  /** The session shown, while nothing is under way. */
  function free(): Reconnectable | undefined {
    const { shown, busy } = now.getState();
    return busy === undefined ? shown : undefined;
  }

  return {
    now,
    close() {
      turnedAway = true;
      close();
    },
    attend(open) {
      toGame = open;
      place();
      return () => {
        toGame = undefined;
        place();
      };
    },
    goOn() {
      const session = free();
      if (session === undefined) return;
      close();
      toGame?.(session);
    },
    async cashOut() {
      const session = free();
      // Nobody can sit at a machine with a fault, so from there only the credits come back.
      if (session !== undefined) await call("cancel", session, session.variant === "waiting");
    },
    async kick() {
      const session = free();
      if (session !== undefined) await call("kick", session, true);
    },
    askAgain() {
      if (free() === undefined) return;
      now.setState({ busy: "ask" });
      stopAsk = deps.timers.after(ASK_MS, endAsk);
      deps.askAgain();
    },
  };
}
