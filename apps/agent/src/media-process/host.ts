import { loadPainter } from "../drivers/simulated/index.ts";
import type { Broadcast, BroadcastViewer } from "../media/broadcast.ts";
import { createBroadcast } from "../media/broadcast.ts";
import { openTransport } from "../media-transport.ts";
import { OfferProblem } from "../ports/transport.ts";
import { openInput } from "../sources/open-input.ts";
import { picturesOf } from "../sources/pictures-of.ts";
import { systemClock, wallNow } from "../system-clock.ts";
import type { Budget } from "./budget.ts";
import { createBudget } from "./budget.ts";
import type { CoreMessage, MediaMachine, MediaMessage, MediaStart } from "./messages.ts";
import { PRESSES_OPEN_MAX } from "./remote-broadcast.ts";

/** Presses of one viewer that are handed to the core at once, and a second; a page sends a dozen at most. */
const PRESSES = [60, 40] as const;
/** Sentences for the log are cut here, characters. */
const SENTENCE_MAX = 500;

type Of<K extends CoreMessage["is"]> = Extract<CoreMessage, { is: K }>;
type Ask = { readonly ask: number };

/** The media process's side: a broadcast for each machine that the core has open. */
export interface Host {
  receive(message: CoreMessage): void;
  lanes(): Extract<MediaMessage, { is: "beat" }>["lanes"];
  /** Paints and makes beforehand what the first picture of a machine needs. */
  prepare(): Promise<void>;
}

export async function startHost(start: MediaStart, say: (message: MediaMessage) => void): Promise<Host> {
  const painter = await loadPainter();
  const clock = systemClock(start.epochMs);
  const transport = openTransport(clock, start.media);
  const machines = new Map<string, HostedMachine>();
  const known = new Map(start.machines.map((machine) => [machine.id, machine]));

  function open({ machine, view }: Of<"open" | "view">): void {
    const plan = known.get(machine);
    if (plan === undefined) return;
    const problem = (sentence: string) => say({ is: "problem", machine, sentence: sentence.slice(0, SENTENCE_MAX) });
    const glass = painter.mirrorGlass(view);
    const sources = picturesOf(plan, painter.paintedPictures(plan, glass, clock), {
      clock,
      wallNow,
      openInput,
      problem,
    });
    const broadcast = createBroadcast({ ...sources, transport, clock, problem });
    machines.set(machine, hostMachine(plan, { broadcast, glass, say, budget: () => createBudget(clock, ...PRESSES) }));
  }

  async function shut({ ask, machine }: Of<"shut" | "still">): Promise<void> {
    const hosted = machines.get(machine);
    machines.delete(machine);
    await hosted?.broadcast.close();
    say({ is: "done", ask });
  }

  return {
    receive(message) {
      if (message.is === "open") return open(message);
      if (message.is === "shut") return void attempt(say, message, () => shut(message as Of<"shut">));
      if (message.is === "start") return;
      const hosted = machines.get(message.machine);
      if (hosted !== undefined) hosted.receive(message);
      else if ("ask" in message) say({ is: "refused", ask: message.ask, sentence: "The machine is closed." });
    },
    lanes: () =>
      [...machines]
        .map(([machine, { broadcast }]) => ({ machine, lanes: broadcast.stats() }))
        .filter(({ lanes }) => lanes.length > 0),
    async prepare() {
      const brands = start.machines.filter(({ picture }) => picture === undefined).map(({ brand }) => brand);
      for (const brand of new Set(brands)) {
        await painter.prepare(brand).catch(() => undefined);
        // Each holds the event loop for a while; a beat goes between them.
        await new Promise((go) => setImmediate(go));
      }
    },
  };
}

type HostedMachine = { readonly broadcast: Broadcast; receive(message: CoreMessage): void };

type HostDeps = {
  readonly broadcast: Broadcast;
  readonly glass: { show(view: unknown): void };
  readonly say: (message: MediaMessage) => void;
  readonly budget: () => Budget;
};

/** Does what the core asks for one machine. */
function hostMachine({ id: machine }: MediaMachine, { broadcast, glass, say, budget }: HostDeps): HostedMachine {
  const viewers = new Map<number, BroadcastViewer>();
  const presses = createPresses(machine, say);

  async function offer({ ask, viewer, viewerId, role, sdp, iceServers, framesPerSecond }: Of<"offer">): Promise<void> {
    const state = (now: "connected" | "interrupted" | "closed") => say({ is: "state", machine, viewer, state: now });
    // The core would not hear a spectator either.
    const onPress = role === "player" ? presses.of(viewer, budget()) : () => null;
    const joined = await broadcast.addViewer({
      ...{ viewerId, role, sdp, iceServers, framesPerSecond, onPress },
      connected: () => state("connected"),
      interrupted: () => state("interrupted"),
      closed: () => {
        viewers.delete(viewer);
        state("closed");
      },
      candidate: ({ candidate, sdpMid }) => say({ is: "candidate", machine, viewer, candidate, sdpMid }),
    });
    // What the core says of a viewer is meant for its last connection.
    for (const [other, { viewerId: name }] of viewers) if (name === viewerId) viewers.delete(other);
    viewers.set(viewer, joined.viewer);
    say({ is: "answer", ask, sdp: joined.sdp });
  }

  async function restart({ ask, viewer, sdp }: Of<"restart">): Promise<void> {
    const known = viewers.get(viewer);
    if (known === undefined) throw new OfferProblem("The connection has ended; join again.");
    say({ is: "answer", ask, sdp: await known.renegotiate(sdp) });
  }

  async function leave({ ask, viewer }: Of<"leave">): Promise<void> {
    const known = viewers.get(viewer);
    viewers.delete(viewer);
    await known?.close();
    say({ is: "done", ask });
  }

  async function still({ ask }: Ask): Promise<void> {
    say({ is: "still", ask, webp: (await broadcast.still()).toString("base64") });
  }

  return {
    broadcast,
    receive(message) {
      if (message.is === "reply") presses.answered(message);
      else if (message.is === "view") glass.show(message.view);
      else if (message.is === "candidate") viewers.get(message.viewer)?.addCandidate(message);
      else if (message.is === "offer") void attempt(say, message, () => offer(message));
      else if (message.is === "restart") void attempt(say, message, () => restart(message));
      else if (message.is === "leave") void attempt(say, message, () => leave(message));
      else if (message.is === "still") void attempt(say, message as Of<"still">, () => still(message as Of<"still">));
    },
  };
}

/** Hands presses to the core and its answers back. */
function createPresses(machine: string, say: (message: MediaMessage) => void) {
  const waiting = new Map<number, (reply: Uint8Array | null) => void>();
  let numbers = 0;
  return {
    of(viewer: number, budget: Budget): (message: Uint8Array) => Promise<Uint8Array | null> {
      let open = 0;
      return async (message) => {
        if (open >= PRESSES_OPEN_MAX || !budget.take(1)) return null;
        open += 1;
        numbers += 1;
        const press = numbers;
        const reply = new Promise<Uint8Array | null>((answered) => waiting.set(press, answered));
        say({ is: "press", machine, viewer, press, frame: Buffer.from(message).toString("base64") });
        return await reply.finally(() => {
          open -= 1;
        });
      };
    },
    answered({ press, frame }: Of<"reply">): void {
      const answered = waiting.get(press);
      waiting.delete(press);
      answered?.(frame === null ? null : Buffer.from(frame, "base64"));
    },
  };
}

/** Does what was asked, and says why when that fails: the core waits for an answer. */
async function attempt(say: (message: MediaMessage) => void, { ask }: Ask, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const sentence = (error instanceof Error ? error.message : String(error)).slice(0, SENTENCE_MAX);
    say({ is: error instanceof OfferProblem ? "refused" : "failed", ask, sentence });
  }
}
