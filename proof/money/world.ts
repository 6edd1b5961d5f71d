import { openLedger } from "@longarm/ledger/ledger";
import { Kysely, PostgresDialect } from "kysely";
import type pg from "pg";
import type WebSocket from "ws";
import type { PlatformDeps } from "../../apps/platform/src/deps.ts";
import { enrolAgent } from "../../apps/platform/src/modules/play/agents/index.ts";
import type { PlayTables } from "../../apps/platform/src/modules/play/tables.ts";
import type { LimitsTables } from "../../apps/platform/src/modules/protection/limits/index.ts";
import { setLimit } from "../../apps/platform/src/modules/protection/limits/index.ts";
import type { MarketTables } from "../../apps/platform/src/modules/protection/markets/index.ts";
import type { Cable } from "./agent-box.ts";
import { AgentBox, Cabinet, SOUND } from "./agent-box.ts";
import type { Observe } from "./database.ts";
import { Dooms, Gate } from "./database.ts";
import type { WalletKind } from "./operator-side.ts";
import { OperatorSide } from "./operator-side.ts";
import { PlatformNode } from "./platform-node.ts";
import { PROVIDERS, ProviderSide } from "./provider-side.ts";
import type { MachineKind } from "./sas-machine.ts";
import type { Chance, Life, Schedule } from "./schedule.ts";
import { createChance, createSchedule } from "./schedule.ts";
import { Visitor } from "./visitor.ts";
import { CALM } from "./wire.ts";

/** The last players of a world are poor, so that some cash-ins are more than the wallet holds, and what goes back is more than it has left. */
const POOR = 2;
const DEPOSIT = 20_000_000;
const POOR_DEPOSIT = 9_000;
const OPEN_MS_MAX = 60_000;
/** One player may add so much a day: what is over it when it was paid already goes back. */
const LIMITED = "p_1";
const LIMIT = 30_000;

export const depositOf = (world: World, at: number): number =>
  at >= world.visitors.length - POOR ? POOR_DEPOSIT : DEPOSIT;

/** A world whose players have money and whose machines are ready. */
export async function openWorld(options: WorldOptions): Promise<World> {
  const world = new World(options);
  const { schedule, gate, chance } = world;
  const staff: Life = { dead: false, name: "staff" };
  const db = new Kysely<PlayTables>({ dialect: new PostgresDialect({ pool: gate.poolFor(staff) as never }) });
  const ledger = openLedger(db);

  async function prepare(): Promise<void> {
    for (const box of world.boxes) box.key = (await enrolAgent(db, chance, box.name)).key;
    for (let at = 0; at < world.cabinets.length; at += 1) world.addVisitor(`p_${at}`);
    for (const [at, { playerId }] of world.visitors.entries()) {
      await gate.read("insert into player (id, username, username_key, password) values ($1, $1, $1, 'none')", [
        playerId,
      ]);
      const amountMinor = depositOf(world, at);
      if (world.operator !== undefined) world.operator.wallet.setBalance(playerId, amountMinor);
      else
        await ledger.transfer({
          id: `in-${playerId}`,
          kind: "deposit",
          from: "cage",
          to: `player:${playerId}`,
          amountMinor,
        });
    }
    const limit = { kind: "deposit", period: "day", owner: "player", by: "proof", value: LIMIT } as const;
    await setLimit(db.withTables<LimitsTables & MarketTables>(), { ...limit, playerId: LIMITED });
    world.startPlatform();
    for (const box of world.boxes) await box.start();
  }

  const ready = (): boolean => world.node.ready && world.boxes.every(({ agent }) => agent?.linked() === true);
  prepare().catch(schedule.fail);
  await schedule.pass(OPEN_MS_MAX, ready);
  if (!ready()) throw new Error(`the world did not open: ${world.log.at(-1)}`);
  return world;
}

/** Bugs put in on purpose, to see them found. */
export const PLANTS = [
  "holdTwice",
  "forgetfulAgent",
  "hopefulCashOut",
  "hastyDriver",
  "silenceIsNo",
  "depositTwice",
  "forgottenChargeBack",
  "providerSilenceIsNo",
] as const;
export type Plant = (typeof PLANTS)[number];

type WorldOptions = {
  /** To a database that has no other world. */
  readonly client: pg.Client;
  readonly seed: number;
  readonly agents: number;
  readonly machinesOfAgent: number;
  readonly machines: MachineKind;
  readonly wallet: WalletKind;
  readonly forgetful: boolean;
  readonly hasty: boolean;
  readonly silenceIsNo: boolean;
  readonly providerSilenceIsNo: boolean;
  readonly ledger?: (real: PlatformDeps["ledger"]) => PlatformDeps["ledger"];
  /** Comes between the platform and its end of an agent's socket. */
  readonly agentSocket?: (socket: WebSocket, schedule: Schedule) => WebSocket;
  readonly observed?: Observe | undefined;
};

const START_MS = Date.UTC(2026, 0, 1);
const PLATFORM_BACK_MS_MAX = 2_500;

/** A whole venue in one process and in virtual time: a platform, agents, machines, players, and everything that can break between them. */
export class World {
  readonly options: WorldOptions;
  readonly schedule: Schedule = createSchedule(START_MS);
  readonly chance: Chance;
  readonly gate: Gate;
  readonly dooms = new Dooms();
  readonly cabinets: Cabinet[] = [];
  readonly boxes: AgentBox[] = [];
  readonly visitors: Visitor[] = [];
  /** What went wrong, how often. */
  readonly faults = new Map<string, number>();
  /** Calls for staff that the platform has logged: kind and sentence, with the machine that they are about. */
  readonly alarms = new Map<string, { readonly machineId: string | undefined; times: number }>();
  /** The last lines of the platform's log. */
  readonly log: string[] = [];
  /** Where players' money is in a wallet of the operator's. */
  readonly operator: OperatorSide | undefined;
  /** Providers of payments, where players' money is ours. */
  readonly providers: readonly ProviderSide[];
  node: PlatformNode;
  cable: Cable = SOUND;
  #nodes = 1;

  constructor(options: WorldOptions) {
    this.options = options;
    const chance = createChance(options.seed);
    this.chance = chance;
    const { schedule, count } = this;
    const { silenceIsNo, providerSilenceIsNo } = options;
    if (options.wallet === "operator") this.operator = new OperatorSide({ schedule, chance, count, silenceIsNo });
    const report = async (name: string, status: object) => await this.node.report(name, status);
    this.providers =
      options.wallet === "own"
        ? PROVIDERS.map(
            (name) => new ProviderSide({ name, schedule, chance, count, report, silenceIsNo: providerSilenceIsNo }),
          )
        : [];
    const faults = {
      statement: (life: Life) => {
        const fault = this.dooms.statement(life);
        if (fault === "lostBefore" || fault === "lostAfter") this.count("connection to the database lost");
        return fault;
      },
      kill: () => this.killPlatform("platform killed at a statement"),
    };
    this.gate = new Gate({ schedule, client: options.client, chance, faults, observed: options.observed });
    this.gate.slowMs = () => chance.next() * 1.5;
    this.node = this.#newNode();
    for (let agent = 0; agent < options.agents; agent += 1) this.#addBox(agent);
  }

  count = (fault: string): void => void this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);

  addVisitor(playerId: string): void {
    const { schedule, chance, count } = this;
    this.visitors.push(new Visitor(playerId, { schedule, chance, count, platform: () => this.node }, CALM));
  }

  /** `kill -9`: what its process knew is gone, its open transaction is taken back. It starts again by itself. */
  killPlatform(fault: string): void {
    const { schedule, chance, node } = this;
    if (node.life.dead) return;
    this.count(fault);
    node.life.dead = true;
    this.gate.died(node.life);
    for (const box of this.boxes) box.cutLink();
    for (const visitor of this.visitors) visitor.cutLink();
    schedule.after(chance.next() * PLATFORM_BACK_MS_MAX, () => this.startPlatform());
  }

  startPlatform(): void {
    this.node = this.#newNode();
    const { life } = this.node;
    this.node.start().catch((error: unknown) => {
      // As its supervisor would: a start that the database refused is tried again.
      this.log.push(`start failed: ${String(error)}`);
      if (life.dead) return;
      this.killPlatform("platform start failed");
    });
  }

  /** Nothing of this world runs any more. */
  end(): void {
    this.node.life.dead = true;
    for (const box of this.boxes) box.life.dead = true;
    for (const cabinet of this.cabinets) cabinet.life.dead = true;
  }

  /** Virtual time since its start, ms. */
  lasted(): number {
    return this.schedule.now() - START_MS;
  }

  boxOf(machineId: string): AgentBox | undefined {
    return this.boxes.find(({ cabinets }) => cabinets.some(({ id }) => id === machineId));
  }

  cabinetOf(machineId: string): Cabinet | undefined {
    return this.cabinets.find(({ id }) => id === machineId);
  }

  #newNode(): PlatformNode {
    const { schedule, gate, chance, operator, providers } = this;
    const { ledger, agentSocket } = this.options;
    const parts = {
      schedule,
      gate,
      chance,
      steps: (_life: Life, name: string) => {
        if (this.dooms.step("platform", name)) throw new Error(`killed at ${name}`);
      },
      onLogLine: (line: string) => this.#readLog(line),
      operator,
      providers,
      ...(ledger && { ledger }),
      ...(agentSocket && { agentSocket: (socket: WebSocket) => agentSocket(socket, schedule) }),
    };
    const node = new PlatformNode(parts, this.#nodes);
    this.#nodes += 1;
    return node;
  }

  #addBox(number: number): void {
    const { schedule, chance, count, dooms, options } = this;
    const name = `a${number}`;
    const cabinets = Array.from({ length: options.machinesOfAgent }, (_, at) => {
      const id = `m${number * options.machinesOfAgent + at}`;
      const parts = {
        schedule,
        chance,
        count,
        cable: () => this.cable,
        diskUsed: () => dooms.disk(id),
        seed: `${options.seed} ${number} ${at}`,
        kind: options.machines,
        hasty: options.hasty,
      };
      return new Cabinet(id, parts);
    });
    this.cabinets.push(...cabinets);
    const parts = {
      schedule,
      chance,
      count,
      cabinets,
      platform: () => this.node,
      diskUsed: () => dooms.disk(name),
      steps: (_life: Life, step: string) => void dooms.step(name, step),
      forgetful: options.forgetful,
    };
    this.boxes.push(new AgentBox(name, parts, CALM));
  }

  #readLog(line: string): void {
    const { alarm, msg, machineId } = JSON.parse(line) as { alarm?: string; msg?: string; machineId?: string };
    if (alarm !== undefined) {
      const about = `${alarm}: ${msg}${this.options.machines === "sas" ? ` (${machineId})` : ""}`;
      const known = this.alarms.get(about) ?? { machineId, times: 0 };
      this.alarms.set(about, { machineId, times: known.times + 1 });
    }
    this.log.push(`${this.schedule.now() - START_MS} ${line.slice(0, 700)}`);
    if (this.log.length > 40) this.log.shift();
  }
}
