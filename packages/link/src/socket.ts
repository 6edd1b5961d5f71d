/** Ends something; calling it again does nothing. */
export type Stop = () => void;

/** Timers as an argument, so that tests can drive them. */
export interface Timers {
  /** Runs once, `delayMs` from now. */
  after(delayMs: number, run: () => void): Stop;
}

/** The timers of the platform we run on. */
export const systemTimers: Timers = {
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Events of a socket, for its one listener. */
export interface SocketEvents {
  /** One text frame. */
  text(frame: string): void;
  /** A binary frame came; none of our sockets speaks binary. */
  binary(): void;
  /** The socket is gone; nothing follows. */
  closed(code: number, reason: string): void;
}

/** An open WebSocket: the browser's, or that of `ws`. */
export interface FrameSocket {
  /** Sends one text frame; on a closed socket it does nothing. */
  send(text: string): void;
  close(code: number, reason: string): void;
  /** Bytes waiting to leave. */
  waitingBytes(): number;
  /** Called once, by the peer. Frames that came before it are kept and given first. */
  listen(events: SocketEvents): void;
  /** Called by the peer with the number of requests of the other end that are being answered. */
  answering?(open: number): void;
}
