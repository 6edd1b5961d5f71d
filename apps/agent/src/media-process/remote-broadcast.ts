import type { MachineBroadcast, MachineViewer } from "../media/broadcast.ts";
import type { ViewerRequest } from "../media/viewer/viewer.ts";
import type { Glass } from "../ports/driver.ts";
import { OfferProblem, PlacesTaken } from "../ports/transport.ts";
import type { RecordOrder } from "../recording/recorder.ts";
import type { CoreMessage, LaneStats, MediaAnswer, RecordMessage, ViewerMessage } from "./messages.ts";

/** Unanswered presses of one viewer; a page has one or two. */
export const PRESSES_OPEN_MAX = 32;
/** Candidates of our side that are forwarded for one connection. */
const CANDIDATES_MAX = 256;
/** Connections of one machine at once: 16 viewers, and the connections that they have replaced. */
const CONNECTIONS_MAX = 128;
/** The platform waits 8 s for the answer to an offer. */
const OFFER_MS_MAX = 7_000;
const STILL_MS_MAX = 4_500;
const CLOSE_MS_MAX = 3_000;
/** What waits for a slow disk may take this long to be written. */
const RECORD_MS_MAX = 10_000;

type Of<K extends ViewerMessage["is"]> = Extract<ViewerMessage, { is: K }>;

/** The connection of a machine's broadcast to the present media process. */
export interface MediaLink {
  send(message: CoreMessage): void;
  /** Rejects with an `OfferProblem` when the offer is refused, and when the media process is absent, ends, or is silent for `waitMs`. */
  request(message: (ask: number) => CoreMessage, waitMs: number): Promise<MediaAnswer>;
  /** A number that no viewer has had. */
  newViewer(): number;
  /** A sentence for the log. */
  problem(sentence: string): void;
  /** The broadcast is closed. */
  left(): void;
}

type Connection = { readonly request: ViewerRequest; presses: number; candidates: number };

/**
 * A machine's broadcast, made in the media process. The core keeps the rights: it admits each viewer under a number, with the role and the
 * seat of its offer, and a press counts for that viewer. Messages for a number that the core did not assign, or has closed, are ignored.
 */
export class RemoteBroadcast implements MachineBroadcast {
  readonly #machine: string;
  readonly #glass: Glass | undefined;
  readonly #link: MediaLink;
  readonly #connections = new Map<number, Connection>();
  readonly #stopWatching: (() => void) | undefined;
  #record: RecordOrder | undefined;
  #lanes: LaneStats[] = [];
  #picturedAt: number | undefined;
  #closed = false;
  #changed = false;

  constructor(machine: string, glass: Glass | undefined, link: MediaLink) {
    this.#machine = machine;
    this.#glass = glass;
    this.#link = link;
    this.#stopWatching = glass?.onChange(() => this.#change());
  }

  async addViewer(request: ViewerRequest): Promise<{ sdp: string; viewer: MachineViewer }> {
    if (this.#closed) throw new OfferProblem("The machine's video is closed; try another machine.");
    if (this.#connections.size >= CONNECTIONS_MAX) throw new PlacesTaken();
    const viewer = this.#link.newViewer();
    const { viewerId, role, sdp, iceServers, framesPerSecond, complete } = request;
    this.#connections.set(viewer, { request, presses: 0, candidates: 0 });
    const offer = { machine: this.#machine, viewer, viewerId, role, sdp, iceServers, framesPerSecond, complete };
    try {
      const answer = await this.#link.request((ask) => ({ is: "offer", ask, ...offer }), OFFER_MS_MAX);
      return { sdp: sdpOf(answer), viewer: this.#viewer(viewer, request) };
    } catch (error) {
      this.#connections.delete(viewer);
      throw error;
    }
  }

  viewers(): MachineViewer[] {
    const last = new Map(
      [...this.#connections].map(([viewer, { request }]) => [request.viewerId, { viewer, request }]),
    );
    return [...last.values()].map(({ viewer, request }) => this.#viewer(viewer, request));
  }

  async still(): Promise<Buffer> {
    const answer = await this.#link.request((ask) => ({ is: "still", ask, machine: this.#machine }), STILL_MS_MAX);
    if (answer.is === "still") return Buffer.from(answer.webp, "base64");
    throw new Error("sentence" in answer ? answer.sentence : "The media process gave no still.");
  }

  stats(): LaneStats[] {
    return this.#lanes;
  }

  picturedAt(): number | undefined {
    return this.#picturedAt;
  }

  async record(order: RecordOrder | undefined): Promise<void> {
    const before = this.#record;
    const machine = this.#machine;
    const place = order && {
      ...{ folder: order.folder, first: order.first, key: Buffer.from(order.sessionKey).toString("hex") },
    };
    // What is still written of the record before is reported to the order before.
    if (before !== undefined)
      await this.#link.request((ask) => ({ is: "record", ask, machine }), RECORD_MS_MAX).catch(() => undefined);
    this.#record = order;
    if (place !== undefined) await this.#link.request((ask) => ({ is: "record", ask, machine, place }), RECORD_MS_MAX);
  }

  gameBegan(): void {
    this.#link.send({ is: "game", machine: this.#machine });
  }

  /** What the media process says of the record, checked by its schema and no further. */
  recorded(message: RecordMessage): void {
    if (message.is === "recorded") this.#record?.sealed(message.segment);
    else this.#record?.failed(message.sentence);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopWatching?.();
    this.#connections.clear();
    this.#link.left();
    const shut = this.#link.request((ask) => ({ is: "shut", ask, machine: this.#machine }), CLOSE_MS_MAX);
    await shut.catch(() => undefined);
  }

  /** A new media process, which does not know this machine yet. */
  begin(): void {
    this.#link.send({ is: "open", machine: this.#machine, view: this.#glass?.view() });
  }

  /** The media process has ended, and every connection with it. */
  lost(): void {
    this.figures([], undefined);
    const gone = [...this.#connections.values()];
    this.#connections.clear();
    const record = this.#record;
    this.#record = undefined;
    record?.lost();
    for (const { request } of gone) request.closed?.("The media process has ended.");
  }

  /** A message of the media process about a viewer, checked by its schema and no further. */
  receive(message: ViewerMessage): void {
    const connection = this.#connections.get(message.viewer);
    if (connection === undefined) return;
    if (message.is === "press") void this.#press(connection, message);
    else if (message.is === "state") this.#state(connection, message);
    else if (connection.candidates < CANDIDATES_MAX) {
      connection.candidates += 1;
      const { candidate, sdpMid } = message;
      connection.request.candidate?.({ candidate, sdpMid });
    }
  }

  /** What the media process says of the machine's video with each heartbeat. */
  figures(lanes: LaneStats[], picturedAt: number | undefined): void {
    this.#lanes = lanes;
    this.#picturedAt = picturedAt;
  }

  /** Changes of one event-loop run are sent once, together: the effects of a press appear at once. */
  #change(): void {
    if (this.#changed) return;
    this.#changed = true;
    setImmediate(() => {
      this.#changed = false;
      if (!this.#closed) this.#link.send({ is: "view", machine: this.#machine, view: this.#glass?.view() });
    });
  }

  #forget(viewer: number, { viewerId }: ViewerRequest): void {
    const others = [...this.#connections].filter(([, { request }]) => request.viewerId === viewerId);
    const last = others.every(([other]) => other <= viewer);
    // The last connection also ends those before it, which may have continued in its place.
    for (const [other] of others) if (last || other === viewer) this.#connections.delete(other);
  }

  #viewer(viewer: number, request: ViewerRequest): MachineViewer {
    const { viewerId, role } = request;
    const machine = this.#machine;
    const known = (): boolean => this.#connections.has(viewer);
    return {
      viewerId,
      role,
      addCandidate: (candidate) => {
        if (known()) this.#link.send({ is: "candidate", machine, viewer, ...candidate });
      },
      renegotiate: async (sdp) => {
        if (!known()) throw new OfferProblem("The connection has ended; join again.");
        return sdpOf(await this.#link.request((ask) => ({ is: "restart", ask, machine, viewer, sdp }), OFFER_MS_MAX));
      },
      close: async () => {
        if (!known()) return;
        this.#forget(viewer, request);
        await this.#link.request((ask) => ({ is: "leave", ask, machine, viewer }), CLOSE_MS_MAX).catch(() => undefined);
      },
    };
  }

  async #press(connection: Connection, { viewer, press, frame, picturedAt }: Of<"press">): Promise<void> {
    const { role, presses } = connection.request;
    if (role !== "player" || presses === null || connection.presses >= PRESSES_OPEN_MAX) return;
    this.#picturedAt = picturedAt;
    connection.presses += 1;
    let reply: Uint8Array | null = null;
    try {
      reply = await presses.receive(Buffer.from(frame, "base64"));
    } catch (error) {
      this.#link.problem(`A press could not be answered: ${error instanceof Error ? error.message : String(error)}`);
    }
    connection.presses -= 1;
    const answer = reply === null ? null : Buffer.from(reply).toString("base64");
    this.#link.send({ is: "reply", machine: this.#machine, viewer, press, frame: answer });
  }

  #state({ request }: Connection, { viewer, state }: Of<"state">): void {
    if (state === "closed") this.#forget(viewer, request);
    if (state === "connected") request.connected?.();
    else if (state === "interrupted") request.interrupted?.();
    else request.closed?.("The connection has ended.");
  }
}

function sdpOf(answer: MediaAnswer): string {
  if (answer.is === "answer") return answer.sdp;
  if (answer.is === "full") throw new PlacesTaken();
  throw new OfferProblem("sentence" in answer ? answer.sentence : "The offer was not answered.");
}
