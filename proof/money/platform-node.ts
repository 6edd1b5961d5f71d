import { defaultSettings } from "@longarm/contract/settings";
import { runTransaction } from "@longarm/database/run-transaction";
import { openLedger } from "@longarm/ledger/ledger";
import { signatureOf } from "@longarm/link/standard-webhooks";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Kysely, PostgresDialect } from "kysely";
import { Registry } from "prom-client";
import type WebSocket from "ws";
import { inProcessBus } from "../../apps/platform/src/bus/index.ts";
import { readConfig } from "../../apps/platform/src/config.ts";
import type { AnyDb, PlatformDeps } from "../../apps/platform/src/deps.ts";
import type { Log } from "../../apps/platform/src/log.ts";
import { createLog } from "../../apps/platform/src/log.ts";
import { createPayments } from "../../apps/platform/src/modules/payments/player/index.ts";
import type { Play } from "../../apps/platform/src/modules/play/index.ts";
import { makePlay } from "../../apps/platform/src/modules/play/index.ts";
import type { Auth, Caller } from "../../apps/platform/src/modules/players/auth/index.ts";
import type { SocketFacts, SocketRoute, SocketRoutes } from "../../apps/platform/src/plugins/sockets.ts";
import type { Gate, GatePool } from "./database.ts";
import type { OperatorSide } from "./operator-side.ts";
import type { ProviderSide } from "./provider-side.ts";
import { PROVIDERS } from "./provider-side.ts";
import type { Chance, Life, Schedule } from "./schedule.ts";
import { never } from "./schedule.ts";

/** Short times, so that little virtual time has to pass. */
const TIMES = {
  NO_DEPOSIT_MS: "6000",
  IDLE_MS: "8000",
  IDLE_COUNT_MS: "4000",
  WAITING_MS: "5000",
  BONUS_WAITING_MS: "9000",
  MONEY_RETRY_MS: "500",
  CALLS_PER_MINUTE: "100000",
};
/** A seat is held for a price that the poor player cannot always pay. */
export const HOLD_PRICE = 700;
const HOLDS = { SEAT_HOLD_MIN: "1", SEAT_HOLDS_PER_DAY: "20", SEAT_HOLD_PRICE: String(HOLD_PRICE) };
const ENV = { DATA_FOLDER: "/nowhere", LOG_LEVEL: "warn", LOG_FORMAT: "json", ...TIMES, ...HOLDS };
/** No address of another computer is ever called: calls go through its side. */
const secretOf = (byte: number): string => `whsec_${Buffer.alloc(32, byte).toString("base64")}`;
const PROVIDER_SECRET = secretOf(2);
const CONFIG = readConfig({
  ...ENV,
  PROVIDERS: PROVIDERS.map((name) => `${name}=http://127.0.0.1:9/`).join(),
  PROVIDER_SECRETS: PROVIDERS.map((name) => `${name}=${PROVIDER_SECRET}`).join(),
  WITHDRAWAL_REVIEW: "7000",
});
const CONFIG_WITH_OPERATOR = readConfig({
  ...ENV,
  WALLET_URL: "http://127.0.0.1:9/",
  WALLET_SECRETS: secretOf(1),
});

export type NodeParts = {
  readonly schedule: Schedule;
  readonly gate: Gate;
  readonly chance: Chance;
  /** A step of a money path is reached. */
  readonly steps: (life: Life, name: string) => void;
  /** What it logs from a warning on. */
  readonly onLogLine: (line: string) => void;
  /** Takes the place of the real ledger in the plays of planted bugs. */
  readonly ledger?: (real: PlatformDeps["ledger"]) => PlatformDeps["ledger"];
  readonly agentSocket?: (socket: WebSocket) => WebSocket;
  /** Where players' money is the operator's. */
  readonly operator?: OperatorSide | undefined;
  /** None where players' money is the operator's: it comes from there. */
  readonly providers: readonly ProviderSide[];
};

/** HTTP status and body. */
type Answered = { readonly status: number; readonly body: unknown };

type Plugin = (scope: FastifyInstance, options: object, ready: () => void) => void;
type Route = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** One life of the platform's process: its own modules, put together by themselves; only HTTP, passwords and files are left out. */
export class PlatformNode {
  readonly life: Life;
  readonly #parts: NodeParts;
  readonly #sockets = new Map<string, SocketRoute<unknown>>();
  readonly #routes = new Map<string, Route>();
  play: Play | undefined;
  bus: PlatformDeps["bus"] | undefined;
  #ofDeps: Pick<PlatformDeps, "db" | "ledger"> | undefined;

  constructor(parts: NodeParts, number: number) {
    this.life = { dead: false, name: `platform ${number}` };
    this.#parts = parts;
  }

  /** Recovers and begins to work; never resolves when it is killed meanwhile. */
  async start(): Promise<void> {
    const deps = this.#deps();
    this.bus = deps.bus;
    this.#ofDeps = deps;
    const app: FastifyInstance = {
      post: (path: string, _options: unknown, route: Route) => void this.#routes.set(path, route),
      get: () => undefined,
      register: () => undefined,
      withTypeProvider: () => app,
    } as unknown as FastifyInstance;
    const sockets: SocketRoutes = {
      add: (route) => void this.#sockets.set(route.path, route as SocketRoute<unknown>),
    };
    const play = await makePlay(deps, {
      app,
      auth: auth(),
      sockets,
      metrics: new Registry(),
      settings: { helpListed: () => true, ofFile: defaultSettings },
      registers: { wanted: () => undefined },
    });
    play.start();
    const { providers } = this.#parts;
    if (providers.length > 0) {
      const parts = (app: FastifyInstance) => ({ ...app, ...NO_PARSERS }) as unknown as FastifyInstance;
      const server = { ...app, register: (plugin: Plugin) => plugin(parts(app), {}, () => undefined) };
      const askProvider = (name: string) => providers.find((one) => one.name === name)!.askOf(this.life);
      createPayments({ ...deps, askProvider }, server as never, auth().guard, { ofFile: defaultSettings }).start();
    }
    if (!this.life.dead) this.play = play;
  }

  get ready(): boolean {
    return !this.life.dead && this.play !== undefined;
  }

  /** Lets a socket in, or not. `token` is the player's id. */
  async admit(path: string, socket: WebSocket, facts: { query?: string; key?: string }): Promise<boolean> {
    const route = this.#sockets.get(path);
    if (!this.ready || route === undefined) return false;
    const about: SocketFacts = {
      query: new URLSearchParams(facts.query),
      headers: facts.key === undefined ? {} : { authorization: `Bearer ${facts.key}` },
      address: "203.0.113.7",
    };
    const admission = await route.admit?.(about);
    if (this.life.dead || admission?.is === "refused") return false;
    const { agentSocket = (same: WebSocket): WebSocket => same } = this.#parts;
    route.accept((path === "/agent" ? agentSocket(socket) : socket) as never, about, admission?.context);
    return true;
  }

  /** A call of a player. Undefined while no platform answers. */
  async call(path: string, playerId: string, body: object): Promise<Answered | undefined> {
    const caller: Caller = {
      is: "caller",
      playerId,
      jti: playerId,
      expiresAtMs: Number.MAX_SAFE_INTEGER,
      locked: false,
    };
    return await this.#answer(path, { body, caller, protocol: "https", host: "play.example.org" });
  }

  /** A report of a provider, signed now. Resolves to its status. */
  async report(provider: string, said: object): Promise<number | undefined> {
    const body = JSON.stringify(said);
    const nowS = Math.floor(this.#parts.schedule.now() / 1_000);
    const headers = {
      "webhook-id": "report",
      "webhook-timestamp": String(nowS),
      "webhook-signature": signatureOf([PROVIDER_SECRET], "report", nowS, body),
    };
    const request = { params: { provider }, headers, body: Buffer.from(body) };
    return (await this.#answer("/v1/providers/:provider/payments", request))?.status;
  }

  /** What staff does, in one transaction. A platform that dies with it says nothing more. */
  async staff(work: (trx: AnyDb, ledger: PlatformDeps["ledger"]) => Promise<void>): Promise<void> {
    const deps = this.#ofDeps;
    if (this.ready && deps !== undefined) await runTransaction(deps.db.kysely, (trx) => work(trx, deps.ledger));
  }

  async #answer(path: string, request: object): Promise<Answered | undefined> {
    const route = this.#routes.get(path);
    if (!this.ready || route === undefined) return undefined;
    let [status, body]: [number, unknown] = [200, undefined];
    const reply = {
      code: (code: number) => {
        status = code;
        return reply;
      },
      status: (code: number) => reply.code(code),
      header: () => reply,
      send: (given: unknown) => {
        body = given;
        return reply;
      },
      log: { info: () => undefined },
    };
    try {
      await route(request as FastifyRequest, reply as unknown as FastifyReply);
      return { status, body };
    } catch {
      return { status: 500, body: undefined };
    }
  }

  #deps(): Parameters<typeof makePlay>[0] {
    const { schedule, gate, chance, steps, onLogLine, ledger, operator } = this.#parts;
    const { life } = this;
    const pool: GatePool = gate.poolFor(life);
    const kysely = new Kysely<unknown>({
      dialect: new PostgresDialect({ pool: pool as never }),
    });
    const clock = schedule.clockOf(life);
    const log: Log = createLog(CONFIG, { write: (line) => life.dead || onLogLine(line) });
    const real = openLedger(kysely);
    return {
      config: operator ? CONFIG_WITH_OPERATOR : CONFIG,
      ...(operator && { askOperator: operator.askOf(life) }),
      db: { kysely, pool: namePool as never, close: () => never() },
      ledger: ledger?.(real) ?? real,
      bus: inProcessBus({ clock, onError: (subject, error) => log.error({ err: error, subject }, "bus") }),
      clock,
      random: { bytes: (length) => chance.bytes(length) },
      log,
      steps: (name) => steps(life, name),
    };
  }
}

const NO_PARSERS = { removeContentTypeParser: () => undefined, addContentTypeParser: () => undefined };

/** The connection that holds a node's name among several: here there is one node, and the name is always its own. */
const namePool = {
  connect: async () => {
    const client = {
      query: async () => ({ rows: [{ taken: true }] }),
      on: () => client,
      release: () => undefined,
    };
    return client;
  },
};

/** Everybody is who they say: passwords and tokens are proved elsewhere. */
function auth(): Auth {
  return {
    authenticate: async (playerId: string) => ({
      is: "caller",
      playerId,
      jti: playerId,
      expiresAtMs: Number.MAX_SAFE_INTEGER,
      locked: false,
    }),
    guard: async () => undefined,
    isLocked: async () => false,
    act: async () => true,
    keepsOut: () => false,
    whileSignedIn: () => () => undefined,
    ban: async () => false,
    unban: async () => false,
    end: async () => undefined,
    close: () => undefined,
  };
}
