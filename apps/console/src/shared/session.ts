import type { Me } from "@longarm/contract/staff-sign-in";
import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";
import type { Api, CallProblem } from "./api.ts";

/**
 * Who is at this page. `locked`: the sign-in lasts, and nothing of it is drawn until its person is there again. `away`: it is not known, because the
 * platform was not reached.
 */
export type Session =
  | { readonly is: "starting" }
  | { readonly is: "away" }
  | { readonly is: "guest"; readonly ended: boolean }
  | {
      readonly is: "in" | "locked";
      readonly me: Me;
      /** How far the venue's clock is ahead of this computer's, ms, as it was when the answer came. */
      readonly skewMs: number;
    };

/** What other pages of this browser need to know at once: they share the sign-in. */
export type SessionNews = "active" | "changed";

export type Sessions = {
  readonly state: Live<Session>;
  /** Asks the platform who is signed in. */
  refresh(): Promise<void>;
  /** Somebody signed in, or unlocked. */
  enter(me: Me): void;
  lock(): Promise<void>;
  signOut(): Promise<void>;
  /** What a call's end says of the sign-in. */
  observe(problem: CallProblem | undefined): void;
};

export function createSessions(api: () => Api, clock: { now(): number }, news: (what: SessionNews) => void): Sessions {
  const state = createStore<Session>(() => ({ is: "starting" }));

  function lockHere(): void {
    const now = state.getState();
    if ("me" in now) state.setState({ ...now, is: "locked" }, true);
  }

  function take(me: Me): void {
    const skewMs = Date.parse(me.venue.now) - clock.now();
    state.setState({ is: me.signIn.locked ? "locked" : "in", me, skewMs }, true);
  }

  const sessions: Sessions = {
    state,
    async refresh() {
      try {
        take(await api().call("me"));
      } catch {
        // A refusal is a guest by now (`observe`). What is on the screen stays when the platform is not reached.
        if (state.getState().is === "starting") state.setState({ is: "away" }, true);
      }
    },
    enter(me) {
      take(me);
      news("changed");
    },
    async lock() {
      lockHere();
      // The platform locks by itself after the same time, should this not reach it.
      await api()
        .call("lock")
        .catch(() => undefined);
      news("changed");
    },
    async signOut() {
      await api().call("signOut");
      state.setState({ is: "guest", ended: false }, true);
      news("changed");
    },
    observe(problem) {
      if (problem?.problem === "signIn.needed") {
        const wasIn = "me" in state.getState();
        state.setState({ is: "guest", ended: wasIn }, true);
      }
      if (problem?.problem === "signIn.locked") lockHere();
    },
  };
  return sessions;
}
