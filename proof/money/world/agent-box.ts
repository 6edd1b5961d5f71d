import type { FrameSocket } from "@longarm/link/socket";
import { fromWs } from "@longarm/link/ws-socket";
import type { Agent } from "../../../apps/agent/src/agent.ts";
import { buildAgent } from "../../../apps/agent/src/agent.ts";
import { openJournal } from "../../../apps/agent/src/journal/journal.ts";
import type { MachinePlan } from "../../../apps/agent/src/supervisor/driver.ts";
import { fakeBroadcast } from "../../../apps/agent/src/testing/fake-broadcast.ts";
import type { MemoryFiles } from "../../../apps/agent/src/testing/memory-files.ts";
import { memoryFiles } from "../../../apps/agent/src/testing/memory-files.ts";
import type { Cabinet } from "./cabinet.ts";
import type { Chance } from "./chance.ts";
import type { Life } from "./life.ts";
import { never } from "./life.ts";
import type { PlatformNode } from "./platform-node.ts";
import type { Schedule } from "./schedule.ts";
import type { Weather, Wire, WireParts } from "./wire.ts";
import { openWire } from "./wire.ts";

export type AgentBoxParts = {
  readonly schedule: Schedule;
  readonly chance: Chance;
  readonly cabinets: readonly Cabinet[];
  readonly platform: () => PlatformNode;
  readonly count: (fault: string) => void;
  readonly diskUsed: (life: Life) => void;
  readonly steps: (life: Life, name: string) => void;
  /** A planted bug: the journal is gone at every start. */
  readonly forgetful: boolean;
};

const DISK_MS_MAX = 3;
const START_MS = 300;
const DIAL_MS_MAX = 20;
const HANDSHAKE_MS = 10_000;
/** The journal is rewritten now and then in a story, too. */
const REWRITE_GROWTH_BYTES = 24_000;

/** The small computer beside some machines: the real agent over a disk that forgets what was not synced. */
export class AgentBox {
  readonly name: string;
  readonly cabinets: readonly Cabinet[];
  key = "";
  weather: Weather;
  agent: Agent | undefined;
  /** The last line of the agent's log. */
  lastWords = "";
  readonly #parts: AgentBoxParts;
  #files: MemoryFiles;
  #life: Life = { dead: true, name: "" };
  #lives = 0;
  #wires: Wire[] = [];

  constructor(name: string, parts: AgentBoxParts, weather: Weather) {
    this.name = name;
    this.cabinets = parts.cabinets;
    this.weather = weather;
    this.#parts = parts;
    this.#files = this.#freshDisk();
  }

  get life(): Life {
    return this.#life;
  }

  /** Never resolves when it is killed meanwhile. */
  async start(): Promise<void> {
    const { schedule, chance, cabinets, steps } = this.#parts;
    this.#lives += 1;
    const life: Life = { dead: false, name: `${this.name} ${this.#lives}` };
    this.#life = life;
    const files = this.#files;
    const journal = await openJournal({ files, folder: "/journal", rewriteGrowthBytes: REWRITE_GROWTH_BYTES });
    if (life.dead) return await never();
    const note = (facts: object, sentence: string): void => {
      this.lastWords = `${Math.round(schedule.now())} ${sentence} ${JSON.stringify(facts)}`;
    };
    this.agent = buildAgent({
      agentId: this.name,
      version: "0.0.0-proof",
      machines: cabinets.map((cabinet) => planOf(cabinet, life)),
      journal,
      clock: schedule.clockOf(life),
      random: () => chance.next(),
      dial: () => this.#dial(life),
      putStill: async () => undefined,
      makeBroadcast: () => fakeBroadcast(),
      steps: (name) => {
        steps(life, name);
        return life.dead ? never() : undefined;
      },
      log: { info: note, warn: note, error: note },
    });
  }

  /** `share`: how much of what was not yet safe survives; 1 for a process that was only killed. It starts again by itself. */
  kill(share: number): void {
    const { schedule, chance, forgetful } = this.#parts;
    if (this.#life.dead) return;
    this.#life.dead = true;
    this.agent = undefined;
    for (const wire of this.#wires.splice(0)) wire.cut();
    const survived = this.#files.afterPowerCut(share);
    this.#files = forgetful ? this.#freshDisk() : survived;
    schedule.after(chance.next() * START_MS, () => void this.start().catch(schedule.fail));
  }

  cutLink(): void {
    for (const wire of this.#wires.splice(0)) wire.cut();
  }

  diskFull(full: boolean): void {
    this.#files.capacity = full ? 0 : Number.POSITIVE_INFINITY;
  }

  #freshDisk(): MemoryFiles {
    const { schedule, chance, diskUsed } = this.#parts;
    return memoryFiles(new Map(), (run) =>
      schedule.after(chance.next() * DISK_MS_MAX, () => {
        diskUsed(this.#life);
        run();
      }),
    );
  }

  async #dial(life: Life): Promise<FrameSocket> {
    const { schedule, chance, platform, count } = this.#parts;
    await new Promise<void>((go) => schedule.after(chance.next() * DIAL_MS_MAX, go));
    if (life.dead) return await never();
    const node = platform();
    if (!node.ready) throw new Error("connect ECONNREFUSED");
    const parts: WireParts = { schedule, chance, count, weather: () => this.weather };
    const wire = openWire(parts, [life, node.life]);
    // A platform that dies over the handshake says nothing more.
    const late = new Promise<false>((give) => schedule.after(HANDSHAKE_MS, () => give(false)));
    const admitted = await Promise.race([node.admit("/agent", wire.ends[1], { key: this.key }), late]);
    if (life.dead) return await never();
    if (!admitted) throw new Error("HTTP 503");
    this.#wires = [...this.#wires.filter(({ open }) => open), wire];
    return fromWs(wire.ends[0]);
  }
}

function planOf(cabinet: Cabinet, life: Life): MachinePlan {
  return {
    id: cabinet.id,
    view: { videoType: "screen" },
    open: async () => {
      const egm = cabinet.reach(life);
      if (egm === undefined) throw new Error("the machine cannot be reached");
      return { egm, close: async () => undefined };
    },
  };
}
