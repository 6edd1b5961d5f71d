import type { ClipManifest } from "@longarm/contract/recording";
import type { AgentPeer } from "../link/agent-peer.ts";
import type { Clock, Stop } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import { startLoop } from "../supervisor/loop.ts";
import type { WantedClip } from "./clip.ts";
import { isCovered, uploadClip } from "./clip.ts";
import { INDEX_NAME } from "./index-file.ts";
import type { MachineRecord, MachineRecordDeps } from "./machine-record.ts";
import { startMachineRecord } from "./machine-record.ts";
import { sessionKeyOf } from "./recorded-session.ts";
import type { SessionFacts } from "./session-file.ts";
import type { Shelf } from "./shelf.ts";
import { createShelf } from "./shelf.ts";

/** How often room is made, ms. */
const SWEEP_MS = 60_000;
/** How often it is looked which session's chain is to be written down, and how long one under way may go without, ms. */
const ANCHOR_LOOK_MS = 5_000;
const ANCHOR_MS = 600_000;
/** Clips that are uploaded at once; one after the other, so that together they have the rate of one. */
const CLIPS_WAITING_MAX = 64;
/** How long a clip waits until what is being written now is whole, ms. */
const COVERED_MS_MAX = 20_000;
const COVERED_LOOK_MS = 500;

/** Puts a clip to the platform; each rejects with a sentence. */
export interface ClipDoor {
  part(clipId: string, name: string, bytes: Buffer): Promise<void>;
  manifest(clipId: string, manifest: ClipManifest): Promise<void>;
}

export interface RecordsDeps {
  readonly files: Files;
  readonly folder: string;
  /** The venue's key, 32 bytes. */
  readonly key: Uint8Array;
  readonly keptMs: number;
  readonly bytesMax: number;
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly door: ClipDoor;
  /** A sentence for the log. */
  readonly problem: (sentence: string, machineId?: string) => void;
}

/** The records of all machines of an agent. */
export interface Records {
  /** Begins to record a machine. */
  machine(machineId: string, parts: Pick<MachineRecordDeps, "grants" | "broadcast">): MachineRecord;
  /** The platform has taken our hello on this link. */
  linkUp(peer: AgentPeer): void;
  /** Uploads a clip in the background. False: this agent has no record of the session. */
  clip(wanted: WantedClip): boolean;
  /** A case holds a session, or no longer. False: this agent has no record of it. */
  hold(machineId: string, playSessionId: string, caseId: string, isHeld: boolean): Promise<boolean>;
  end(): Promise<void>;
}

/** Reads what earlier runs have left, and makes room. */
export async function openRecords(deps: RecordsDeps): Promise<Records> {
  const { clock, problem } = deps;
  const shelf = createShelf({ ...deps, problem });
  await shelf.open();
  const machines = new Map<string, MachineRecord>();
  let peer: AgentPeer | undefined;
  let full = false;
  const isRunning = ({ machine, session }: Pick<SessionFacts, "machine" | "session">): boolean =>
    machines.get(machine)?.session() === session;
  const anchors = startAnchors({ shelf, clock, isRunning, peer: () => peer });
  const clips = createClips(deps, shelf, isRunning);

  const sweep = async (): Promise<void> => {
    full = !(await shelf.sweep(isRunning));
  };
  const sweeps = startLoop({
    clock,
    idleMs: SWEEP_MS,
    run: sweep,
    failed: (error) => problem(`Old records could not be removed: ${String(error)}`),
  });
  const report = (machineId: string): void => {
    const why = machines.get(machineId)?.problem();
    peer?.notify("recording", { machineId, ...(why !== undefined && { problem: why }) });
  };

  return {
    machine(machineId, parts) {
      const record = startMachineRecord({
        ...{ ...deps, ...parts, machineId, shelf },
        obstacle: () => (full ? "the disk for records is full of what cases hold" : undefined),
        changed(why) {
          problem(why === undefined ? "Play is recorded again." : `Play is not recorded: ${why}.`, machineId);
          report(machineId);
        },
        ended: anchors.ring,
      });
      machines.set(machineId, record);
      return record;
    },
    linkUp(linked) {
      peer = linked;
      for (const machineId of machines.keys()) report(machineId);
      anchors.ring();
    },
    clip: clips.add,
    async hold(machineId, playSessionId, caseId, isHeld) {
      if (shelf.find(machineId, playSessionId) === undefined) return false;
      await shelf.change(machineId, playSessionId, (facts) => {
        const others = facts.locks.filter((one) => one !== caseId);
        return { ...facts, locks: isHeld ? [...others, caseId] : others };
      });
      return true;
    },
    async end() {
      await Promise.all([...machines.values()].map((record) => record.end()));
      await Promise.all([anchors.stop(), sweeps.stop(), clips.end()]);
    },
  };
}

type AnchorDeps = {
  readonly shelf: Shelf;
  readonly clock: Clock;
  readonly isRunning: (facts: SessionFacts) => boolean;
  readonly peer: () => AgentPeer | undefined;
};

/** Has the platform write down how far each session's chain has come: at its end, and each ten minutes before. */
function startAnchors({ shelf, clock, isRunning, peer }: AnchorDeps) {
  const anchoredAt = new Map<string, number>();

  async function anchor(platform: AgentPeer, facts: SessionFacts): Promise<void> {
    const { machine: machineId, session: playSessionId, links, head } = facts;
    const answer = await platform.request("recording.anchor", { machineId, playSessionId, links, head });
    // A platform that refuses does not know the session, or what an anchor is: nothing would change that.
    if (answer.is === "unknown") throw new Error("The platform did not answer.");
    anchoredAt.set(`${machineId} ${playSessionId}`, clock.now());
    await shelf.change(machineId, playSessionId, (now) => ({ ...now, anchored: Math.max(now.anchored, links) }));
  }

  return startLoop({
    clock,
    idleMs: ANCHOR_LOOK_MS,
    async run() {
      const platform = peer();
      if (platform === undefined || platform.closed) return;
      for (const facts of shelf.unanchored()) {
        const last = anchoredAt.get(`${facts.machine} ${facts.session}`) ?? facts.beganAt;
        if (!isRunning(facts) || clock.now() - last >= ANCHOR_MS) await anchor(platform, facts);
      }
    },
  });
}

/** Uploads clips one after the other. */
function createClips(deps: RecordsDeps, shelf: Shelf, isRunning: AnchorDeps["isRunning"]) {
  const { files, clock, door } = deps;
  const waiting = new Map<string, WantedClip>();
  let running: Promise<void> | undefined;
  let stopWaiting: Stop = () => undefined;
  let ended = false;

  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const stop = clock.after(COVERED_LOOK_MS, resolve);
      stopWaiting = () => {
        stop();
        resolve();
      };
    });

  /** What is being recorded now comes with the next sealed line. */
  async function covered(
    folder: string,
    { machineId: machine, playSessionId: session, toMs }: WantedClip,
  ): Promise<void> {
    const until = clock.now() + COVERED_MS_MAX;
    while (!ended && isRunning({ machine, session } as SessionFacts) && clock.now() < until) {
      if (isCovered((await files.read(`${folder}/${INDEX_NAME}`)) ?? Buffer.alloc(0), toMs)) return;
      await pause();
    }
  }

  async function upload(wanted: WantedClip): Promise<void> {
    const { machineId, playSessionId, clipId } = wanted;
    const folder = shelf.folderOf(machineId, playSessionId);
    await covered(folder, wanted);
    const sessionKey = sessionKeyOf(deps.key, machineId, playSessionId);
    const put = (name: string, bytes: Buffer) =>
      ended ? Promise.reject(new Error("The agent ends.")) : door.part(clipId, name, bytes);
    await door.manifest(clipId, await uploadClip({ files, folder, sessionKey, put }, wanted));
  }

  async function run(): Promise<void> {
    for (let [next] = waiting.values(); next !== undefined && !ended; [next] = waiting.values()) {
      // The platform asks again for what did not arrive.
      await upload(next).catch((error: unknown) =>
        deps.problem(`A clip was not uploaded: ${String(error)}`, next?.machineId),
      );
      waiting.delete(next.clipId);
    }
    running = undefined;
  }

  return {
    add(wanted: WantedClip): boolean {
      if (shelf.find(wanted.machineId, wanted.playSessionId) === undefined) return false;
      if (waiting.size < CLIPS_WAITING_MAX && !waiting.has(wanted.clipId)) waiting.set(wanted.clipId, wanted);
      running ??= run();
      return true;
    },
    async end(): Promise<void> {
      ended = true;
      stopWaiting();
      await running;
    },
  };
}
