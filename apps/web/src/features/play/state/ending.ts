import type { FinalReason } from "@longarm/contract/envelope";
import { FINAL_REASONS } from "@longarm/contract/envelope";
import type { MachineState } from "@longarm/contract/lobby-lists";
import type { Settings } from "@longarm/contract/settings";
import type { Timers } from "@longarm/link/socket";
import type { Live } from "@longarm/ui/live.ts";
import type { StoreApi } from "zustand/vanilla";
import { createStore } from "zustand/vanilla";
import type { LeaveReason, MachineRef } from "../../../shared/play-deps.ts";
import type { GameLink } from "./game-link.ts";
import type { LeaveRefusal, PlayState } from "./play-state.ts";
import type { Scope } from "./scope.ts";

/** Leaving waits for a running game at most so long, ms; then the platform decides. */
export const GAME_WAIT_MS = 15_000;

/** How a play session ends on this page: the player leaves, or the platform ends it; once. */
export class Ending {
  readonly refusal: Live<LeaveRefusal | undefined>;
  readonly #setRefusal: (refusal: LeaveRefusal | undefined) => void;
  readonly #scope: Scope;
  readonly #timers: Timers;
  readonly #state: StoreApi<PlayState>;
  readonly #game: Pick<GameLink, "request">;
  readonly #toLobby: (reason: LeaveReason) => void;
  #to: MachineRef | undefined;

  constructor(
    scope: Scope,
    timers: Timers,
    state: StoreApi<PlayState>,
    game: Pick<GameLink, "request">,
    toLobby: (reason: LeaveReason) => void,
  ) {
    this.#scope = scope;
    this.#timers = timers;
    this.#state = state;
    this.#game = game;
    this.#toLobby = toLobby;
    const refusal = createStore<LeaveRefusal | undefined>(() => undefined);
    this.refusal = refusal;
    this.#setRefusal = (next) => refusal.setState(next, true);
  }

  /** The platform takes all credits back and frees the seat. Without a link it does so by itself, and the page need not wait. `to`: where to instead of the lobby. */
  async leave(to?: MachineRef): Promise<void> {
    const state = this.#state;
    const { phase, online } = state.getState();
    if (phase === "opening" || phase === "playing") this.#to = to;
    if (phase === "opening" || (phase === "playing" && !online)) this.finish({ is: "left" });
    if (state.getState().phase !== "playing") return;
    state.setState({ phase: "leaving" });
    this.#setRefusal(undefined);
    await this.#gameIsOver();
    if (state.getState().phase !== "leaving") return;
    const answer = await this.#game.request("leave", {});
    if (state.getState().phase !== "leaving") return;
    if (answer.is === "refused") {
      const { code, params, reason } = answer.refusal;
      state.setState({ phase: "playing" });
      this.#to = undefined;
      this.#setRefusal({ code, params, message: reason });
    } else if (answer.is === "done" && answer.data.outcome === "unknown") state.setState({ phase: "checking" });
    else if (answer.is === "done" && answer.data.amount > 0) this.finish({ is: "left", returned: answer.data.amount });
    else this.finish({ is: "left" });
  }

  /** The platform refuses to end the play session during a game, so this waits for its end. A bonus does not end without the player. */
  #gameIsOver(): Promise<void> {
    const state = this.#state;
    const runs = ({ phase, meters }: PlayState): boolean =>
      phase === "leaving" && meters?.inGame === true && !meters.bonus;
    if (!runs(state.getState())) return Promise.resolve();
    return new Promise((over) => {
      const stops = [
        this.#timers.after(GAME_WAIT_MS, () => end()),
        state.subscribe((now) => {
          if (!runs(now)) end();
        }),
      ];
      const end = (): void => {
        for (const stop of stops) stop();
        over();
      };
      this.#scope.onEnd(end);
    });
  }

  /** Ends everything, then shows the lobby. A player who was leaving anyway gets no reason. */
  finish(reason: LeaveReason): void {
    const { phase } = this.#state.getState();
    if (phase === "gone") return;
    this.#state.setState({ phase: "gone" });
    this.#scope.end();
    const leaving = phase === "leaving" || phase === "checking";
    const said: LeaveReason = leaving && reason.is !== "left" ? { is: "left" } : reason;
    this.#toLobby(said.is === "left" && this.#to !== undefined ? { ...said, to: this.#to } : said);
  }
}

/** What the lobby shows after the platform closed the game socket with 4000 and this reason; an unknown reason is shown as it is. */
export function reasonOfClose(reason: string): LeaveReason {
  if (isFinal(reason)) return { is: "closed", reason };
  return reason === "" ? { is: "refused", code: 50100 } : { is: "refused", code: reason, message: reason };
}

const isFinal = (reason: string): reason is FinalReason => FINAL_REASONS.some((known) => known === reason);

/** A status that the settings do not know means not available (decision D-22). */
export function machineStateOf(status: number, { machineStatus }: Settings): MachineState {
  const number = String(status);
  return (Object.hasOwn(machineStatus, number) ? machineStatus[number] : undefined) ?? "notAvailable";
}

/**
 * Whether a `machine` notification ends the game (R-2.5-07): the machine on the screen is not being played any more. Before the seat is
 * ours it never does, and while our own socket is away a machine that waits for its player waits for us.
 * Undefined: the game goes on.
 */
export function endedBy(
  machine: { readonly id: string; readonly status: number },
  about: {
    readonly machineId: string;
    readonly seated: boolean;
    readonly online: boolean;
    readonly settings: Settings;
  },
): MachineState | undefined {
  if (String(machine.id) !== String(about.machineId) || !about.seated) return undefined;
  const state = machineStateOf(machine.status, about.settings);
  if (state === "playing" || (state === "waiting" && !about.online)) return undefined;
  return state;
}
