import type { QuickPanelData } from "@longarm/contract/template/team-chat";
import { createStore } from "zustand/vanilla";
import type { ApiAnswer } from "../../shared/api/client.ts";
import type { Live } from "../../shared/live/live.ts";

/** The switches of the panel. They hold as long as the page and do nothing else (specification, template leftover). */
export const SWITCHES = ["notifications", "cloudSync", "retroThrusters"] as const;
export type QuickSwitch = (typeof SWITCHES)[number];

export type QuickPanelState = {
  readonly isOpen: boolean;
  readonly load: "loading" | "ready" | "failed";
  readonly data: QuickPanelData;
  readonly on: Readonly<Record<QuickSwitch, boolean>>;
};

export type QuickPanel = {
  readonly now: Live<QuickPanelState>;
  toggle(): void;
  close(): void;
  flip(which: QuickSwitch, on: boolean): void;
  /** Reads events and notes. */
  read(): Promise<void>;
};

/** The quick panel as long as the page. `ask` undefined: nobody is signed in, and nothing is told. */
export function createQuickPanel(ask: () => Promise<ApiAnswer<QuickPanelData>> | undefined): QuickPanel {
  const store = createStore<QuickPanelState>(() => ({
    ...{ isOpen: false, load: "loading", data: { events: [], notes: [] } },
    on: { notifications: true, cloudSync: false, retroThrusters: false },
  }));
  async function read(): Promise<void> {
    const answer = await (ask() ?? { ok: true as const, data: { events: [], notes: [] } });
    // What was told before stands until something newer is known.
    if (answer.ok) store.setState({ load: "ready", data: answer.data });
    else if (store.getState().load !== "ready") store.setState({ load: "failed" });
  }
  return {
    now: store,
    toggle: () => store.setState(({ isOpen }) => ({ isOpen: !isOpen })),
    close: () => store.setState({ isOpen: false }),
    flip: (which, on) => store.setState((state) => ({ on: { ...state.on, [which]: on } })),
    read,
  };
}
