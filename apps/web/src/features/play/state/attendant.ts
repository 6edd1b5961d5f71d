import type { AttendantCall } from "@longarm/contract/game-socket";
import type { TextParams } from "@longarm/ui/i18n/texts.ts";
import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";
import type { GameLink } from "./game-link.ts";
import type { Panel } from "./panel.ts";

/** The call for an attendant as the screen shows it. */
export type AttendantNow = {
  /** The platform accepts calls. */
  readonly offered: boolean;
  /** The newest call of this play session. */
  readonly call: AttendantCall | undefined;
  readonly busy: boolean;
  /** Why the last try failed: a wire code, or null when no answer arrived. */
  readonly failed: { readonly code: number | string | null; readonly params: TextParams } | undefined;
};

const NO_CALL: AttendantNow = { offered: false, call: undefined, busy: false, failed: undefined };

/** Calls an attendant, once while a call is open, and keeps what staff answers. */
export class AttendantCalls {
  readonly state: Live<AttendantNow>;
  readonly #change: (now: Partial<AttendantNow>) => void;
  readonly #game: Pick<GameLink, "request">;
  readonly #panel: Pick<Panel, "press">;

  constructor(game: Pick<GameLink, "request">, panel: Pick<Panel, "press">) {
    this.#game = game;
    this.#panel = panel;
    const state = createStore<AttendantNow>(() => NO_CALL);
    this.state = state;
    this.#change = (now) => state.setState(now);
  }

  /** The call as `init` sent it; undefined: this platform accepts no calls. */
  begin(call: AttendantCall | null | undefined): void {
    this.#change({ offered: call !== undefined, call: call ?? undefined });
  }

  /** Staff answered or closed it. */
  update(call: AttendantCall): void {
    this.#change({ call, failed: undefined });
  }

  call(): void {
    const { offered, busy, call } = this.state.getState();
    if (!offered || busy || (call !== undefined && call.state !== "closed")) return;
    this.#change({ busy: true, failed: undefined });
    void this.#send();
  }

  async #send(): Promise<void> {
    const answer = await this.#game.request("callAttendant", {});
    if (answer.is === "done") {
      const isFirst = this.state.getState().call === undefined;
      this.#change({ busy: false, call: answer.data });
      // Lights the machine's own lamp, where it has this button. A second press would put it out.
      if (isFirst) this.#panel.press("attendant");
    } else if (answer.is === "refused") {
      const { code, params } = answer.refusal;
      this.#change({ busy: false, failed: { code, params } });
    } else this.#change({ busy: false, failed: { code: null, params: {} } });
  }
}
