import { p256 } from "@noble/curves/p256";
import type { RTCDtlsTransport } from "werift";

/** Packets that are kept until the handshake can begin; a browser's ClientHello is one or two. */
const EARLY_MAX = 4;
const EARLY_BYTES_MAX = 2_048;
/** Bytes of a record's header, and of both headers of a handshake message. */
const [RECORD_BYTES, MESSAGE_BYTES] = [13, 25];
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
/** Our flight of a handshake: everything up to our certificate has been sent. */
const CERTIFIED = 4;

/** A whole message of a handshake. */
interface Message {
  readonly msg_type: number;
  readonly fragment: Buffer;
}

/** Private in werift. */
interface Handshaking {
  readonly dtls: {
    readonly flight: number;
    readonly cookie?: Buffer;
    sequenceNumber: number;
    bufferHandshakeCache(messages: readonly Message[], isLocal: boolean, flight: number): void;
  };
  readonly transport: {
    send(packet: Buffer): Promise<void>;
    readonly socket: { readonly onData?: (packet: Buffer) => void };
  };
  onHandleHandshakes(messages: readonly Message[]): Promise<void>;
}

/**
 * Computes the multiples of P-256's base point, which takes some 50 ms of a core once in a process. Without it the first browser that names this
 * curve, or a watcher who alters one byte of the ClientHello, delays the frames of every other viewer by that time.
 */
export function prepareKeyExchange(): void {
  p256.getPublicKey(p256.utils.randomPrivateKey(), false);
}

/**
 * Answers a browser's ClientHello as soon as ICE is connected, and with the certificate. Werift ignores DTLS packets before its own side of
 * ICE is connected, which is after the browser's: the first ClientHello was always lost, and waited for the browser's retransmission timer (50 ms, and twice
 * the round trip on a long path). And werift first verifies that the browser is reachable (RFC 6347, 4.2.1), which ICE has just proved: one more round trip.
 */
export function answerAtOnce(dtls: RTCDtlsTransport): void {
  const early: Buffer[] = [];
  const { unSubscribe } = dtls.iceTransport.connection.onData.subscribe((packet) => {
    if (!isHello(packet)) return;
    early.push(packet);
    if (early.length > EARLY_MAX) early.shift();
  });
  const begin = (): void => {
    unSubscribe();
    const socket = dtls.dtls as unknown as Handshaking | undefined;
    if (socket === undefined) return;
    sendOrLose(socket);
    if (dtls.role === "server") skipCookie(socket);
    for (const packet of early.splice(0)) {
      try {
        socket.transport.socket.onData?.(packet);
      } catch {
        // Werift throws when a packet ends in the middle of a record; nothing else would catch it here.
      }
    }
  };
  dtls.onStateChange.subscribe((state) => {
    // Werift makes the socket right after this event.
    if (state === "connecting") queueMicrotask(begin);
  });
}

/**
 * A packet that cannot be sent, as over a closed TCP connection, is lost as on any network; ICE notices. Werift does not await its retransmissions,
 * so that a failure would end the process.
 */
function sendOrLose({ transport }: Handshaking): void {
  const send = transport.send.bind(transport);
  transport.send = (packet) => send(packet).catch(() => undefined);
}

/** Whether it begins with a ClientHello, or a fragment of one. */
const isHello = (packet: Buffer): boolean =>
  packet.length >= MESSAGE_BYTES &&
  packet.length <= EARLY_BYTES_MAX &&
  packet[0] === HANDSHAKE &&
  packet[RECORD_BYTES] === CLIENT_HELLO;

/** Treats the first ClientHello as if it had the cookie, which is then neither requested nor part of what both sides sign. */
function skipCookie(socket: Handshaking): void {
  const handle = socket.onHandleHandshakes.bind(socket);
  let first: Buffer | undefined;
  const answer = async (hello: Message): Promise<void> => {
    const { cookie } = socket.dtls;
    await handle(cookie === undefined ? [hello] : [{ ...hello, fragment: withCookie(hello.fragment, cookie) }]);
  };
  const begin = async (hello: Message): Promise<void> => {
    first = Buffer.from(hello.fragment);
    // Werift reads the hello and requests the cookie synchronously, before its first await.
    const { send } = socket.transport;
    socket.transport.send = async () => undefined;
    const read = handle([hello]);
    socket.transport.send = send;
    await read;
    const { bufferHandshakeCache } = socket.dtls;
    socket.dtls.bufferHandshakeCache = (_, isLocal, flight) => {
      socket.dtls.bufferHandshakeCache = bufferHandshakeCache;
      // Ours is the first message of this side, and the hello is signed as it arrived.
      socket.dtls.sequenceNumber = 0;
      socket.dtls.bufferHandshakeCache([hello], isLocal, flight);
    };
    await answer(hello);
  };
  socket.onHandleHandshakes = async (messages) => {
    for (const message of messages) {
      if (message.msg_type !== CLIENT_HELLO) await handle([message]);
      else if (first === undefined) {
        if (cookieLength(message.fragment) === 0) await begin(message);
      } else if (first.equals(message.fragment)) {
        // Repeated because our answer was lost, or only late.
        if (socket.dtls.flight === CERTIFIED) await answer(message);
      }
      // Any other does not belong to this handshake. Werift would start over with it, and drop the keys of an established connection.
    }
  };
}

/** Where the cookie of a hello begins: after version, random bytes and session id. */
const cookieAt = (hello: Buffer): number => 35 + (hello[34] ?? 0);
/** Undefined: it is malformed. */
const cookieLength = (hello: Buffer): number | undefined => hello[cookieAt(hello)];

function withCookie(hello: Buffer, cookie: Buffer): Buffer {
  const at = cookieAt(hello);
  return Buffer.concat([hello.subarray(0, at), Buffer.of(cookie.length), cookie, hello.subarray(at + 1)]);
}

/** Pieces of handshake messages that wait for their rest; a browser's whole handshake is a dozen packets. */
const PIECES_MAX = 64;
/** Pieces and messages of a handshake in a connection's life, with those that are repeated because an answer was lost. */
const HANDSHAKE_MAX = 256;
/** A key exchange costs a millisecond; it is repeated with the whole flight when our answer is lost. */
const KEY_EXCHANGES_MAX = 16;
/** The longest message, a browser's certificate, has less than a kilobyte. */
const MESSAGE_BYTES_MAX = 8_192;
/** The messages of a browser: hello, certificate, its proof of possession, the key, the end. */
const [HELLO, CERTIFICATE, PROOF, KEY_EXCHANGE, FINISHED] = [1, 11, 15, 16, 20];
const OF_CLIENT: ReadonlySet<number> = new Set([HELLO, CERTIFICATE, PROOF, KEY_EXCHANGE, FINISHED]);
/** Those of a media server that lets us begin: hello, cookie, its key, the request of our certificate, the end of its flight. */
const [SERVER_HELLO, COOKIE, SERVER_KEY, CERTIFICATE_REQUEST, HELLO_DONE] = [2, 3, 12, 13, 14];
const OF_SERVER: ReadonlySet<number> = new Set([
  SERVER_HELLO,
  COOKIE,
  CERTIFICATE,
  SERVER_KEY,
  CERTIFICATE_REQUEST,
  HELLO_DONE,
  FINISHED,
]);

interface Piece {
  readonly msg_type: number;
  readonly length: number;
  readonly fragment_offset: number;
  readonly fragment_length: number;
}

/** Private in werift. */
interface Fragmented {
  bufferFragmentedHandshakes: unknown[];
  handleFragmentHandshake(pieces: readonly Piece[]): unknown[];
}

/**
 * Passes only the handshake messages that the other side has to send to the library, and limits what it keeps of them: werift allocates whatever length a fragment
 * claims (16 MB each), collects fragments without end, even on an established connection, and computes keys each time.
 * `tooMuch` is called when a browser exceeds the limits.
 */
export function limitHandshake(dtls: RTCDtlsTransport, tooMuch: () => void): void {
  const limit = (): void => {
    const socket = dtls.dtls as unknown as Fragmented | undefined;
    if (socket === undefined) return;
    const handle = socket.handleFragmentHandshake.bind(socket);
    let said = 0;
    let keyExchanges = 0;
    const isWelcome = (piece: Piece): boolean => {
      said += 1;
      if (piece.msg_type === (dtls.role === "client" ? SERVER_KEY : KEY_EXCHANGE)) keyExchanges += 1;
      const expected = dtls.role === "client" ? OF_SERVER : OF_CLIENT;
      return (
        said <= HANDSHAKE_MAX && keyExchanges <= KEY_EXCHANGES_MAX && expected.has(piece.msg_type) && isRight(piece)
      );
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
    // Werift makes the socket right after this event.
    if (state === "connecting") queueMicrotask(limit);
  });
}

const isRight = ({ length, fragment_offset, fragment_length }: Piece): boolean =>
  length <= MESSAGE_BYTES_MAX && fragment_offset + fragment_length <= length;
