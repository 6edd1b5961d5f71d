import { createHash } from "node:crypto";
import type { PlayPartDeps } from "../../play-base/play-deps.ts";
import type { Links } from "./links.ts";

export type KeptStill = { readonly tag: string; readonly webp: Buffer };

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
  #lobbySeenAt = Number.NEGATIVE_INFINITY;

  constructor(deps: PlayPartDeps, links: Links) {
    this.#deps = deps;
    this.#links = links;
    this.#stops = [
      deps.bus.subscribe("lobby.open", () => this.#seen()),
      deps.clock.every(deps.config.play.STILL_EVERY_MS, () => this.#round()),
    ];
  }

  get(machineId: string): KeptStill | undefined {
    return this.#kept.get(machineId);
  }

  put(machineId: string, webp: Buffer): KeptStill {
    const still = { webp, tag: createHash("sha256").update(webp).digest("base64url").slice(0, 22) };
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
    for (const machineId of this.#links.machineIds()) void this.#links.ask("still.take", { machineId });
  }
}
