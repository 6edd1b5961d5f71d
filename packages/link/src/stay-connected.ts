import { CLOSE } from "@longarm/contract/envelope";
import { createBackOff } from "./back-off.ts";
import type { FrameSocket, Stop, Timers } from "./socket.ts";

/** State of a connection that reconnects by itself. */
export type LinkState =
  | { readonly is: "connecting"; readonly attempt: number }
  | { readonly is: "open" }
  /** Next attempt in `inMs`; `error` is why the last one failed, when it did not even open. */
  | { readonly is: "waiting"; readonly inMs: number; readonly code?: number; readonly error?: unknown }
  /** The other end said that this is final (close code 4000), or we stopped. */
  | { readonly is: "ended"; readonly code?: number; readonly reason?: string };

export type StayConnected = {
  readonly open: () => Promise<FrameSocket>;
  /** Gives the socket to a peer; call `lost` from its `onClose`. A rejection counts as lost. */
  readonly session: (socket: FrameSocket, lost: (code: number, reason: string) => void) => void;
  readonly timers: Timers;
  /** 0 to below 1; spreads the return of many clients. */
  readonly random: () => number;
  readonly onState?: (state: LinkState) => void;
  /** First wait, ms; doubles with every failure. */
  readonly backOffMs?: number;
  readonly backOffMsMax?: number;
  /** How long a connection must hold before failures are forgotten, ms. */
  readonly steadyMs?: number;
};

const DEFAULTS = { backOffMs: 300, backOffMsMax: 10_000, steadyMs: 5_000 } as const;

/** Opens a socket and reconnects after each loss, with growing and spread waits, until `stop` or a close with code 4000. */
export function stayConnected(options: StayConnected): { stop: Stop; retryNow(): void } {
  const backOff = createBackOff({ ...DEFAULTS, ...options });
  const report = (state: LinkState): void => options.onState?.(state);
  let stopped = false;
  let stopTimer: Stop = () => {};
  let current: FrameSocket | undefined;
  let waiting = false;

  async function connect(): Promise<void> {
    waiting = false;
    report({ is: "connecting", attempt: backOff.failures() + 1 });
    try {
      const socket = await options.open();
      if (stopped) {
        socket.close(1000, "stopped");
        return;
      }
      current = socket;
      report({ is: "open" });
      backOff.opened();
      let isLost = false;
      options.session(socket, (code, reason) => {
        if (!isLost) lost(code, reason);
        isLost = true;
      });
    } catch (error) {
      again({ error });
    }
  }

  function lost(code: number, reason: string): void {
    backOff.lost();
    current = undefined;
    if (stopped) return;
    if (code !== CLOSE.final) {
      again({ code });
      return;
    }
    stopped = true;
    report({ is: "ended", code, reason });
  }

  function again(why: { code?: number; error?: unknown }): void {
    if (stopped) return;
    const inMs = backOff.next();
    waiting = true;
    report({ is: "waiting", inMs, ...why });
    stopTimer = options.timers.after(inMs, () => void connect());
  }

  void connect();
  return {
    stop() {
      if (stopped) return;
      stopped = true;
      stopTimer();
      backOff.lost();
      current?.close(1000, "stopped");
      report({ is: "ended" });
    },
    /** Skips the present wait (the network came back, the tab is seen again). */
    retryNow() {
      if (!waiting || stopped) return;
      stopTimer();
      void connect();
    },
  };
}
