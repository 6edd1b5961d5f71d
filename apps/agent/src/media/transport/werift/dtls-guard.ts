import type { RTCDtlsTransport } from "werift";

/** Pieces of handshake messages that wait for their rest; a browser's whole handshake is a dozen packets. */
const PIECES_MAX = 64;
/** Pieces and messages of a handshake in a connection's life, with those that are repeated because an answer was lost. */
const HANDSHAKE_MAX = 256;
/** Keys are agreed upon once; it costs a millisecond, and is repeated with all else while our answer is lost. */
const KEY_EXCHANGES_MAX = 16;
/** The longest message, a browser's certificate, has less than a kilobyte. */
const MESSAGE_BYTES_MAX = 8_192;
/** What a browser says: hello, certificate, the proof that it is its own, the key, the end. */
const [HELLO, CERTIFICATE, PROOF, KEY_EXCHANGE, FINISHED] = [1, 11, 15, 16, 20];
const SAID: ReadonlySet<number> = new Set([HELLO, CERTIFICATE, PROOF, KEY_EXCHANGE, FINISHED]);

interface Piece {
  readonly msg_type: number;
  readonly length: number;
  readonly fragment_offset: number;
  readonly fragment_length: number;
}

/** Werift keeps these to itself. */
interface Handshaking {
  bufferFragmentedHandshakes: unknown[];
  handleFragmentHandshake(pieces: readonly Piece[]): unknown[];
}

/**
 * Lets only what a browser says in a handshake reach the library, and limits what of it is kept: werift makes room for as much as a piece says
 * that its message has (16 MB each), collects pieces for as long as they come, also once the connection is up, and computes keys anew each time.
 * `tooMuch` is called when a browser goes beyond.
 */
export function limitHandshake(dtls: RTCDtlsTransport, tooMuch: () => void): void {
  const limit = (): void => {
    const socket = dtls.dtls as unknown as Handshaking | undefined;
    if (socket === undefined) return;
    const handle = socket.handleFragmentHandshake.bind(socket);
    let said = 0;
    let keyExchanges = 0;
    const isWelcome = (piece: Piece): boolean => {
      said += 1;
      if (piece.msg_type === KEY_EXCHANGE) keyExchanges += 1;
      return said <= HANDSHAKE_MAX && keyExchanges <= KEY_EXCHANGES_MAX && isRight(piece);
    };
    socket.handleFragmentHandshake = (pieces) => {
      const whole = handle(pieces.filter(isWelcome));
      if (said <= HANDSHAKE_MAX && socket.bufferFragmentedHandshakes.length <= PIECES_MAX) return whole;
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

const isRight = ({ msg_type, length, fragment_offset, fragment_length }: Piece): boolean =>
  SAID.has(msg_type) && length <= MESSAGE_BYTES_MAX && fragment_offset + fragment_length <= length;
