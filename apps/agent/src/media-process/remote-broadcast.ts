import type { MachineBroadcast, MachineViewer, ViewerRequest } from "../media/broadcast.ts";
import type { LaneStats } from "../media/lane.ts";
import { OfferProblem } from "../ports/transport.ts";
import type { Glass } from "../supervisor/driver.ts";
import type { CoreMessage, MediaAnswer, ViewerMessage } from "./messages.ts";

/** Presses of one viewer that may wait for their answer; a page has one or two. */
export const PRESSES_OPEN_MAX = 32;
/** Candidates of our side that are passed on for one connection. */
const CANDIDATES_MAX = 256;
/** Connections of one machine that are known at once: 16 viewers, and those that they have replaced. */
const CONNECTIONS_MAX = 128;
/** The platform waits 8 s for the answer to an offer. */
const OFFER_MS_MAX = 7_000;
const STILL_MS_MAX = 4_500;
const CLOSE_MS_MAX = 3_000;

/** The media process that runs now, as a machine's broadcast reaches it. */
export interface MediaLine {
  send(message: CoreMessage): void;
  /** Rejects with an `OfferProblem` when the offer is refused, or when there is no media process now, or it ends or is silent for `waitMs`. */
  ask(message: (ask: number) => CoreMessage, waitMs: number): Promise<MediaAnswer>;
  /** A number that no viewer had before. */
  newViewer(): number;
  /** A sentence for the log. */
  problem(sentence: string): void;
  /** The broadcast is closed. */
  left(): void;
}

/** A machine's broadcast, made in the media process. */
export interface RemoteBroadcast extends MachineBroadcast {
  /** A new media process: it knows nothing of this machine yet. */
  begin(): void;
  /** The media process has ended, and every connection with it. */
  lost(): void;
  /** What the media process says of a viewer, checked by its schema and no further. */
  hear(message: ViewerMessage): void;
  figures(lanes: LaneStats[]): void;
}

type Connection = {
  readonly request: ViewerRequest;
  presses: number;
  candidates: number;
};

/**
 * Rights stay here: a viewer is whom the core has let in under a number, with the role and the seat of its offer, and a press counts as that
 * one's. A number that the core did not give out, or has closed, is not heard.
 */
export function createRemoteBroadcast(machine: string, glass: Glass | undefined, line: MediaLine): RemoteBroadcast {
  const connections = new Map<number, Connection>();
  let lanes: LaneStats[] = [];
  let closed = false;
  let shown = false;

  /** Everything that has changed in one go is told once, at its end: what a press changes is not shown in parts. */
  const change = (): void => {
    if (shown) return;
    shown = true;
    setImmediate(() => {
      shown = false;
      if (!closed) line.send({ is: "view", machine, view: glass?.view() });
    });
  };
  const stopWatching = glass?.onChange(change);

  function forget(viewer: number): void {
    const known = connections.get(viewer);
    if (known === undefined) return;
    const { viewerId } = known.request;
    const later = [...connections].some(([other, { request }]) => other > viewer && request.viewerId === viewerId);
    // The last one speaks for those before it, which may have gone on in its name.
    for (const [other, { request }] of connections)
      if (other === viewer || (!later && request.viewerId === viewerId)) connections.delete(other);
  }

  function viewerOf(viewer: number, { viewerId, role }: ViewerRequest): MachineViewer {
    return {
      viewerId,
      role,
      addCandidate: (candidate) => {
        if (connections.has(viewer)) line.send({ is: "candidate", machine, viewer, ...candidate });
      },
      async renegotiate(sdp) {
        if (!connections.has(viewer)) throw new OfferProblem("The connection has ended; join again.");
        return sdpOf(await line.ask((ask) => ({ is: "restart", ask, machine, viewer, sdp }), OFFER_MS_MAX));
      },
      async close() {
        if (!connections.has(viewer)) return;
        forget(viewer);
        await line.ask((ask) => ({ is: "leave", ask, machine, viewer }), CLOSE_MS_MAX).catch(() => undefined);
      },
    };
  }

  async function press({ viewer, press: number, frame }: Extract<ViewerMessage, { is: "press" }>): Promise<void> {
    const connection = connections.get(viewer);
    if (connection === undefined || connection.request.role !== "player") return;
    if (connection.presses >= PRESSES_OPEN_MAX) return;
    connection.presses += 1;
    let reply: Uint8Array | null = null;
    try {
      reply = await connection.request.onPress(Buffer.from(frame, "base64"));
    } catch (error) {
      line.problem(`A press could not be answered: ${error instanceof Error ? error.message : String(error)}`);
    }
    connection.presses -= 1;
    const answer = reply === null ? null : Buffer.from(reply).toString("base64");
    line.send({ is: "reply", machine, viewer, press: number, frame: answer });
  }

  function state({ viewer, state: now }: Extract<ViewerMessage, { is: "state" }>): void {
    const request = connections.get(viewer)?.request;
    if (now === "closed") forget(viewer);
    if (now === "connected") request?.connected?.();
    else if (now === "interrupted") request?.interrupted?.();
    else request?.closed?.("The connection has ended.");
  }

  return {
    async addViewer(request) {
      if (closed) throw new OfferProblem("The machine's picture is closed; try another machine.");
      if (connections.size >= CONNECTIONS_MAX) throw new OfferProblem("Too many watch this machine; try again later.");
      const viewer = line.newViewer();
      const { viewerId, role, sdp, iceServers, framesPerSecond } = request;
      connections.set(viewer, { request, presses: 0, candidates: 0 });
      try {
        const answer = await line.ask(
          (ask) => ({ is: "offer", ask, machine, viewer, viewerId, role, sdp, iceServers, framesPerSecond }),
          OFFER_MS_MAX,
        );
        return { sdp: sdpOf(answer), viewer: viewerOf(viewer, request) };
      } catch (error) {
        connections.delete(viewer);
        throw error;
      }
    },
    viewers: () => {
      const byId = new Map([...connections].map(([viewer, { request }]) => [request.viewerId, { viewer, request }]));
      return [...byId.values()].map(({ viewer, request }) => viewerOf(viewer, request));
    },
    async still() {
      const answer = await line.ask((ask) => ({ is: "still", ask, machine }), STILL_MS_MAX);
      if (answer.is === "still") return Buffer.from(answer.webp, "base64");
      throw new Error("sentence" in answer ? answer.sentence : "The media process gave no still.");
    },
    stats: () => lanes,
    async close() {
      if (closed) return;
      closed = true;
      stopWatching?.();
      connections.clear();
      line.left();
      await line.ask((ask) => ({ is: "shut", ask, machine }), CLOSE_MS_MAX).catch(() => undefined);
    },
    begin: () => line.send({ is: "open", machine, view: glass?.view() }),
    lost() {
      lanes = [];
      const gone = [...connections.values()];
      connections.clear();
      for (const { request } of gone) request.closed?.("The media process has ended.");
    },
    hear(message) {
      if (message.is === "press") void press(message);
      else if (message.is === "state") state(message);
      else {
        const connection = connections.get(message.viewer);
        if (connection === undefined || connection.candidates >= CANDIDATES_MAX) return;
        connection.candidates += 1;
        const { candidate, sdpMid } = message;
        connection.request.candidate?.({ candidate, sdpMid });
      }
    },
    figures: (now) => {
      lanes = now;
    },
  };
}

function sdpOf(answer: MediaAnswer): string {
  if (answer.is === "answer") return answer.sdp;
  throw new OfferProblem("sentence" in answer ? answer.sentence : "The offer was not answered.");
}
