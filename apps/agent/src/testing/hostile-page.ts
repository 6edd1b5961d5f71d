import { CHANNEL_FRAME_BYTES_MAX, CHANNEL_OPTIONS } from "@longarm/contract/data-channel";
import type { RTCDataChannel } from "werift";
import { RTCPeerConnection } from "werift";
import { readConfig } from "../config/config.ts";
import { PictureConfig } from "../config/pictures.ts";
import { MediaProcess } from "../media-process/media-process.ts";
import type { MediaMachine } from "../media-process/messages.ts";
import type { Clock } from "../ports/clock.ts";
import type { DataChannelName } from "../ports/transport.ts";
import { createRateLimit } from "../rate-limit.ts";
import type { Grants } from "../seat/grants.ts";
import type { PressGuard, WirePress } from "../seat/press-guard.ts";
import type { Viewers } from "../seat/viewers.ts";
import { createViewers } from "../seat/viewers.ts";
import { epochOf, systemClock } from "../system-clock.ts";

/** Its picture costs least: no try depends on it. */
const MACHINE: MediaMachine = {
  ...{ id: "m-1", driver: "sas", sound: undefined, roomCamera: { kind: "none" }, paint: undefined },
  picture: PictureConfig.parse({ kind: "test", size: "64x64", rate: 1 }),
};
/** A connection may send 60 presses at once. After so many the page makes a new one, as an attacker would. */
const BURST = 55;
const KEPT_MAX = 256;
const WAIT_MS = 20_000;

/** What a page may send in the place of an honest frame. */
const SPOILED = {
  none: (frame: string) => frame,
  twoStakes: (frame: string) => `${frame.slice(0, -1)},"stake":1}`,
  twoEpochs: (frame: string) => `{"epoch":1,${frame.slice(1)}`,
  twoSeqs: (frame: string) => `${frame.slice(0, -1)},"seq":${Number.MAX_SAFE_INTEGER}}`,
  floatSeq: (frame: string) => frame.replace(/"seq":\d+/, "$&.5"),
  negativeSeq: (frame: string) => frame.replace(/"seq":/, "$&-"),
  textStake: (frame: string) => frame.replace(/"stake":(\d+)/, `"stake":"$1"`),
  negativeStake: (frame: string) => frame.replace(/"stake":/, "$&-"),
  endlessTime: (frame: string) => frame.replace(/"at":[\d.]+/, `"at":1e999`),
  prototype: (frame: string) => `{"__proto__":{"auto":false},${frame.slice(1)}`,
  cut: (frame: string) => frame.slice(0, -3),
  twice: (frame: string) => frame + frame,
  list: (frame: string) => `[${frame}]`,
  mark: (frame: string) => `\uFEFF${frame}`,
  empty: () => "",
  deep: () => "[".repeat(CHANNEL_FRAME_BYTES_MAX - 1),
  long: (frame: string) => frame + " ".repeat(CHANNEL_FRAME_BYTES_MAX),
  noText: () => Buffer.of(0xff, 0xfe, 0x00, 0x7b),
} as const satisfies Record<string, (frame: string) => string | Buffer>;
export const SPOILED_WAYS = Object.keys(SPOILED) as readonly (keyof typeof SPOILED)[];

/** How the frames of one try are put on the wire. */
export type Sending = {
  readonly spoiled?: keyof typeof SPOILED;
  /** The last one first. */
  readonly reversed?: boolean;
  readonly doubled?: boolean;
  /** So many earlier frames go with them, also of earlier epochs. */
  readonly replays?: number;
};

/** A frame as it came to the agent's core, and what the core answered. */
export type Arrived = { readonly press: Partial<WirePress> | undefined; readonly outcome: string | undefined };

/**
 * A page that an attacker wrote: WebRTC of its own into the agent's real media process, whose messages the core reads as always. So a frame passes
 * SCTP, the limits of the connection, the parsers of both processes and the guard.
 */
export class HostilePage {
  readonly #clock = systemClock();
  readonly #media: MediaProcess;
  readonly #broadcast: ReturnType<MediaProcess["makeBroadcast"]>;
  #viewers: Viewers | undefined;
  #peer: RTCPeerConnection | undefined;
  #channels = new Map<DataChannelName, RTCDataChannel>();
  #epoch = 0;
  #names = 0;
  #left = 0;
  #questions = 0;
  #kept: string[] = [];
  #onClock: () => void = () => undefined;
  /** Frames that the core has not answered yet. */
  #open: Promise<Arrived>[] = [];

  constructor() {
    const { media: defaults } = readConfig({ PLATFORM_URL: "ws://127.0.0.1:1", AGENT_KEY: "k".repeat(32) }, () => "");
    const addresses = { extraAddresses: ["127.0.0.1"], onlyExtraAddresses: true };
    const media = { ...defaults, ...addresses, candidates: { closed: [], open: ["127.0.0.0/8"] } };
    this.#media = new MediaProcess({
      start: { machines: [MACHINE], media, epochMs: epochOf(this.#clock) },
      ...{ clock: this.#clock, silentMsMax: 60_000, environment: process.env, problem: () => undefined },
    });
    this.#broadcast = this.#media.makeBroadcast(MACHINE.id, {});
  }

  /** The agent's core has this guard and these grants from now on; a new core has no viewers. */
  async meet(core: { readonly guard: PressGuard; readonly grants: Grants }): Promise<void> {
    await this.#viewers?.end();
    this.#left = 0;
    this.#viewers = createViewers({
      ...{ machineId: MACHINE.id, broadcast: this.#broadcast, grants: core.grants, staff: new Set() },
      clock: this.#clock,
      candidates: createRateLimit(this.#clock, 1_000),
      pressGuard: { ...core.guard, receiver: (epoch) => this.#watched(core.guard.receiver(epoch)) },
    });
  }

  /** Sends these presses, and waits until the core has answered all that passed. */
  async send(epoch: number, presses: readonly WirePress[], sending: Sending = {}): Promise<Arrived[]> {
    const frames = presses.map((press) => JSON.stringify(press));
    const old = Array.from({ length: sending.replays ?? 0 }, (_, n) => this.#kept[(n * 97) % this.#kept.length] ?? "");
    this.#kept = [...this.#kept, ...frames].slice(-KEPT_MAX);
    const ordered = sending.reversed === true ? frames.toReversed() : frames;
    const all = [...old, ...(sending.doubled === true ? [...ordered, ...ordered] : ordered)];
    if (epoch !== this.#epoch || this.#left < all.length) await this.#connect(epoch);
    this.#left -= all.length;
    for (const frame of all) this.#channels.get("press")?.send(SPOILED[sending.spoiled ?? "none"](frame) as string);
    return await this.#arrived();
  }

  async end(): Promise<void> {
    await this.#peer?.close();
    await this.#viewers?.end();
    await this.#media.end();
  }

  /** Both ways to the core keep their order: what was sent before is there when these two are answered. */
  async #arrived(): Promise<Arrived[]> {
    const reached = new Promise<void>((answered) => {
      this.#onClock = answered;
    });
    this.#questions += 1;
    this.#channels.get("clock")?.send(JSON.stringify({ t0: this.#questions }));
    await within(this.#clock, reached, "The media process did not answer.");
    await this.#broadcast
      .viewers()[0]
      ?.renegotiate("no offer")
      .catch(() => undefined);
    return await Promise.all(this.#open.splice(0));
  }

  #watched(receiver: ReturnType<PressGuard["receiver"]>): ReturnType<PressGuard["receiver"]> {
    return {
      receive: async (bytes) => {
        const answer = receiver.receive(bytes);
        this.#open.push(
          answer.then((reply) => ({ press: read(bytes), outcome: reply ? read(reply)?.["outcome"] : undefined })),
        );
        return await answer;
      },
    };
  }

  async #connect(epoch: number): Promise<void> {
    await this.#peer?.close();
    await this.#viewers?.close(`v${this.#names}`);
    this.#names += 1;
    const peer = new RTCPeerConnection({ iceAdditionalHostAddresses: ["127.0.0.1"], iceServers: [] });
    const opened = (["press", "clock"] as const).map((name) => {
      const channel = peer.createDataChannel(name, name === "clock" ? {} : CHANNEL_OPTIONS);
      this.#channels.set(name, channel);
      return new Promise<void>((open) => channel.stateChanged.subscribe((state) => state === "open" && open()));
    });
    this.#channels.get("clock")?.onMessage.subscribe(() => this.#onClock());
    this.#peer = peer;
    this.#epoch = epoch;
    this.#left = BURST;
    const gathered = new Promise<void>((done) =>
      peer.iceGatheringStateChange.subscribe((state) => state === "complete" && done()),
    );
    await peer.setLocalDescription(await peer.createOffer());
    await within(this.#clock, gathered, "No candidates.");
    const sdp = peer.localDescription?.sdp ?? "";
    const answer = await this.#viewers?.offer({
      ...{ viewerId: `v${this.#names}`, role: "player", epoch },
      sdp,
      iceServers: [],
    });
    if (answer?.is !== "done") throw new Error(`The offer was refused: ${JSON.stringify(answer)}`);
    await peer.setRemoteDescription({ type: "answer", sdp: answer.data.sdp });
    await within(this.#clock, Promise.all(opened), "The channels did not open.");
  }
}

function read(bytes: Uint8Array): Record<string, never> | undefined {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
}

async function within(clock: Clock, done: Promise<unknown>, sentence: string): Promise<void> {
  let stop: () => void = () => undefined;
  const late = new Promise<never>((_, fail) => {
    stop = clock.after(WAIT_MS, () => fail(new Error(sentence)));
  });
  await Promise.race([done, late]).finally(() => stop());
}
