import type { PlayDeps } from "../deps.ts";
import type { Links } from "./links.ts";
import type { KeptStill, StillStore } from "./still-store.ts";

/** A picture that is asked for right now is waited for this long, ms; then the older one is shown, or none. */
const WAIT_MS = 2_000;
/** After the last look at a lobby, stills are still taken for this long, ms. */
const LOBBY_OPEN_MS = 60_000;
/** The other nodes are told at most this often that somebody looks, ms. */
const TELL_EVERY_MS = 5_000;
/** Another node takes a picture each round; one that is older than so many rounds is being taken anew there. */
const ROUNDS_OLD = 3;
/** Stills that are not kept are logged once, until none has failed for this long, ms: a full disk fails each of every machine. */
const FAILED_APART_MS = 60_000;

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

/** The machines' newest pictures, and the asking for new ones while somebody looks at a lobby, on whatever node. */
export class Stills {
  readonly #deps: PlayDeps;
  readonly #links: Links;
  readonly #store: StillStore;
  readonly #stops: (() => void)[];
  /** Machines that are asked right now: one request at a time, however many look. */
  readonly #asked = new Map<string, Promise<unknown>>();
  /** Who waits for a picture that another node is taking. */
  readonly #waiting = new Map<string, Set<() => void>>();
  #lobbySeenAt = Number.NEGATIVE_INFINITY;
  #toldAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: PlayDeps, links: Links, store: StillStore) {
    this.#deps = deps;
    this.#links = links;
    this.#store = store;
    this.#stops = [
      deps.bus.subscribe("lobby.open", () => this.#look()),
      deps.bus.subscribe("still.taken", ({ machineId }) => {
        for (const seen of this.#waiting.get(machineId) ?? []) seen();
      }),
      deps.clock.every(deps.config.play.STILL_EVERY_MS, () => this.#round()),
    ];
  }

  /** The newest picture. When it is older than a round and a new one is being taken, that one. */
  async get(machineId: string): Promise<KeptStill | undefined> {
    const kept = await this.#store.read(machineId);
    const everyMs = this.#deps.config.play.STILL_EVERY_MS;
    const ageMs = kept?.ageMs ?? Number.POSITIVE_INFINITY;
    if (ageMs <= everyMs) return kept;
    const coming = this.#links.get(machineId)
      ? this.#asked.get(machineId)
      : (await this.#takenElsewhere(machineId, ageMs > ROUNDS_OLD * everyMs))?.taken;
    if (coming === undefined) return kept;
    const late = Promise.withResolvers<void>();
    const stop = this.#deps.clock.after(WAIT_MS, late.resolve);
    await Promise.race([coming, late.promise]);
    stop();
    return await this.#store.read(machineId);
  }

  /** Undefined: the database did not take it, as on a full disk; the one before it stays. */
  async put(machineId: string, webp: Buffer): Promise<KeptStill | undefined> {
    const still = await this.#store.put(machineId, webp).catch((error: unknown) => this.#logFailure(machineId, error));
    if (still === undefined) return undefined;
    this.#deps.bus.publish("still.taken", { machineId });
    return still;
  }

  #logFailure(machineId: string, err: unknown): undefined {
    const { clock, log } = this.#deps;
    const isFirst = clock.now() - this.#failedAt > FAILED_APART_MS;
    this.#failedAt = clock.now();
    if (isFirst) log.error({ err, machineId }, "stills cannot be kept, the lobby goes on with older ones");
  }

  /** Somebody looks at a lobby: the first look in a while asks for pictures at once. */
  lobbyOpened(): void {
    this.#look();
    const { bus, clock, config } = this.#deps;
    if (clock.now() - this.#toldAt < TELL_EVERY_MS) return;
    this.#toldAt = clock.now();
    bus.publish("lobby.open", { nodeId: config.play.NODE_ID });
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #look(): void {
    const quiet = !this.#isWanted();
    this.#lobbySeenAt = this.#deps.clock.now();
    if (quiet) this.#round();
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
    // The agent answers once it has put the picture, perhaps to another node.
    const asked = this.#links.ask("still.take", { machineId }).finally(() => this.#asked.delete(machineId));
    this.#asked.set(machineId, asked);
  }

  /** A picture that the node with the machine's link is taking; undefined: there is none, nobody wants one, or the kept one is not that old. */
  async #takenElsewhere(machineId: string, isOld: boolean): Promise<{ readonly taken: Promise<void> } | undefined> {
    if (!isOld || !this.#isWanted() || !(await this.#links.isElsewhere(machineId))) return undefined;
    const { promise: taken, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(machineId) ?? new Set();
    this.#waiting.set(machineId, waiting);
    const over = (): void => {
      stop();
      waiting.delete(over);
      if (waiting.size === 0) this.#waiting.delete(machineId);
      resolve();
    };
    const stop = this.#deps.clock.after(WAIT_MS, over);
    waiting.add(over);
    return { taken };
  }
}
