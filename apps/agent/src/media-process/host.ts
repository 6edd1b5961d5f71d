import { randomBytes } from "node:crypto";
import { addressOfMachine } from "@longarm/link/environment";
import { driverOf } from "../drivers/registry.ts";
import type { Broadcast, BroadcastDeps } from "../media/broadcast.ts";
import { createBroadcast } from "../media/broadcast.ts";
import { postOffer } from "../media/crowd/whip.ts";
import type { EncoderChoice } from "../media/encoder/encoder-choice.ts";
import { createEncoderChoice } from "../media/encoder/encoder-choice.ts";
import type { EncoderName } from "../media/encoder/h264-encoders.ts";
import { tryInChild } from "../media/encoder/try-in-child.ts";
import { rehearse } from "../media/rehearsal.ts";
import { openTransport } from "../media/transport/werift/transport.ts";
import type { BroadcastViewer, PressReceiver } from "../media/viewer/viewer.ts";
import type { Clock } from "../ports/clock.ts";
import type { Painter } from "../ports/driver.ts";
import { OfferProblem, PlacesTaken } from "../ports/transport.ts";
import type { RateLimit } from "../rate-limit.ts";
import { createRateLimit } from "../rate-limit.ts";
import { sourcesOf } from "../sources/device-source.ts";
import { openInput } from "../sources/open-input.ts";
import { systemClock, wallNow } from "../system-clock.ts";
import { systemFiles } from "../system-files.ts";
import type { CoreMessage, MediaMachine, MediaMessage, MediaStart } from "./messages.ts";
import { PRESSES_OPEN_MAX } from "./remote-broadcast.ts";

/** Presses of one viewer that are passed to the core in a second, and at once; a page sends a dozen at most. */
const PRESSES = [40, 60] as const;
/** Maximum length of a sentence for the log, characters. */
const SENTENCE_MAX = 500;

const disk = { files: systemFiles, random: randomBytes };

type Of<K extends CoreMessage["is"]> = Extract<CoreMessage, { is: K }>;
type Request = { readonly ask: number };

/** The media process's side: a broadcast for each machine that the core has open. */
export interface Host {
  receive(message: CoreMessage): void;
  lanes(): Extract<MediaMessage, { is: "beat" }>["lanes"];
  /** Paints in advance what the first frame of a machine needs. */
  prepare(): Promise<void>;
  /** Runs the code of a first connection, unless somebody watches already. */
  rehearse(): Promise<void>;
  /** What is opened next for H.264. */
  encoder(): EncoderName;
  /** Tries the hardware encoder that is wished for, if one is. Encoders that are opened later are of it, where it keeps what it must. */
  tryEncoder(): Promise<void>;
}

export async function startHost(start: MediaStart, send: (message: MediaMessage) => void): Promise<Host> {
  const clock = systemClock(start.epochMs);
  const transport = openTransport(clock, start.media);
  const machines = new Map<string, HostedMachine>();
  const encoders = createEncoderChoice(clock);
  const painters = await loadPainters(start.machines);
  const known = new Map(start.machines.map((machine) => [machine.id, machine]));

  function open({ machine, view }: Of<"open" | "view">): void {
    const plan = known.get(machine);
    if (plan === undefined) return;
    const problem = (sentence: string) => send({ is: "problem", machine, sentence: sentence.slice(0, SENTENCE_MAX) });
    const painted = painters.get(plan.driver)?.open(plan.paint, view, clock);
    const sources = sourcesOf(plan, painted, { clock, wallNow, openInput, problem });
    const broadcast = createBroadcast({
      ...sources,
      transport,
      clock,
      encoders,
      problem,
      disk,
      crowd: crowdOf(start, machine, clock),
    });
    machines.set(machine, hostMachine(plan, { broadcast, show: painted?.show, send, clock }));
  }

  async function shut({ ask, machine }: Of<"shut" | "still">): Promise<void> {
    const hosted = machines.get(machine);
    machines.delete(machine);
    await hosted?.broadcast.close();
    send({ is: "done", ask });
  }

  return {
    receive(message) {
      if (message.is === "open") return open(message);
      if (message.is === "shut") return void attempt(send, message, () => shut(message as Of<"shut">));
      if (message.is === "start") return;
      const hosted = machines.get(message.machine);
      if (hosted !== undefined) hosted.receive(message);
      else if ("ask" in message) send({ is: "refused", ask: message.ask, sentence: "The machine is closed." });
    },
    lanes: () =>
      [...machines]
        .map(([machine, { broadcast }]) => ({ machine, lanes: broadcast.stats(), picturedAt: broadcast.picturedAt() }))
        .filter(({ lanes }) => lanes.length > 0),
    async prepare() {
      for (const { driver, paint } of start.machines.filter(({ picture }) => picture === undefined)) {
        await painters
          .get(driver)
          ?.prepare(paint)
          .catch(() => undefined);
        // Each blocks the event loop for a while; a heartbeat is sent between them.
        await new Promise((go) => setImmediate(go));
      }
    },
    async rehearse() {
      const watched = [...machines.values()].some(({ broadcast }) => broadcast.viewers().length > 0);
      if (!watched && start.media.relay !== "only") await rehearse(transport, clock);
    },
    encoder: encoders.now,
    async tryEncoder() {
      const why = await tryWished(start.encoder, encoders, clock);
      if (why !== undefined) send({ is: "problem", sentence: why.slice(0, SENTENCE_MAX) });
    },
  };
}

/** Has an encoder used once its trial has passed; else the reason why not. */
async function tryWished(
  encoder: EncoderName | undefined,
  encoders: EncoderChoice,
  clock: Clock,
): Promise<string | undefined> {
  if (encoder === undefined || encoder === "x264") return undefined;
  const found = await tryInChild(encoder, { clock });
  if (found.is !== "kept") return `The encoder ${encoder} is not used, and x264 encodes: ${found.why}`;
  encoders.use(encoder);
  return undefined;
}

/** Where a machine is published for a crowd. */
function crowdOf({ crowd = null }: MediaStart, machine: string, clock: Clock): BroadcastDeps["crowd"] {
  if (crowd === null) return undefined;
  const endpoint = { url: addressOfMachine(crowd.whip, machine), token: crowd.token };
  return {
    from: crowd.from,
    random: () => randomBytes(4).readUInt32BE() / 2 ** 32,
    post: (offer, signal) => postOffer(endpoint, offer, { clock, signal }),
  };
}

/** The painter of each driver that paints. */
async function loadPainters(machines: readonly MediaMachine[]): Promise<ReadonlyMap<string, Painter>> {
  const painters = new Map<string, Painter>();
  for (const driver of new Set(machines.map((machine) => machine.driver))) {
    const painter = await driverOf({ driver }).loadPainter?.();
    if (painter !== undefined) painters.set(driver, painter);
  }
  return painters;
}

type HostedMachine = { readonly broadcast: Broadcast; receive(message: CoreMessage): void };

type HostDeps = {
  readonly broadcast: Broadcast;
  /** Shows the painter what the machine's screen says; absent: nothing is painted. */
  readonly show: ((view: unknown) => void) | undefined;
  readonly send: (message: MediaMessage) => void;
  readonly clock: Clock;
};

/** Executes the core's messages for one machine. */
function hostMachine({ id: machine }: MediaMachine, { broadcast, show, send, clock }: HostDeps): HostedMachine {
  const viewers = new Map<number, BroadcastViewer>();
  const forwarder = createPressForwarder(machine, broadcast, send);

  async function offer({ ask, viewer, ...given }: Of<"offer">): Promise<void> {
    const state = (now: "connected" | "interrupted" | "closed") => send({ is: "state", machine, viewer, state: now });
    // The core takes presses of no other viewer either.
    const presses = given.role === "player" ? forwarder.receiver(viewer, createRateLimit(clock, ...PRESSES)) : null;
    const joined = await broadcast.addViewer({
      ...given,
      presses,
      connected: () => state("connected"),
      interrupted: () => state("interrupted"),
      closed: () => {
        viewers.delete(viewer);
        state("closed");
      },
      candidate: ({ candidate, sdpMid }) => send({ is: "candidate", machine, viewer, candidate, sdpMid }),
    });
    // The core's messages about a viewer are meant for its last connection.
    for (const [other, { viewerId }] of viewers) if (viewerId === given.viewerId) viewers.delete(other);
    viewers.set(viewer, joined.viewer);
    send({ is: "answer", ask, sdp: joined.sdp });
  }

  async function restart({ ask, viewer, sdp }: Of<"restart">): Promise<void> {
    const known = viewers.get(viewer);
    if (known === undefined) throw new OfferProblem("The connection has ended; join again.");
    send({ is: "answer", ask, sdp: await known.renegotiate(sdp) });
  }

  async function leave({ ask, viewer }: Of<"leave">): Promise<void> {
    const known = viewers.get(viewer);
    viewers.delete(viewer);
    await known?.close();
    send({ is: "done", ask });
  }

  async function record({ ask, place }: Of<"record">): Promise<void> {
    await broadcast.record(
      place && {
        ...{ folder: place.folder, first: place.first, sessionKey: Buffer.from(place.key, "hex") },
        sealed: (segment) => send({ is: "recorded", machine, segment }),
        failed: (why) => send({ is: "unrecorded", machine, sentence: why.slice(0, SENTENCE_MAX) }),
        // It ends with this process, which says so by ending.
        lost: () => undefined,
      },
    );
    send({ is: "done", ask });
  }

  async function still({ ask }: Request): Promise<void> {
    send({ is: "still", ask, webp: (await broadcast.still()).toString("base64") });
  }

  return {
    broadcast,
    receive(message) {
      if (message.is === "reply") forwarder.answered(message);
      else if (message.is === "view") show?.(message.view);
      else if (message.is === "game") broadcast.gameBegan();
      else if (message.is === "record") void attempt(send, message, () => record(message));
      else if (message.is === "candidate") viewers.get(message.viewer)?.addCandidate(message);
      else if (message.is === "offer") void attempt(send, message, () => offer(message));
      else if (message.is === "restart") void attempt(send, message, () => restart(message));
      else if (message.is === "leave") void attempt(send, message, () => leave(message));
      else if (message.is === "still") void attempt(send, message as Of<"still">, () => still(message as Of<"still">));
    },
  };
}

/** Passes presses to the core, and its answers back. With each goes how old the picture is that its player sees. */
function createPressForwarder(
  machine: string,
  broadcast: Pick<Broadcast, "picturedAt">,
  send: (message: MediaMessage) => void,
) {
  const waiting = new Map<number, (reply: Uint8Array | null) => void>();
  let numbers = 0;
  return {
    receiver(viewer: number, rateLimit: RateLimit): PressReceiver {
      let open = 0;
      return {
        async receive(message) {
          if (open >= PRESSES_OPEN_MAX || !rateLimit.take(1)) return null;
          open += 1;
          numbers += 1;
          const press = numbers;
          const reply = new Promise<Uint8Array | null>((answered) => waiting.set(press, answered));
          const picturedAt = broadcast.picturedAt();
          send({ is: "press", machine, viewer, press, picturedAt, frame: Buffer.from(message).toString("base64") });
          return await reply.finally(() => {
            open -= 1;
          });
        },
      };
    },
    answered({ press, frame }: Of<"reply">): void {
      const answered = waiting.get(press);
      waiting.delete(press);
      answered?.(frame === null ? null : Buffer.from(frame, "base64"));
    },
  };
}

/** Executes a request, and answers with the reason when it fails: the core waits for an answer. */
async function attempt(
  send: (message: MediaMessage) => void,
  { ask }: Request,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof PlacesTaken) return send({ is: "full", ask });
    const sentence = (error instanceof Error ? error.message : String(error)).slice(0, SENTENCE_MAX);
    send({ is: error instanceof OfferProblem ? "refused" : "failed", ask, sentence });
  }
}
