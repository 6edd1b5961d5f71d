import type { FrameSocket } from "@longarm/link/socket";
import { fromWs } from "@longarm/link/ws-socket";
import type { Agent } from "../../apps/agent/src/agent.ts";
import { buildAgent } from "../../apps/agent/src/agent.ts";
import type { Machine } from "../../apps/agent/src/drivers/simulated/machine.ts";
import { powerUp } from "../../apps/agent/src/drivers/simulated/machine.ts";
import { overLine } from "../../apps/agent/src/drivers/simulated/pretend/cut-line.ts";
import { openJournal } from "../../apps/agent/src/journal/journal.ts";
import type { Egm, EgmEvent } from "../../apps/agent/src/ports/egm.ts";
import type { MachinePlan } from "../../apps/agent/src/supervisor/driver.ts";
import { fakeBroadcast } from "../../apps/agent/src/testing/fake-broadcast.ts";
import type { MemoryFiles } from "../../apps/agent/src/testing/memory-files.ts";
import { memoryFiles } from "../../apps/agent/src/testing/memory-files.ts";
import type { PlatformNode } from "./platform-node.ts";
import type { MachineKind } from "./sas-machine.ts";
import { plainId, SasSide } from "./sas-machine.ts";
import type { Chance, Life, Schedule } from "./schedule.ts";
import { never } from "./schedule.ts";
import type { Weather, Wire, WireParts } from "./wire.ts";
import { openWire } from "./wire.ts";

type AgentBoxParts = {
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
      return { egm, close: () => egm.close() };
    },
  };
}

/** How bad the cable between an agent and its machine is. Shares of calls. */
export type Cable = {
  readonly unheard: number;
  readonly unanswered: number;
  readonly slow: number;
  readonly slowMs: number;
};

export const SOUND: Cable = { unheard: 0, unanswered: 0, slow: 0, slowMs: 0 };

type CabinetParts = {
  readonly schedule: Schedule;
  readonly chance: Chance;
  readonly cable: () => Cable;
  readonly count: (fault: string) => void;
  /** Called at each use of the machine's disk; it may cut the power there. */
  readonly diskUsed: (life: Life) => void;
  readonly seed: string;
  readonly kind: MachineKind;
  /** A planted bug: the driver does not wait for what comes late. */
  readonly hasty: boolean;
};

const CALL_MS_MAX = 4;
/** After this the driver gives up a call without an answer, ms. */
const GIVE_UP_MS = 900;
const POWER_UP_MS = 400;
/** Small, so that some cash-ins fit only in part and some wins are paid by hand. */
const LIMITS = { minCycleMs: 120, maxTransfer: 60_000, creditMax: 90_000, handPayFrom: 20_000 };
/** Behind SAS every win on the credit meter is whole credits: a jackpot, which need not be, is paid by hand. */
const SAS_LIMITS = { ...LIMITS, handPayFrom: 10_000 };

/** A machine of the venue, independent of its agent's process: the real simulated one, on a disk of its own. */
export class Cabinet {
  readonly id: string;
  readonly #parts: CabinetParts;
  #files: MemoryFiles;
  #life: Life = { dead: true, name: "" };
  #powers = 0;
  machine: Machine | undefined;
  /** Undefined: the machine keeps no rules of SAS. */
  readonly sas: SasSide | undefined;
  #egm: Egm | undefined;
  lineCut = false;
  /** All events that the machine ever had, by sequence number. */
  readonly events = new Map<number, EgmEvent>();
  readonly #mourners = new Set<() => void>();

  constructor(id: string, parts: CabinetParts) {
    this.id = id;
    this.#parts = parts;
    this.sas = parts.kind === "sas" ? new SasSide({ ...parts, cutPower: () => this.cutPower() }) : undefined;
    this.#files = memoryFiles(new Map(), (run) => this.#atDisk(run));
    this.#powerOn();
  }

  get life(): Life {
    return this.#life;
  }

  /** The machine's memory as it is now, with its events so far; undefined while it is without power. */
  look(): ReturnType<Machine["state"]> | undefined {
    const state = this.machine?.state();
    for (const event of (state?.events ?? []) as unknown as EgmEvent[])
      this.events.set(
        event.seq,
        event.what === "transferComplete" ? { ...event, transferId: plainId(event.transferId) } : event,
      );
    return state;
  }

  /** Cuts the power; a share of what was not yet safe survives. It comes back by itself. */
  cutPower(): void {
    const { schedule, chance } = this.#parts;
    if (this.#life.dead) return;
    this.look();
    this.#life.dead = true;
    this.machine = undefined;
    for (const dead of [...this.#mourners]) dead();
    this.#mourners.clear();
    this.#files = this.#files.afterPowerCut(chance.next());
    schedule.after(chance.next() * POWER_UP_MS, () => this.#powerOn());
  }

  /**
   * The machine as its agent's driver reaches it; `agent`: whose driver. An order over a driver that was closed ends the run: no driver has to
   * refuse it, so the agent must not send it.
   */
  reach(agent: Life): Egm | undefined {
    if (this.#egm === undefined || this.machine === undefined || this.lineCut) return undefined;
    const life = this.#life;
    let isClosed = false;
    const over = overLine(
      this.#cabled(this.#egm, { agent, machine: life, isClosed: () => isClosed }),
      () => this.lineCut || life.dead,
    );
    const whileOpen = (move: Egm["cashIn"]): Egm["cashIn"] => {
      return async (order) => {
        if (isClosed && !agent.dead)
          this.#parts.schedule.fail(new Error(`${order.transferId} was sent to ${this.id} over a closed driver`));
        return await move(order);
      };
    };
    return {
      ...{ ...over, cashIn: whileOpen(over.cashIn), cashOut: whileOpen(over.cashOut) },
      close: async () => {
        isClosed = true;
      },
    };
  }

  #powerOn(): void {
    const { schedule, seed } = this.#parts;
    this.#powers += 1;
    const life: Life = { dead: false, name: `${this.id} power ${this.#powers}` };
    this.#life = life;
    const limits = this.sas === undefined ? LIMITS : SAS_LIMITS;
    const options = { id: this.id, name: this.id, brand: "nar", folder: `/${this.id}`, seed };
    powerUp({ ...options, ...limits, files: this.#files, clock: schedule.clockOf(life) }).then((machine) => {
      if (life.dead) return;
      this.machine = machine;
      this.#egm = this.sas?.powered(machine, life) ?? machine.egm;
    }, schedule.fail);
  }

  #atDisk(run: () => void): void {
    const { schedule, chance, diskUsed } = this.#parts;
    schedule.after(chance.next() * 2, () => {
      const life = this.#life;
      diskUsed(life);
      run();
    });
  }

  /** Each call takes its time, may be lost on its way, and its answer may be lost. One that has not left when the driver is closed never leaves. */
  #cabled(egm: Egm, { agent, machine: life, isClosed }: Ends): Egm {
    const { schedule, chance, cable, count } = this.#parts;
    const pause = (ms: number): Promise<void> => new Promise((go) => schedule.after(ms, go));
    const silence = async (): Promise<never> => {
      await pause(GIVE_UP_MS);
      if (agent.dead) return await never();
      throw new Error("the machine does not answer");
    };
    const over =
      <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
      async (...args: Args): Promise<T> => {
        const { unheard, unanswered, slow, slowMs } = cable();
        await pause(chance.next() * CALL_MS_MAX);
        if (agent.dead) return await never();
        if (life.dead || isClosed()) return await silence();
        if (unheard > 0 && chance.hits(unheard)) {
          count("machine received no call");
          return await silence();
        }
        const answer = await untilDead(call(...args), this.#mourners);
        if (answer === DEAD) return await silence();
        if (slow > 0 && chance.hits(slow)) {
          count("machine slow");
          await pause(chance.next() * slowMs);
        }
        if (unanswered > 0 && chance.hits(unanswered)) {
          count("machine's answer lost");
          return await silence();
        }
        return agent.dead ? await never() : (answer as T);
      };
    const cabled = { ...egm, ...mapCalls(egm, over) };
    return {
      ...cabled,
      // What is acknowledged leaves the machine's queue, so it is noted before.
      ackEvents: (seqs) => {
        this.look();
        return cabled.ackEvents(seqs);
      },
    };
  }
}

/** What lives at the two ends of a driver's cable. */
type Ends = { readonly agent: Life; readonly machine: Life; readonly isClosed: () => boolean };

const DEAD = Symbol("dead");
/** What a call answers, or that its machine lost its power meanwhile. */
function untilDead<T>(call: Promise<T>, mourners: Set<() => void>): Promise<T | typeof DEAD> {
  return new Promise((resolve, reject) => {
    const dead = (): void => resolve(DEAD);
    mourners.add(dead);
    call.then(resolve, reject).finally(() => mourners.delete(dead));
  });
}

const CALLS = [
  "meters",
  "press",
  "cashIn",
  "cashOut",
  "transfer",
  "enable",
  "disable",
  "lock",
  "unlock",
  "resetHandPay",
  "nextEvents",
  "ackEvents",
] as const;

type Over = <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) => (...args: Args) => Promise<T>;

function mapCalls(egm: Egm, over: Over): Partial<Egm> {
  return Object.fromEntries(CALLS.map((name) => [name, over(egm[name] as (...args: unknown[]) => Promise<unknown>)]));
}
