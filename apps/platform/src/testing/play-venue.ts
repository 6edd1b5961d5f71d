import { afterAll, beforeAll, beforeEach, expect, vi } from "vitest";
import { enrolAgent } from "../modules/play/agents/index.ts";
import { makePlay } from "../modules/play/index.ts";
import type { PlayState } from "../modules/play/seat/index.ts";
import { playStates } from "../modules/play/seat/index.ts";
import type { PlayDb, PlayTables } from "../modules/play/tables.ts";
import type { MoneyTrace } from "../money-trace.ts";
import { systemRandom } from "../random.ts";
import type { FakeAgent } from "./fake-agent.ts";
import { fakeAgent } from "./fake-agent.ts";
import { FakeMachine } from "./fake-machine.ts";
import type { Page } from "./fake-page.ts";
import { openPage } from "./fake-page.ts";
import type { VenueOptions } from "./test-venue.ts";
import { testVenue } from "./test-venue.ts";

const patience = { timeout: 60_000, interval: 20 };

/** Waits until a condition holds, with a deadline. */
export async function eventually(check: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(check, patience);
}

export type PlayVenueOptions = Omit<VenueOptions, "makePlay"> & {
  /** Throw in it, and the platform stops there as a crash would. */
  readonly steps?: MoneyTrace;
};

/** A whole platform with play, listening, and hands for what tests need of it. */
export async function playVenue({ env = {}, steps, ...options }: PlayVenueOptions = {}) {
  const venue = await testVenue({
    ...options,
    env: { MONEY_RETRY_MS: "100", CALLS_PER_MINUTE: "100000", ...env },
    makePlay: (deps, server) => makePlay({ ...deps, ...(steps && { steps }) }, server),
  });
  const url = (await venue.platform.listen()).replace("http", "ws");
  const db: PlayDb = venue.db.kysely.withTables<PlayTables>() as PlayDb;
  const agents: FakeAgent[] = [];
  const pages: Page[] = [];

  async function agent(machines: readonly FakeMachine[], name = "floor"): Promise<FakeAgent> {
    const { key } = await enrolAgent(db, systemRandom, name);
    const made = await fakeAgent({ url, key, machines });
    agents.push(made);
    return made;
  }

  async function seat(machineId: string) {
    return await db.selectFrom("seat").selectAll().where("machine_id", "=", machineId).executeTakeFirstOrThrow();
  }

  return {
    ...venue,
    url,
    db,
    /** To be kept for the next venue, with `end(true)`. */
    database: venue.db,
    /** The play sessions of this platform. */
    sessions: venue.platform.play.sessions,
    agent,
    /** An agent with one machine, linked. */
    async machine(id: string, made = new FakeMachine(id)): Promise<{ machine: FakeMachine; agent: FakeAgent }> {
      const linked = await agent([made], `agent of ${id}`);
      expect(await linked.hello()).toMatchObject({ is: "done" });
      return { machine: made, agent: linked };
    },
    /** A player with money in the wallet, signed in. */
    async player(username: string, depositMinor = 0): Promise<{ id: string; token: string }> {
      const id = await venue.addPlayer(username);
      if (depositMinor > 0) {
        const about = { actor: "staff:test" };
        const command = {
          kind: "deposit",
          from: "cage",
          to: `player:${id}`,
          amountMinor: depositMinor,
          about,
        } as const;
        await venue.ledger.transfer({ id: `deposit-${username}`, ...command });
      }
      return { id, token: await venue.signIn(username) };
    },
    async page(token: string, machineId: string): Promise<Page> {
      const page = await openPage({ url, token, machineId });
      pages.push(page);
      return page;
    },
    seat,
    async inState(machineId: string, state: PlayState): Promise<void> {
      expect(Object.keys(playStates)).toContain(state);
      await eventually(async () => expect((await seat(machineId)).state).toBe(state));
    },
    balanceOf: (playerId: string) => venue.platform.play.wallet.balanceOf(playerId),
    async ledgerOf(address: `player:${string}` | `machine:${string}` | "house" | "suspense"): Promise<number> {
      return (await venue.ledger.account(address)).balanceMinor;
    },
    /** Closes the platform and, unless kept, its database; the books must be right at the end of every test. */
    async end(keepDatabase = false): Promise<void> {
      expect(await venue.ledger.verify()).toEqual([]);
      for (const page of pages.splice(0)) page.drop();
      for (const linked of agents.splice(0)) await linked.kill();
      await venue.close(keepDatabase);
    },
  };
}
export type PlayVenue = Awaited<ReturnType<typeof playVenue>>;

/** A venue that all tests of one file share: opened before the first of them, ended after the last. */
export type SharedPlayVenue = PlayVenue & {
  /** Ends the platform and keeps its database, runs `meanwhile`, and starts a platform on the same database. */
  startAgain<T>(meanwhile: () => Promise<T>): Promise<T>;
};

/**
 * Opens a venue for all tests of a file. The returned value always means the current venue: after `startAgain` the next one, and at the
 * second try of a failed test a new one, because what the first try left behind could make the second fail too. `prepare` runs for each
 * new venue: people whom the tests share belong to it.
 */
export function sharePlayVenue(
  options: PlayVenueOptions = {},
  prepare: () => Promise<void> = async () => {},
): SharedPlayVenue {
  let current: PlayVenue;
  async function open(): Promise<void> {
    current = await playVenue(options);
    await prepare();
  }
  beforeAll(open);
  beforeEach(async ({ task }) => {
    if ((task.result?.retryCount ?? 0) === 0) return;
    // The failure of the first try is reported already.
    await current.close().catch(() => {});
    await open();
  });
  afterAll(() => current.end());

  const startAgain: SharedPlayVenue["startAgain"] = async (meanwhile) => {
    await current.end(true);
    const answer = await meanwhile();
    current = await playVenue({ ...options, database: current.database });
    return answer;
  };
  return new Proxy({ startAgain } as SharedPlayVenue, {
    get: (own, name) => Reflect.get(name in own ? own : current, name),
  });
}
