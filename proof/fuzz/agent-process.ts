import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "@longarm/agent/system-clock";
import type { FakePlatform } from "@longarm/agent/testing/fake-platform";
import { fakePlatform } from "@longarm/agent/testing/fake-platform";
import type { Held, Notes } from "./notes.ts";

/** The longest that an answer of a living agent takes on a busy computer, ms. */
const ANSWER_MS = 30_000;
const START_MS = 120_000;
/** It hangs only when this proof says so: on a busy computer two seconds are soon over. */
const SILENT_MS = 60_000;
const PROGRAM = join(import.meta.dirname, "../../apps/agent/src/main.ts");
const MEDIA = "media-main.ts";
const MACHINE = "nar-01";
const EPOCH = 1;
const CREDIT_MINOR = 50_000;
const STAKE_MINOR = 1_200;

export class AgentGone extends Error {}

/** What the platform lets a watcher do to an agent. */
export interface AgentSide {
  /** Answers the SDP; undefined: the offer was refused. A further offer under the same name begins ICE anew. */
  join(id: string, sdp: string): Promise<string | undefined>;
  leave(id: string): void;
  trickle(id: string, candidate: string): void;
  /** Whether the agent has said that this one is gone. */
  closed(id: string): boolean;
}

/** A real agent under attack, its core and its media process, linked to the least of a platform. */
export class AgentProcess implements AgentSide {
  readonly #platform: FakePlatform;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #notes: Notes;
  readonly #closed = new Set<string>();
  readonly #clock = systemClock();
  #said = "";
  #ending = false;
  #numbers = 0;

  static async open(notes: Notes): Promise<AgentProcess> {
    const platform = await fakePlatform();
    const agent = new AgentProcess(platform, notes, await mkdtemp(join(tmpdir(), "longarm-fuzz-agent-")));
    try {
      for (const from = performance.now(); agent.media === 0 || platform.peer() === undefined; await pause(20))
        if (performance.now() - from > START_MS || agent.gone() !== undefined)
          throw new AgentGone(agent.gone() ?? `The agent does not start: ${agent.#said}`);
      await agent.expectAnswer();
      return agent;
    } catch (error) {
      await agent.end();
      throw error;
    }
  }

  private constructor(platform: FakePlatform, notes: Notes, folder: string) {
    this.#platform = platform;
    this.#notes = notes;
    this.#folder = folder;
    platform.viewer = ({ viewerId, state }) => {
      if (state === "closed") this.#closed.add(viewerId);
    };
    this.#child = spawn(process.execPath, [PROGRAM], {
      env: {
        ...{ PATH: process.env["PATH"], HOME: process.env["HOME"], NODE_OPTIONS: notes.nodeOptions },
        ...{ PLATFORM_URL: platform.url, AGENT_KEY: platform.key, DATA_FOLDER: folder, FLOOR_MACHINES: "1" },
        ...{ EXTRA_HOSTS: "127.0.0.1", ONLY_EXTRA_HOSTS: "yes", CANDIDATES_OPEN: "127.0.0.0/8", FLOOR_SEED: "fuzz" },
        ...{ LOG_LEVEL: "warn", LONGARM_MEDIA_SILENT_MS: String(SILENT_MS) },
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (text: Buffer) => {
        this.#said = (this.#said + text.toString()).slice(-4_000);
      });
  }

  get core(): number {
    return this.#child.pid ?? 0;
  }

  /** The first one; 0: it has not begun. */
  get media(): number {
    return this.#notes.pids(this.core, MEDIA)[0] ?? 0;
  }

  closed(id: string): boolean {
    return this.#closed.has(id);
  }

  /** A sentence when one of its processes has ended by itself. */
  gone(): string | undefined {
    if (this.#ending) return undefined;
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return `The agent ended (${exitCode ?? signalCode}): ${this.#said}`;
    const isOther = this.#notes.pids(this.core, MEDIA).length > 1 || (this.media !== 0 && !isAlive(this.media));
    return isOther ? `The media process ended: ${this.#said}` : undefined;
  }

  join(id: string, sdp: string): Promise<string | undefined> {
    return this.#offer({ viewerId: id, role: "spectator", sdp });
  }

  /** Gives the seat to a player, who joins as such. */
  async seat(sdp: string): Promise<string | undefined> {
    const seat = { machineId: MACHINE, epoch: EPOCH, playSessionId: "ps_1", leaseMs: 600_000 };
    await this.#platform.peer()?.request("seat.grant", seat);
    return await this.#offer({ viewerId: "player", role: "player", epoch: EPOCH, sdp });
  }

  /** Has the player press for a game; answers what became of it. */
  async spin(): Promise<string> {
    const peer = this.#platform.peer();
    const machine = { machineId: MACHINE, epoch: EPOCH };
    this.#numbers += 1;
    // Refused where there is credit enough.
    const transferId = `tr_${String(this.#numbers).padStart(8, "0")}`;
    await peer?.request("egm.cashIn", { ...machine, transferId, amount: CREDIT_MINOR });
    const press = { seq: this.#numbers, button: "spin", at: this.#clock.now(), stake: STAKE_MINOR };
    const answer = await peer?.request("press", { ...machine, ...press });
    return answer?.is === "done" ? answer.data.outcome : "silent";
  }

  leave(id: string): void {
    void this.#platform.peer()?.request("rtc.close", { machineId: MACHINE, viewerId: id });
  }

  trickle(id: string, candidate: string): void {
    this.#platform.peer()?.notify("rtc.candidate", { machineId: MACHINE, viewerId: id, candidate, sdpMid: "0" });
  }

  /** Throws `AgentGone` when a process has ended or hangs: an offer that is none must be refused by the media process itself. */
  async expectAnswer(): Promise<void> {
    for (const from = performance.now(); ; await pause(50)) {
      const answer = await this.#request({ viewerId: "first", role: "spectator", sdp: "v=0\r\n" });
      const sentence = answer.is === "refused" ? JSON.stringify(answer) : "";
      if (/offer|SDP/i.test(sentence) && !/try again/.test(sentence)) return;
      if (performance.now() - from > START_MS)
        throw new AgentGone(`The media process hangs: ${sentence} ${this.#said}`);
    }
  }

  /** What both processes hold once their garbage is gone. */
  async held(): Promise<{ readonly core: Held; readonly media: Held }> {
    try {
      return { core: await this.#notes.held(this.core), media: await this.#notes.held(this.media) };
    } catch (error) {
      throw new AgentGone(this.gone() ?? String(error), { cause: error });
    }
  }

  async end(): Promise<void> {
    this.#ending = true;
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, "exit");
      // The media process ends with its core.
      this.#child.kill("SIGKILL");
      await ended;
    }
    await this.#platform.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #offer(offer: Offer): Promise<string | undefined> {
    const answer = await this.#request(offer);
    return answer.is === "done" ? answer.data.sdp : undefined;
  }

  async #request(offer: Offer) {
    const peer = this.#platform.peer();
    const input = { machineId: MACHINE, iceServers: [], ...offer };
    const answer = await peer?.request("rtc.offer", input, { deadlineMs: ANSWER_MS });
    const gone = this.gone();
    if (gone !== undefined) throw new AgentGone(gone);
    if (answer === undefined || answer.is === "unknown") throw new AgentGone(`The agent hangs: ${this.#said}`);
    return answer;
  }
}

type Offer = {
  readonly viewerId: string;
  readonly role: "player" | "spectator";
  readonly epoch?: number;
  readonly sdp: string;
};

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
