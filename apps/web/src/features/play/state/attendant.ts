import type { AttendantCall } from "@longarm/contract/game-socket";
import type { Answer } from "@longarm/link/answer";
import { createStore } from "zustand/vanilla";
import type { TextParams } from "../../../shared/i18n/fill-text.ts";
import type { Live } from "../../../shared/live/live.ts";

/** The call for an attendant as the screen shows it. */
export type AttendantNow = {
  /** The platform takes calls. */
  readonly offered: boolean;
  /** The newest call of this play session. */
  readonly call: AttendantCall | undefined;
  readonly busy: boolean;
  /** Why the last try did not go through: a wire code, or null where nobody answered. */
  readonly failed: { readonly code: number | string | null; readonly params: TextParams } | undefined;
};

const NONE: AttendantNow = { offered: false, call: undefined, busy: false, failed: undefined };

export type AttendantDeps = {
  readonly ask: () => Promise<Answer<AttendantCall>>;
  /** Lights the machine's own lamp, where it has such a key. */
  readonly lamp: () => void;
};

/** Calls an attendant, once while a call is open, and keeps what staff says of it. */
export class Attendant {
  readonly state: Live<AttendantNow>;
  readonly #change: (now: Partial<AttendantNow>) => void;
  readonly #deps: AttendantDeps;

  constructor(deps: AttendantDeps) {
    this.#deps = deps;
    const state = createStore<AttendantNow>(() => NONE);
    this.state = state;
    this.#change = (now) => state.setState(now);
  }

  /** What `init` said; undefined: this platform takes no calls. */
  begin(call: AttendantCall | null | undefined): void {
    this.#change({ offered: call !== undefined, call: call ?? undefined });
  }

  /** Staff answered or closed it. */
  heard(call: AttendantCall): void {
    this.#change({ call, failed: undefined });
  }

  call(): void {
    const { offered, busy, call } = this.state.getState();
    if (!offered || busy || (call !== undefined && call.state !== "closed")) return;
    this.#change({ busy: true, failed: undefined });
    void this.#ask();
  }

  async #ask(): Promise<void> {
    const answer = await this.#deps.ask();
    if (answer.is === "done") {
      const isFirst = this.state.getState().call === undefined;
      this.#change({ busy: false, call: answer.data });
      // A second press of a machine's key puts its lamp out.
      if (isFirst) this.#deps.lamp();
    } else if (answer.is === "refused") {
      const { code, params } = answer.refusal;
      this.#change({ busy: false, failed: { code, params } });
    } else this.#change({ busy: false, failed: { code: null, params: {} } });
  }
}
