import { CSRF_HEADER, STAFF_BASE } from "@longarm/contract/staff-call";
import type { Wall } from "@longarm/contract/staff-wall";
import { WALL_PATH, Wall as WallSchema } from "@longarm/contract/staff-wall";
import type { Stop, Timers } from "@longarm/link/socket";
import type { Live } from "@longarm/ui/live.ts";
import * as z from "zod/mini";
import { createStore } from "zustand/vanilla";

/** What a wall display knows. `notAdmitted`: its token opens nothing, or no longer; it continues to try, because it may be admitted. */
export type WallState =
  | { readonly is: "starting" }
  | { readonly is: "notAdmitted" }
  | {
      readonly is: "on";
      readonly wall: Wall;
      /** When it was read, by this computer, ms. */
      readonly at: number;
      /** Since when nothing new could be read, ms; null: it is new. */
      readonly oldSince: number | null;
    };

export type WallFeedDeps = {
  readonly fetch: typeof fetch;
  readonly timers: Timers;
  readonly now: () => number;
  /** The token behind the # of the address; null: the browser has the display's cookie. */
  readonly token: string | null;
  /** Loads the page anew: the platform has another version than this page. */
  readonly reload: () => void;
};

/** The wall is read this often, ms; and so long after a refusal, where somebody must do something first. */
export const READ_MS = 2_000;
const REFUSED_MS = 10_000;
const ANSWER_MS_MAX = 8_000;

/**
 * Reads the wall for ever. What cannot be read stays as it was, with the time since when it is old: a network that is away and a platform that restarts
 * need no person at the screen.
 */
export function followWall(deps: WallFeedDeps): { readonly state: Live<WallState>; stop(): void } {
  const state = createStore<WallState>(() => ({ is: "starting" }));
  let stopTimer: Stop = () => {};
  let isOver = false;
  let version: string | undefined;
  let mustEnter = deps.token !== null;

  async function enter(token: string): Promise<void> {
    const answer = await deps.fetch(`${STAFF_BASE}wall/enter`, {
      method: "POST",
      credentials: "same-origin",
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
      headers: { "content-type": "application/json", [CSRF_HEADER]: "" },
      body: JSON.stringify({ token }),
    });
    if (answer.status === 401) throw new NotAdmitted();
    if (!answer.ok) throw new Error(`the platform answered ${answer.status}`);
    mustEnter = false;
  }

  async function read(): Promise<void> {
    if (mustEnter && deps.token !== null) await enter(deps.token);
    const answer = await deps.fetch(WALL_PATH, {
      credentials: "same-origin",
      cache: "no-store",
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    if (answer.status === 401) {
      // The cookie is gone or old: the address may have a token that opens.
      mustEnter = deps.token !== null;
      throw new NotAdmitted();
    }
    const wall = z.parse(WallSchema, await answer.json());
    if (version !== undefined && version !== wall.version) deps.reload();
    version = wall.version;
    state.setState({ is: "on", wall, at: deps.now(), oldSince: null }, true);
  }

  async function round(): Promise<void> {
    let againMs = READ_MS;
    try {
      await read();
    } catch (error) {
      if (error instanceof NotAdmitted) {
        state.setState({ is: "notAdmitted" }, true);
        againMs = REFUSED_MS;
      } else {
        const was = state.getState();
        if (was.is === "on" && was.oldSince === null) state.setState({ ...was, oldSince: was.at }, true);
      }
    }
    if (!isOver) stopTimer = deps.timers.after(againMs, () => void round());
  }
  void round();

  return {
    state,
    stop() {
      isOver = true;
      stopTimer();
    },
  };
}

class NotAdmitted extends Error {}

const TOKEN = /^#([A-Za-z0-9_-]{20,100})$/;
/** The token of a display's address: behind the #, so that no server has it in a log. */
export const tokenIn = (hash: string): string | null => TOKEN.exec(hash)?.[1] ?? null;
