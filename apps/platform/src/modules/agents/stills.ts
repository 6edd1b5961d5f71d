import { createHash } from "node:crypto";
import type { PlayPartDeps } from "../../play-base/play-deps.ts";
import type { Links } from "./links.ts";

export type KeptStill = { readonly tag: string; readonly webp: Buffer; readonly takenAt: number };

/** The tag of a picture that is still to be taken. */
const FIRST_TAG = "first";
/** A picture that is asked for right now is waited for this long, ms; then the older one is shown, or none. */
const WAIT_MS = 2_000;

/** After the last look at a lobby, stills are still taken for this long, ms. */
const LOBBY_OPEN_MS = 60_000;

/** True for the bytes of a WebP picture: RIFF, a length that fits, WEBP. */
export function isWebp(bytes: Buffer): boolean {
  if (bytes.length < 20) return false;
  return (
    bytes.toString("latin1", 0, 4) === "RIFF" &&
    bytes.readUInt32LE(4) + 8 <= bytes.length + 1 &&
    bytes.toString("latin1", 8, 12) === "WEBP" &&
    /^VP8[ LX]$/.test(bytes.toString("latin1", 12, 16))
  );
}

/** The machines' newest pictures, in memory, and the asking for new ones while somebody looks at a lobby. */
export class Stills {
  readonly #deps: PlayPartDeps;
  readonly #links: Links;
  readonly #kept = new Map<string, KeptStill>();
  readonly #stops: (() => void)[];
  /** Machines that are asked right now: one request at a time, however many look. */
  readonly #asked = new Map<string, Promise<unknown>>();
  #lobbySeenAt = Number.NEGATIVE_INFINITY;

  constructor(deps: PlayPartDeps, links: Links) {
    this.#deps = deps;
    this.#links = links;
    this.#stops = [
      deps.bus.subscribe("lobby.open", () => this.#seen()),
      deps.clock.every(deps.config.play.STILL_EVERY_MS, () => this.#round()),
    ];
  }

  /** Changes with every picture; null: there is none, and nobody to take one. */
  tag(machineId: string): string | null {
    return this.#kept.get(machineId)?.tag ?? (this.#links.get(machineId) === undefined ? null : FIRST_TAG);
  }

  /** The newest picture. When it is older than a round and a new one is being taken, that one. */
  async get(machineId: string): Promise<KeptStill | undefined> {
    const kept = this.#kept.get(machineId);
    const { clock, config } = this.#deps;
    const asked = this.#asked.get(machineId);
    const isFresh = kept !== undefined && clock.now() - kept.takenAt <= config.play.STILL_EVERY_MS;
    if (isFresh || asked === undefined) return kept;
    const late = Promise.withResolvers<void>();
    const stop = clock.after(WAIT_MS, late.resolve);
    await Promise.race([asked, late.promise]);
    stop();
    return this.#kept.get(machineId);
  }

  put(machineId: string, webp: Buffer): KeptStill {
    const tag = createHash("sha256").update(webp).digest("base64url").slice(0, 22);
    const still = { webp, tag, takenAt: this.#deps.clock.now() };
    this.#kept.set(machineId, still);
    return still;
  }

  /** Somebody looks at a lobby: the first look in a while asks for pictures at once. */
  lobbyOpened(): void {
    const quiet = !this.#isWanted();
    this.#seen();
    if (quiet) this.#round();
    this.#deps.bus.publish("lobby.open", { nodeId: this.#deps.config.play.NODE_ID });
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #seen(): void {
    this.#lobbySeenAt = this.#deps.clock.now();
  }

  #isWanted(): boolean {
    return this.#deps.clock.now() - this.#lobbySeenAt < LOBBY_OPEN_MS;
  }

  #round(): void {
    if (!this.#isWanted()) return;
    for (const machineId of this.#links.machineIds()) this.#ask(machineId);
  }

  #ask(machineId: string): void {
    if (this.#asked.has(machineId)) return;
    // The agent answers once it has put the picture.
    const asked = this.#links.ask("still.take", { machineId }).finally(() => this.#asked.delete(machineId));
    this.#asked.set(machineId, asked);
  }
}
