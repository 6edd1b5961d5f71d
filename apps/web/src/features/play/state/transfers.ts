import { TransferId } from "@longarm/contract/ids";
import { PositiveMinor } from "@longarm/contract/money";
import type { Refusal } from "@longarm/link/answer";
import type { Timers } from "@longarm/link/socket";
import type { Live } from "@longarm/ui/live.ts";
import * as z from "zod/mini";
import { createStore } from "zustand/vanilla";
import type { Storage } from "../../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../../shared/storage/storage.ts";
import type { GameLink } from "./game-link.ts";

/** Where money moves: to the machine, or back to the wallet. */
export type Direction = "cashIn" | "cashOut";

/** A money command of ours that is not decided yet. */
export type OpenTransfer = {
  /** Made here, and the same for every repeat: the platform moves money for it at most once. */
  readonly id: string;
  readonly machineId: string;
  readonly playSessionId: string;
  readonly direction: Direction;
  /** Minor units; null: everything (cash-out only). */
  readonly amount: number | null;
  /** When it was first sent, ms since 1970. */
  readonly askedAt: number;
};

/** The state of the player's last transfer. `checking`: its outcome is unknown, and no other transfer can begin. */
export type TransferState =
  | { readonly is: "idle" }
  | { readonly is: "busy"; readonly transfer: OpenTransfer }
  | { readonly is: "checking"; readonly transfer: OpenTransfer }
  /** `amount` may be less than `requested` (null: everything). */
  | { readonly is: "done"; readonly direction: Direction; readonly amount: number; readonly requested: number | null }
  /** `refusal` is undefined when the machine's own record shows that it refused. */
  | { readonly is: "refused"; readonly direction: Direction; readonly refusal: Refusal | undefined };

export type TransfersDeps = {
  readonly machineId: string;
  readonly storage: Storage;
  readonly newId: () => string;
  readonly clock: { now(): number };
  readonly timers: Timers;
};

/**
 * An undecided command older than this is dropped when the page takes its seat again (a reload, a reconnect): the platform decides it by itself, and the
 * wallet shows the result. A page that keeps its seat repeats the command until it knows the outcome. ms.
 */
export const REPEAT_WITHIN_MS = 120_000;

/** An undecided command is repeated after this, and then each time after twice as long, ms. Its id is the same, so it moves money once. */
const REPEAT_MS = 2_000;
const REPEAT_MS_MAX = 30_000;

/** The money moves of one play session, one at a time. An undecided one is kept, so that a repeat after a reload has the same id. */
export class Transfers {
  readonly state: Live<TransferState>;
  readonly #set: (state: TransferState) => void;
  readonly #deps: TransfersDeps;
  readonly #game: Pick<GameLink, "request">;
  #playSessionId: string | undefined;
  #repeatMs = REPEAT_MS;
  #stopWaiting = (): void => {};

  constructor(deps: TransfersDeps, game: Pick<GameLink, "request">) {
    this.#deps = deps;
    this.#game = game;
    const state = createStore<TransferState>(() => ({ is: "idle" }));
    this.state = state;
    this.#set = (next) => state.setState(next, true);
  }

  /** The seat was taken (again): repeats the undecided command under its own id. */
  begin(playSessionId: string): void {
    this.#playSessionId = playSessionId;
    const kept = this.#open() ?? keptTransfer(this.#deps.storage, this.#deps.machineId);
    if (kept === undefined) return;
    if (kept.playSessionId !== playSessionId || this.#deps.clock.now() - kept.askedAt > REPEAT_WITHIN_MS) {
      forgetTransfer(this.#deps.storage);
      this.#set({ is: "idle" });
      return;
    }
    this.#set({ is: "checking", transfer: kept });
    this.#stopWaiting();
    this.#repeatMs = REPEAT_MS;
    void this.#send(kept);
  }

  /** Starts a transfer; false when one is open already or there is no seat. `amount` null: everything (cash-out). */
  start(direction: Direction, amount: number | null): boolean {
    if (this.#open() !== undefined || this.#playSessionId === undefined) return false;
    if (direction === "cashIn" && amount === null) return false;
    const transfer: OpenTransfer = {
      id: this.#deps.newId(),
      machineId: this.#deps.machineId,
      playSessionId: this.#playSessionId,
      direction,
      amount,
      askedAt: this.#deps.clock.now(),
    };
    keepTransfer(this.#deps.storage, transfer);
    this.#set({ is: "busy", transfer });
    void this.#send(transfer);
    return true;
  }

  /** The platform learned what became of an unknown one. */
  decided({ id, outcome, amount }: { id: string; outcome: "done" | "refused"; amount: number }): void {
    const open = this.#open();
    if (open?.id !== id) return;
    const { direction } = open;
    if (outcome === "done") this.#settle({ is: "done", direction, amount, requested: open.amount });
    else this.#settle({ is: "refused", direction, refusal: undefined });
  }

  /** The play session is over for this page: stops repeating. */
  end(): void {
    this.#playSessionId = undefined;
    this.#stopWaiting();
  }

  /** The player has seen the outcome. */
  clear(): void {
    if (this.#open() === undefined) this.#set({ is: "idle" });
  }

  #open(): OpenTransfer | undefined {
    const state = this.state.getState();
    return state.is === "busy" || state.is === "checking" ? state.transfer : undefined;
  }

  async #send(transfer: OpenTransfer): Promise<void> {
    const { id, direction, amount } = transfer;
    const answer =
      direction === "cashIn"
        ? await this.#game.request("cashIn", { id, amount: amount ?? 0 })
        : await this.#game.request("cashOut", { id, ...(amount !== null && { amount }) });
    if (this.#open()?.id !== id) return;
    if (answer.is === "refused") this.#refused(transfer, answer.refusal);
    else if (answer.is === "done" && answer.data.outcome === "done")
      this.#settle({ is: "done", direction, amount: answer.data.amount, requested: amount });
    else this.#check(transfer);
  }

  /** The announcement of the outcome may be lost, so the page repeats the command until it knows. */
  #check(transfer: OpenTransfer): void {
    this.#set({ is: "checking", transfer });
    if (this.#playSessionId !== transfer.playSessionId) return;
    this.#stopWaiting();
    this.#stopWaiting = this.#deps.timers.after(this.#repeatMs, () => {
      if (this.#open()?.id === transfer.id) void this.#send(transfer);
    });
    this.#repeatMs = Math.min(2 * this.#repeatMs, REPEAT_MS_MAX);
  }

  #refused(transfer: OpenTransfer, refusal: Refusal): void {
    // "Being checked" is about this very transfer when it is a repeat: it is no decision.
    const repeat = this.state.getState().is === "checking";
    if (repeat && refusal.name === "transfer.being_checked") this.#check(transfer);
    else this.#settle({ is: "refused", direction: transfer.direction, refusal });
  }

  #settle(state: TransferState): void {
    this.#stopWaiting();
    this.#repeatMs = REPEAT_MS;
    forgetTransfer(this.#deps.storage);
    this.#set(state);
  }
}

const Kept = z.object({
  id: TransferId,
  machineId: z.string(),
  playSessionId: z.string(),
  direction: z.enum(["cashIn", "cashOut"]),
  amount: z.nullable(PositiveMinor),
  askedAt: z.number(),
});

/** The undecided transfer of this machine that an earlier page left, if any. */
function keptTransfer(storage: Storage, machineId: string): OpenTransfer | undefined {
  const text = storage.read(STORAGE_KEYS.openTransfers);
  if (text === null) return undefined;
  try {
    const kept = z.safeParse(Kept, JSON.parse(text));
    return kept.success && kept.data.machineId === machineId ? kept.data : undefined;
  } catch {
    return undefined;
  }
}

function keepTransfer(storage: Storage, transfer: OpenTransfer): void {
  storage.write(STORAGE_KEYS.openTransfers, JSON.stringify(transfer));
}

function forgetTransfer(storage: Storage): void {
  storage.remove(STORAGE_KEYS.openTransfers);
}
