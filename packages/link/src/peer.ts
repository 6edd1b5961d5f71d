import type { Beat } from "@longarm/contract/envelope";
import { BEAT, CLOSE, Envelope } from "@longarm/contract/envelope";
import type { RequestSpec, SocketContract } from "@longarm/contract/methods";
import * as z from "zod/mini";
import type { Answer } from "./answer.ts";
import { refusalOf } from "./answer.ts";
import { answerRequests } from "./answer-requests.ts";
import { firstIssue } from "./first-issue.ts";
import { hearNotifications } from "./hear-notifications.ts";
import { openRequests } from "./open-requests.ts";
import type { PeerLog } from "./peer-log.ts";
import { watchSilence } from "./silence.ts";
import type { FrameSocket, Timers } from "./socket.ts";
import type { AnySide, End, Handlers, Listeners, Method, Ours, Theirs } from "./types.ts";

export type PeerOptions<C extends SocketContract, E extends End> = {
  readonly contract: C;
  readonly end: E;
  readonly socket: FrameSocket;
  readonly timers: Timers;
  readonly handlers: Handlers<Theirs<C, E>["requests"]>;
  readonly listeners?: Listeners<Theirs<C, E>["notifications"]>;
  /** Requests of the other end that may be open at once; more are refused with 60030. */
  readonly openMax?: number;
  readonly onClose?: (code: number, reason: string) => void;
  readonly log: PeerLog;
};

/** One end of a socket that carries request and notify. */
export interface Peer<C extends SocketContract, E extends End> {
  /** Answers within the method's deadline; when the link closes every open request becomes unknown. Never rejects. */
  request<M extends Method<Ours<C, E>["requests"]>>(
    method: M,
    data: z.input<Ours<C, E>["requests"][M]["input"]>,
    options?: { deadlineMs?: number },
  ): Promise<Answer<z.output<Ours<C, E>["requests"][M]["output"]>>>;
  notify<M extends Method<Ours<C, E>["notifications"]>>(method: M, data: z.input<Ours<C, E>["notifications"][M]>): void;
  close(code: number, reason: string): void;
  /** Bytes waiting to leave: a slow reader. */
  waitingBytes(): number;
  readonly closed: boolean;
}

const OPEN_MAX = 64;

type AnyHandlers = Parameters<typeof answerRequests>[0]["handlers"];
type AnyListeners = Parameters<typeof hearNotifications>[1];

export function createPeer<C extends SocketContract, E extends End>(options: PeerOptions<C, E>): Peer<C, E> {
  const { contract, end, socket, log } = options;
  const ours: AnySide = contract[end];
  const theirs: AnySide = contract[end === "client" ? "server" : "client"];
  const waiting = openRequests(options.timers);
  const silence = watchSilence(options.timers, () => {
    // A dead line would keep the closing of the socket itself waiting for long.
    gone(CLOSE.later, "silent");
    socket.close(CLOSE.later, "silent");
  });
  const beat = ({ everyMs }: z.output<typeof Beat>): void => silence.expect(everyMs);
  const heard = hearNotifications(theirs.notifications, { [BEAT]: beat, ...options.listeners } as AnyListeners, log);
  const answer = answerRequests({
    requests: theirs.requests,
    handlers: options.handlers as AnyHandlers,
    openMax: options.openMax ?? OPEN_MAX,
    send,
    answering: (open) => socket.answering?.(open),
    log,
  });
  let closed = false;

  function send(envelope: Envelope): void {
    if (!closed) socket.send(JSON.stringify(envelope));
  }

  function gone(code: number, reason: string): void {
    if (closed) return;
    closed = true;
    silence.stop();
    waiting.closeAll();
    options.onClose?.(code, reason);
  }

  function route(envelope: Envelope): void {
    // What still comes of a connection that was given up is nobody's.
    if (closed) return;
    silence.heard();
    if ("request" in envelope) void answer(envelope.id, envelope.method, envelope.data);
    else if ("notification" in envelope) heard(envelope.method, envelope.data);
    else if (envelope.ok) waiting.done(envelope.id, envelope.data);
    else {
      const { errorCode, errorReason, errorParams } = envelope;
      waiting.refused(envelope.id, refusalOf(errorCode, errorReason ?? "", errorParams));
    }
  }

  listenTo(socket, contract.frameBytesMax, log, route, gone, allowMalformed(end, options.timers));

  return {
    async request(method, data, more) {
      const spec = ours.requests[method] as RequestSpec;
      if (closed) return { is: "unknown", cause: "closed" };
      const { id, answered } = waiting.open(more?.deadlineMs ?? spec.deadlineMs);
      send({ request: true, id, method, data });
      const raw = await answered;
      if (raw.is !== "done") return raw;
      const output = z.safeParse(spec.output, raw.data ?? {});
      if (output.success) return { is: "done", data: output.data as never };
      log(firstIssue(method, output.error));
      return { is: "unknown", cause: "malformed" };
    },
    notify: (method, data) => send({ notification: true, method, data }),
    close: (code, reason) => socket.close(code, reason),
    waitingBytes: () => socket.waitingBytes(),
    get closed() {
      return closed;
    },
  };
}

/** A client drops so many malformed frames of its server within `MALFORMED_MS`; one more closes the socket. */
const MALFORMED_MAX = 5;
const MALFORMED_MS = 10_000;

/** True for a malformed frame that is dropped alone: one slip of a server must not cost a player the seat. A burst is another matter. */
function allowMalformed(end: End, timers: Timers): () => boolean {
  if (end === "server") return () => false;
  let recent = 0;
  return () => {
    if (recent >= MALFORMED_MAX) return false;
    recent += 1;
    timers.after(MALFORMED_MS, () => {
      recent -= 1;
    });
    return true;
  };
}

/** Parses every frame; one that breaks the rules closes the socket with a sentence, unless it may be dropped alone. */
function listenTo(
  socket: FrameSocket,
  frameBytesMax: number,
  log: PeerLog,
  route: (envelope: Envelope) => void,
  closed: (code: number, reason: string) => void,
  mayBeMalformed: () => boolean,
): void {
  const broken = (code: number, sentence: string): void => {
    log(sentence);
    socket.close(code, sentence);
  };
  socket.listen({
    text(frame) {
      if (frame.length > frameBytesMax) {
        broken(CLOSE.tooLarge, "The frame is too large");
        return;
      }
      const parsed = z.safeParse(Envelope, parseJson(frame));
      if (parsed.success) route(parsed.data);
      else if (mayBeMalformed()) log("A malformed frame was dropped.");
      else broken(CLOSE.malformed, "The frame is malformed");
    },
    binary: () => broken(CLOSE.malformed, "Binary frames are not spoken here"),
    closed,
  });
}

function parseJson(frame: string): unknown {
  try {
    return JSON.parse(frame);
  } catch {
    return undefined;
  }
}
