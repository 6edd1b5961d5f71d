import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDatabase } from "@longarm/database/testing";
import { openLedger } from "@longarm/ledger/ledger";
import type { Bus } from "../bus/index.ts";
import { inProcessBus } from "../bus/index.ts";
import { systemClock } from "../clock.ts";
import { readConfig } from "../config.ts";
import { createLog } from "../log.ts";
import { platformMigrations } from "../migration-sets.ts";
import type { MakePlay, Play } from "../modules/play/index.ts";
import { buildPlatform } from "../platform.ts";
import { systemRandom } from "../random.ts";
import { shiftedClock } from "./manual-clock.ts";

export const PASSWORD = "correct horse battery";

/** Play without machines or money: for tests of what is around it. */
export function quietPlay(
  over: Partial<Play["sessions"] & Play["wallet"] & Play["agents"] & Pick<Play, "close">> = {},
): MakePlay {
  const unused = () => Promise.reject(new Error("this play has no machines"));
  const methods = {
    balanceOf: async () => ({ balance: 0 }),
    lookedAt: () => {},
    openSessionOf: async () => null,
    machinesFor: async () => [],
    statuses: async () => [],
    confirmHandPay: unused,
    endSessionsOf: unused,
    of: async () => ({ places: [], placesMax: 0, any: { brand: false, denomination: false }, ended: [] }),
    waitingAt: async () => [],
    seen: async () => {},
    still: async () => undefined,
    lobbyOpened: () => {},
    request: async () => ({ is: "noLink" as const }),
    candidate: async () => {},
    agentOf: async () => undefined,
    carries: async () => false,
    start: () => {},
    close: async () => {},
    ...over,
  };
  const watchers = { admit: unused, leave: async () => {} };
  return async () => ({
    ...methods,
    sessions: { ...methods, watchers },
    wallet: methods,
    queues: methods,
    agents: methods,
  });
}

export type VenueOptions = {
  readonly env?: Record<string, string>;
  readonly makePlay?: MakePlay;
  /** For tests that wait for what the platform does by itself each second or more seldom: how many times as often it does so. */
  readonly sooner?: number;
  /** A bus that several venues share, for tests of many nodes; its maker closes it. */
  readonly sharedBus?: Bus;
  /** Keeps a database that another venue made. */
  readonly database?: Awaited<ReturnType<typeof testDatabase<unknown>>>;
};

/** argon2id as in production, with the least work it allows: a hash takes 0.1 ms of a core in place of 11. */
const CHEAP_HASHES = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** A whole platform on a database of its own, with its log in a list. */
export async function testVenue({ env = {}, makePlay = quietPlay(), database, sharedBus, sooner }: VenueOptions = {}) {
  const dataFolder = await mkdtemp(join(tmpdir(), "longarm-venue-"));
  const config = readConfig({
    PORT: "0",
    DATA_FOLDER: dataFolder,
    WEB_FOLDER: join(dataFolder, "web"),
    CONSOLE_FOLDER: join(dataFolder, "console"),
    LOG_LEVEL: "debug",
    ...env,
  });
  const db = database ?? (await testDatabase<unknown>({ migrations: platformMigrations }));
  const lines: string[] = [];
  const log = createLog(config, { write: (line) => void lines.push(line) });
  const clock = shiftedClock(systemClock, sooner);
  const bus = sharedBus ?? inProcessBus({ clock, onError: (error) => log.error({ err: error }, "bus") });
  const ledger = openLedger(db.kysely);
  const deps = {
    config,
    db: { ...db, close: async () => {} },
    ledger,
    bus,
    clock,
    random: systemRandom,
    log,
    steps: () => {},
    passwordCost: CHEAP_HASHES,
  };
  const platform = await buildPlatform(deps, makePlay);
  const { app, players } = platform;

  /** Signs in; answers the token. */
  async function signIn(username: string, password = PASSWORD): Promise<string> {
    const reply = await app.inject({
      method: "POST",
      url: "/v1/login",
      payload: { username, password, site_id: 2011 },
    });
    if (reply.statusCode !== 200) throw new Error(`${username} could not sign in: ${reply.body}`);
    return reply.json().token;
  }

  return {
    platform,
    app,
    db,
    ledger,
    bus,
    clock,
    config,
    lines,
    signIn,
    async addPlayer(username: string, more: Partial<Parameters<typeof players.add>[0]> = {}): Promise<string> {
      const added = await players.add({ username, password: PASSWORD, ...more });
      if (added.is !== "added") throw new Error(`${username} was not added`);
      return added.id;
    },
    get: (url: string, token?: string, headers: Record<string, string> = {}) =>
      app.inject({ url, headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) } }),
    async close(keepDatabase = false) {
      await platform.close();
      if (!sharedBus) await bus.close();
      if (!keepDatabase) await db.drop();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}
export type TestVenue = Awaited<ReturnType<typeof testVenue>>;
