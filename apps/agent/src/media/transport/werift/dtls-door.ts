import type { RTCDtlsTransport } from "werift";

/** Pieces of handshake messages that wait for their rest; a browser's whole handshake is a dozen packets. */
const PIECES_MAX = 64;

/** Werift keeps these to itself. */
interface Handshaking {
  bufferFragmentedHandshakes: unknown[];
  handleFragmentHandshake(messages: unknown[]): unknown[];
}

/**
 * Limits what of a handshake is kept: werift collects pieces of it for as long as they come, also once the connection stands. `tooMuch` is
 * called when a browser goes beyond.
 */
export function limitHandshake(dtls: RTCDtlsTransport, tooMuch: () => void): void {
  const limit = (): void => {
    const socket = dtls.dtls as unknown as Handshaking | undefined;
    if (socket === undefined) return;
    const handle = socket.handleFragmentHandshake.bind(socket);
    socket.handleFragmentHandshake = (messages) => {
      const whole = handle(messages);
      if (socket.bufferFragmentedHandshakes.length <= PIECES_MAX) return whole;
      socket.bufferFragmentedHandshakes = [];
      tooMuch();
      return [];
    };
  };
  dtls.onStateChange.subscribe((state) => {
    // Werift makes it right after it has told this.
    if (state === "connecting") queueMicrotask(limit);
  });
}
