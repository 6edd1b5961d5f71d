import { p256 } from "@noble/curves/p256";
import type { RTCDtlsTransport } from "werift";

/** Packets that are kept until the handshake can begin; a browser's first word is one or two. */
const EARLY_MAX = 4;
const EARLY_BYTES_MAX = 2_048;
/** Bytes of a record's head, and of it with the head of a message of the handshake. */
const [RECORD_BYTES, MESSAGE_BYTES] = [13, 25];
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
/** Of our side of a handshake: everything up to our certificate was said. */
const CERTIFIED = 4;

/** A whole message of a handshake. */
interface Message {
  readonly msg_type: number;
  readonly fragment: Buffer;
}

/** Werift keeps these to itself. */
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
 * curve, or a watcher who alters one byte of his hello, holds up the frames of everyone else for so long.
 */
export function prepareKeyExchange(): void {
  p256.getPublicKey(p256.utils.randomPrivateKey(), false);
}

/**
 * Answers a browser's first word of the handshake as soon as ICE stands, and with the certificate. Werift hears nothing of a handshake before its own side of
 * ICE is done, which is after the browser's: the first word was lost on every way, and waited for the browser's timer (50 ms, and twice the round trip on a long
 * way). And it first asks whether the browser can be reached at all (RFC 6347, 4.2.1), which ICE has just proved: one more round trip.
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
        // Werift throws at what ends in the middle of a record; here nobody else would catch it.
      }
    }
  };
  dtls.onStateChange.subscribe((state) => {
    // Werift makes it right after it has told this.
    if (state === "connecting") queueMicrotask(begin);
  });
}

/**
 * What cannot be sent, as over a TCP connection that was closed, is lost as on any way; ICE finds out. Werift gives answers again without waiting for
 * them, so that a failure would end the agent's process.
 */
function sendOrLose({ transport }: Handshaking): void {
  const send = transport.send.bind(transport);
  transport.send = (packet) => send(packet).catch(() => undefined);
}

/** Whether it begins with a browser's first word, or a piece of it. */
const isHello = (packet: Buffer): boolean =>
  packet.length >= MESSAGE_BYTES &&
  packet.length <= EARLY_BYTES_MAX &&
  packet[0] === HANDSHAKE &&
  packet[RECORD_BYTES] === CLIENT_HELLO;

/** Takes the first hello as if it had brought the cookie, which is then neither asked for nor part of what both sides sign. */
function skipCookie(socket: Handshaking): void {
  const handle = socket.onHandleHandshakes.bind(socket);
  let first: Buffer | undefined;
  const answer = async (hello: Message): Promise<void> => {
    const { cookie } = socket.dtls;
    await handle(cookie === undefined ? [hello] : [{ ...hello, fragment: withCookie(hello.fragment, cookie) }]);
  };
  const begin = async (hello: Message): Promise<void> => {
    first = Buffer.from(hello.fragment);
    // Werift reads the hello and asks for the cookie in one go, before it waits for anything.
    const { send } = socket.transport;
    socket.transport.send = async () => undefined;
    const read = handle([hello]);
    socket.transport.send = send;
    await read;
    const { bufferHandshakeCache } = socket.dtls;
    socket.dtls.bufferHandshakeCache = (_, isLocal, flight) => {
      socket.dtls.bufferHandshakeCache = bufferHandshakeCache;
      // Ours is the first message of this side, and the hello is signed as it came.
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
        // Said again because our answer was lost, or only late.
        if (socket.dtls.flight === CERTIFIED) await answer(message);
      }
      // Any other is none of this handshake's. Werift would begin anew with it, and forget the keys of a connection that stands.
    }
  };
}

/** Where the cookie of a hello begins: behind version, random bytes and the number of a session. */
const cookieAt = (hello: Buffer): number => 35 + (hello[34] ?? 0);
/** Undefined: it is none. */
const cookieLength = (hello: Buffer): number | undefined => hello[cookieAt(hello)];

function withCookie(hello: Buffer, cookie: Buffer): Buffer {
  const at = cookieAt(hello);
  return Buffer.concat([hello.subarray(0, at), Buffer.of(cookie.length), cookie, hello.subarray(at + 1)]);
}
