import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { IceServer } from "@longarm/contract/ice-server";
import { temporaryDataFolder } from "@longarm/database/testing/data-folder";
import type { Browser } from "playwright-core";
import { build } from "vite";
import { relayServer } from "../../apps/agent/src/media/transport/werift/relay.ts";
import { launchBrowser } from "../../rig/page/visitor.ts";
import { openTurnServer } from "../../rig/venue/turn-server.ts";
import type { Venue } from "../../rig/venue/venue.ts";
import { NO_RATE_LIMITS, openVenue } from "../../rig/venue/venue.ts";
import type { AgentStages } from "./agent-stages.ts";
import { openAgentStages } from "./agent-stages.ts";

/** Everything a measurement needs: a whole Longarm of its own and a browser. */
export type Setup = {
  readonly venue: Venue;
  readonly browser: Browser;
  /** The script that watches each page. */
  readonly probe: string;
  /** What the agent reports of each picture and press. */
  readonly stages: AgentStages;
  /** A TURN server on this computer with credentials for it, started on first use. @throws Advice or Error. */
  turnServer(): Promise<IceServer>;
  readonly say: (line: string) => void;
  close(): Promise<void>;
};

/** Machines on the floor; none is special, and each is opened cold. */
export const MACHINES = ["nar-01", "kuzey-01"] as const;

/** The first 271 games of both machines are plain ones: free spins and bonuses would be waited for, not measured. */
export const SEED = "bench 27";
/** From one game's start to the next one's, ms; quicker than a real machine's 2500, for more presses in the same time. */
export const CYCLE_MS = 1_800;

/** Writing many rows at once, ms. */
const STATEMENT_MS_MAX = 120_000;

/** Starts on free ports in a fresh folder. What was started is stopped again when a later part fails. */
export async function openSetup(say: (line: string) => void): Promise<Setup> {
  const undo: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step().catch(() => {});
  };
  try {
    const data = await temporaryDataFolder();
    undo.push(data.remove);
    const stages = await openAgentStages(join(data.folder, "stages.log"));
    const venue = await openVenue({
      ...{ web: true, say, dataFolder: data.folder, agentEnv: stages.env },
      floor: { machines: 4, seed: SEED, timeCode: true, minCycleMs: CYCLE_MS },
      // One account watches three times in the part that measures spectators.
      platformEnv: { ...NO_RATE_LIMITS, WATCHED_MAX: "4", QUEUE_PLACES: "3" },
      connections: { max: 1, statementMs: STATEMENT_MS_MAX },
    });
    undo.push(venue.close);
    const browser = await launchBrowser(say);
    undo.push(() => browser.close());
    const turnServer = onDemand(undo);
    return { venue, browser, probe: await bundleProbe(), stages, turnServer, say, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function onDemand(undo: (() => Promise<unknown>)[]): () => Promise<IceServer> {
  let opened: ReturnType<typeof openTurnServer> | undefined;
  return async () => {
    opened ??= openTurnServer();
    const { urls, secret, close } = await opened;
    if (!undo.includes(close)) undo.push(close);
    return turnCredentials(urls, secret);
  };
}

/** For a TURN server of the setup, good for ten minutes from now. */
export function turnCredentials(urls: readonly string[], secret: string): IceServer {
  const server = relayServer(urls, secret, performance.timeOrigin + performance.now());
  return { ...server, urls: [...urls] };
}

/** Waits for something; false when it did not come within `limitMs`. */
export async function within(limitMs: number, holds: () => Promise<boolean>): Promise<boolean> {
  const endsAt = performance.now() + limitMs;
  while (performance.now() < endsAt) {
    if (await holds()) return true;
    await pause(20);
  }
  return false;
}

/** The probe as one script for the page, made of the same sources that the agent's own tests read pictures with. */
async function bundleProbe(): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: "error",
    publicDir: false,
    build: {
      write: false,
      lib: { entry: join(import.meta.dirname, "probe.ts"), formats: ["iife"], name: "longarmBench" },
    },
  });
  const [first] = Array.isArray(made) ? made : [made];
  const chunk = first !== undefined && "output" in first ? first.output[0] : undefined;
  if (chunk === undefined) throw new Error("The probe could not be bundled.");
  return chunk.code;
}
