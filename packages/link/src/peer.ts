import type { Beat } from "@longarm/contract/envelope";
import { BEAT, CLOSE, Envelope } from "@longarm/contract/envelope";
import type { NotificationTable, RequestSpec, RequestTable, SocketContract } from "@longarm/contract/methods";
import * as z from "zod/mini";
import type { Answer, Handled, Refusal } from "./answer.ts";
import { refusalFields, refusalOf, refused } from "./answer.ts";
import type { FrameSocket, Stop, Timers } from "./socket.ts";
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
type AnyListeners = Parameters<typeof readNotifications>[1];

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
  const notified = readNotifications(theirs.notifications, { [BEAT]: beat, ...options.listeners } as AnyListeners, log);
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
    // Frames that still arrive on a closed connection are dropped.
    if (closed) return;
    silence.received();
    if ("request" in envelope) void answer(envelope.id, envelope.method, envelope.data);
    else if ("notification" in envelope) notified(envelope.method, envelope.data);
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

type AnyListener = (data: unknown) => void;

/** Gives parsed notifications to their listeners; unknown ones are ignored, bad ones logged and dropped. */
function readNotifications(
  notifications: NotificationTable,
  listeners: Readonly<Record<string, AnyListener | undefined>>,
  log: PeerLog,
) {
  return (method: string, data: unknown): void => {
    const schema = Object.hasOwn(notifications, method) ? notifications[method] : undefined;
    if (schema === undefined) return;
    const parsed = z.safeParse(schema, data ?? {});
    if (!parsed.success) {
      log(firstIssue(method, parsed.error));
      return;
    }
    try {
      listeners[method]?.(parsed.data);
    } catch (error) {
      log(`The listener of ${method} failed.`, error);
    }
  };
}

/** Turns without a frame before the other end counts as gone. */
const SILENT_TURNS_MAX = 4;

/**
 * Notices that the other end went silent although it sends beats. Turns are counted instead of time: a page or a process that was itself
 * suspended reads the frames that arrived meanwhile before its next turn, and must not take its own sleep for the other end's silence.
 */
function watchSilence(timers: Timers, gone: () => void) {
  let everyMs = 0;
  let silentTurns = 0;
  let stop: Stop | undefined;
  const turn = (): void => {
    silentTurns += 1;
    if (silentTurns >= SILENT_TURNS_MAX) gone();
    else stop = timers.after(everyMs, turn);
  };
  return {
    received(): void {
      silentTurns = 0;
    },
    /** From now on a frame must arrive each `ms`. */
    expect(ms: number): void {
      everyMs = ms;
      stop ??= timers.after(ms, turn);
    },
    stop: (): void => stop?.(),
  };
}

type Waiting = { readonly settle: (answer: Answer<unknown>) => void; readonly stop: Stop };

/** Ids of the public protocol are 32 bit; they only need to differ among open requests. */
const ID_MAX = 0xffff_ffff;

/** The requests of one socket that wait for their answer. Each is settled exactly once. */
function openRequests(timers: Timers) {
  const waiting = new Map<number, Waiting>();
  let last = 0;

  function settle(id: number, answer: Answer<unknown>): void {
    const open = waiting.get(id);
    if (open === undefined) return;
    waiting.delete(id);
    open.stop();
    open.settle(answer);
  }

  return {
    /** Opens one; without an answer after `deadlineMs` it is unknown. */
    open(deadlineMs: number): { id: number; answered: Promise<Answer<unknown>> } {
      last = last >= ID_MAX ? 1 : last + 1;
      const id = last;
      const answered = new Promise<Answer<unknown>>((settled) => {
        const stop = timers.after(deadlineMs, () => settle(id, { is: "unknown", cause: "deadline" }));
        waiting.set(id, { settle: settled, stop });
      });
      return { id, answered };
    },
    done: (id: number, data: unknown) => settle(id, { is: "done", data }),
    refused: (id: number, refusal: Refusal) => settle(id, { is: "refused", refusal }),
    closeAll(): void {
      for (const id of [...waiting.keys()]) settle(id, { is: "unknown", cause: "closed" });
    },
  };
}

type AnyHandler = (input: unknown) => Handled<unknown> | Promise<Handled<unknown>>;

type Answering = {
  readonly requests: RequestTable;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** Requests that may be open at once. */
  readonly openMax: number;
  readonly send: (envelope: Envelope) => void;
  /** Called with the number of open requests whenever it changes; 0 only after the last answer was sent. */
  readonly answering?: ((open: number) => void) | undefined;
  readonly log: PeerLog;
};

/** Answers the other end's requests: each exactly once, whatever its handler does. */
function answerRequests({ requests, handlers, openMax, send, answering, log }: Answering) {
  let open = 0;
  let unanswered = 0;

  async function handle(spec: RequestSpec, method: string, data: unknown): Promise<Handled<unknown>> {
    const input = z.safeParse(spec.input, data ?? {});
    if (!input.success) return refused("request.malformed", { detail: firstIssue(method, input.error) });
    if (open >= openMax) return refused("request.too_many", { params: { seconds: 1 } });
    open += 1;
    try {
      return (await handlers[method]?.(input.data)) ?? refused("request.malformed");
    } catch (error) {
      log(`The handler of ${method} failed.`, error);
      return refused("request.invalid", { detail: `${method} failed on our side` });
    } finally {
      open -= 1;
    }
  }

  return async (id: number, method: string, data: unknown): Promise<void> => {
    const spec = Object.hasOwn(requests, method) ? requests[method] : undefined;
    unanswered += 1;
    answering?.(unanswered);
    const handled =
      spec === undefined
        ? refused("request.malformed", { detail: `There is no request "${method}" here` })
        : await handle(spec, method, data);
    if (handled.is === "done") send({ response: true, id, ok: true, data: handled.data });
    else send({ response: true, id, ok: false, ...refusalFields(handled.problem) });
    unanswered -= 1;
    answering?.(unanswered);
  };
}

/** What a peer reports to its owner's log: a sentence, and the error behind it when there is one. */
type PeerLog = (sentence: string, error?: unknown) => void;

/** One sentence of what is wrong with a message: method, field, reason. */
function firstIssue(method: string, error: z.core.$ZodError): string {
  const issue = error.issues[0];
  return `"${method}": ${issue?.path.join(".") || "data"} ${issue?.message ?? "is not valid"}`.slice(0, 200);
}
