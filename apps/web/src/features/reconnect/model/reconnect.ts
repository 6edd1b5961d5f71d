import { createStore } from "zustand/vanilla";
import type { ApiClient } from "../../../shared/api/client.ts";
import type { ApiFailure } from "../../../shared/api/failure.ts";
import type { Live } from "../../../shared/live/live.ts";
import type { ToldSessionDeps } from "./told-session.ts";
import { ToldSession } from "./told-session.ts";
import type { Reconnectable } from "./variant.ts";

/** How long a look at the machine may take before it may be asked for again, ms. */
export const ASK_MS = 10_000;

export type ReconnectNow = {
  /** What the dialog shows; undefined: it is closed. */
  readonly shown: Reconnectable | undefined;
  /** The action under way; nothing else can be asked meanwhile. */
  readonly busy: "cancel" | "kick" | "ask" | undefined;
};

export type ReconnectDeps = Omit<ToldSessionDeps, "show"> & {
  readonly api: Pick<ApiClient, "call">;
  /** Has the platform tell anew what is true. */
  readonly askAgain: () => void;
  readonly refreshBalance: () => Promise<void>;
  /** The credits are in the wallet. */
  readonly onCancelled: () => void;
  readonly onFailure: (failure: ApiFailure) => void;
};

/** Opens a machine's game, whose socket takes the seat. */
export type ToGame = (session: Reconnectable) => void;

/** Whether the reconnect dialog is there and what it does, for as long as a player is signed in. Its methods may be handed on as they are. */
export class Reconnect {
  readonly now: Live<ReconnectNow>;
  readonly #set: (change: Partial<ReconnectNow>) => void;
  readonly #deps: ReconnectDeps;
  readonly #told: ToldSession;
  #toGame: ToGame | undefined;
  /** The player closed the dialog while a call was under way. */
  #turnedAway = false;
  #stopAsk = (): void => {};

  constructor(deps: ReconnectDeps) {
    this.#deps = deps;
    const now = createStore<ReconnectNow>(() => ({ shown: undefined, busy: undefined }));
    this.now = now;
    this.#set = (change) => now.setState(change);
    this.#told = new ToldSession({ ...deps, show: (shown) => this.#set({ shown }) });
    deps.openSession.subscribe(() => {
      if (now.getState().busy === "ask") this.#endAsk();
      this.#told.heard();
    });
  }

  /** A page that may show the dialog is there. Returns what ends it. */
  attend(toGame: ToGame): () => void {
    this.#toGame = toGame;
    this.#told.mayShow(true);
    return () => {
      this.#toGame = undefined;
      this.#told.mayShow(false);
    };
  }

  /** Closed by the player: it stays so until the variant changes. */
  readonly close = (): void => {
    this.#turnedAway = true;
    this.#told.close();
  };

  readonly goOn = (): void => {
    const session = this.#free();
    if (session === undefined) return;
    this.#told.close();
    this.#toGame?.(session);
  };

  readonly cashOut = async (): Promise<void> => {
    const session = this.#free();
    if (session === undefined || !(await this.#call("cancel", session))) return;
    void this.#deps.refreshBalance();
    this.#deps.onCancelled();
    // Nobody can sit at a machine with a fault, so from there only the credits come back.
    if (session.variant === "waiting") this.#goOnAt(session);
  };

  readonly kick = async (): Promise<void> => {
    const session = this.#free();
    if (session !== undefined && (await this.#call("kick", session))) this.#goOnAt(session);
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

  /** One call about the session that is shown; done, the dialog is closed. */
  async #call(name: "cancel" | "kick", { id }: Reconnectable): Promise<boolean> {
    this.#set({ busy: name });
    this.#turnedAway = false;
    const answer = await this.#deps.api.call(name, { body: { machineId: id } });
    this.#set({ busy: undefined });
    if (answer.ok) this.#told.close();
    else this.#deps.onFailure(answer.failure);
    return answer.ok;
  }

  /** The game comes only for who still waits for it. */
  #goOnAt(session: Reconnectable): void {
    if (!this.#turnedAway) this.#toGame?.(session);
  }

  /** The session shown, while nothing is under way. */
  #free(): Reconnectable | undefined {
    const { shown, busy } = this.now.getState();
    return busy === undefined ? shown : undefined;
  }
}
