import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Clock, Stop } from "../ports/clock.ts";
import { OfferProblem } from "../ports/transport.ts";
import type { MakeBroadcast } from "../supervisor/opened.ts";
import { createBudget } from "./budget.ts";
import type { Frames } from "./frames.ts";
import { openFrames } from "./frames.ts";
import type { CoreMessage, MediaAnswer, MediaStart } from "./messages.ts";
import { FROM_MEDIA_BYTES_MAX, MediaMessage } from "./messages.ts";
import type { MediaLine } from "./remote-broadcast.ts";
import { RemoteBroadcast } from "./remote-broadcast.ts";

/** A media process that serves and is not heard for this long hangs, ms. */
const SILENT_MS_MAX = 2_000;
/** It may take so long to begin, ms: what it imports holds its event loop. */
const BEGIN_MS_MAX = 20_000;
const LOOK_MS = 250;
/** Waits before a media process that keeps ending is started again, ms: the first time none. */
const REVIVE_MS = [0, 500, 1_000, 2_000, 5_000, 10_000] as const;
/** One that ran for so long is forgiven its earlier ends, ms. */
const STEADY_MS = 60_000;
/** How long it may take to end in order, ms. */
const STOP_MS_MAX = 2_000;

/** Bytes that may wait for it before it counts as hung. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;
/** Memory for scripts, and of the whole process, MB: always, and for each machine. */
const HEAP_MB = { always: 256, each: 16 } as const;
const MEMORY_MB = { always: 1_024, each: 128 } as const;

/** What it may say: messages and bytes of all kinds, changes of viewers, and sentences for the log. Burst, and a second. */
const MESSAGES = [8_000, 3_000] as const;
const BYTES = [16 * 1024 * 1024, 4 * 1024 * 1024] as const;
const STATES = [2_048, 200] as const;
const SENTENCES = [50, 5] as const;

export interface MediaProcessDeps {
  readonly start: MediaStart;
  readonly clock: Clock;
  /** The environment that the media process is given; it must hold no secret. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly problem: (sentence: string, machineId?: string) => void;
  /** A process has begun. */
  readonly began?: (pid: number | undefined) => void;
  /** How long it may be silent, ms; by default 2 s. */
  readonly silentMsMax?: number;
  /** The program; by default the real one. */
  readonly program?: string;
}

type Asked = {
  readonly answered: (answer: MediaAnswer) => void;
  readonly failed: (problem: Error) => void;
  readonly stop: Stop;
};

/** One life of the media process. */
type Life = {
  readonly child: ChildProcess;
  readonly frames: Frames;
  readonly beganAt: number;
  readonly asked: Map<number, Asked>;
  ready: boolean;
  silentMs: number;
  memory: number;
};

/** Pictures and connections of every machine, in a process of their own: whatever ends or holds that, machines and seats do not notice. */
export class MediaProcess {
  readonly #deps: MediaProcessDeps;
  readonly #broadcasts = new Map<string, RemoteBroadcast>();
  readonly #stopLooking: Stop;
  #life: Life | undefined;
  #ending = false;
  #restarts = 0;
  /** How often it ended in a row. */
  #ends = 0;
  #numbers = 0;
  #lookedAt: number;
  #stopWaiting: Stop = () => undefined;

  constructor(deps: MediaProcessDeps) {
    this.#deps = deps;
    this.#lookedAt = deps.clock.now();
    this.#begin();
    this.#stopLooking = deps.clock.every(LOOK_MS, () => this.#look());
  }

  readonly makeBroadcast: MakeBroadcast = (machineId, { glass }) => {
    const line: MediaLine = {
      send: (message) => this.#life?.frames.send(message),
      ask: (message, waitMs) => this.#ask(message, waitMs),
      newViewer: () => this.#number(),
      problem: (sentence) => this.#deps.problem(sentence, machineId),
      left: () => {
        if (this.#broadcasts.get(machineId) === made) this.#broadcasts.delete(machineId);
      },
    };
    const made = new RemoteBroadcast(machineId, glass, line);
    this.#broadcasts.set(machineId, made);
    made.begin();
    return made;
  };

  /** Whether it has begun: what is asked before waits for that. */
  serves(): boolean {
    return this.#life?.ready === true;
  }

  /** How often it had to be started again. */
  restarts(): number {
    return this.#restarts;
  }

  /** Memory of the process that runs now, bytes. */
  memory(): number {
    return this.#life?.memory ?? 0;
  }

  pid(): number | undefined {
    return this.#life?.child.pid;
  }

  async end(): Promise<void> {
    this.#ending = true;
    this.#stopLooking();
    this.#stopWaiting();
    await stopChild(this.#life?.child, this.#deps.clock);
  }

  #begin(): void {
    const { clock, start } = this.#deps;
    const child = spawnMedia(this.#deps);
    const life: Life = {
      child,
      frames: openFrames(child.stdio[3] as unknown as Duplex, {
        bytesMax: FROM_MEDIA_BYTES_MAX,
        message: (message, bytes) => this.#life === life && hear(message, bytes),
        broken: (sentence) => this.#kill(life, sentence),
      }),
      beganAt: clock.now(),
      asked: new Map(),
      ready: false,
      silentMs: 0,
      memory: 0,
    };
    const hear = listen(life, this.#broadcasts, this.#deps, (why) => this.#kill(life, why));
    this.#life = life;
    child.once("exit", (code, signal) => this.#over(life, signal ?? `code ${code}`));
    child.once("error", (error) => this.#over(life, error.message));
    life.frames.send({ is: "start", ...start } satisfies CoreMessage);
    for (const broadcast of this.#broadcasts.values()) broadcast.begin();
  }

  #look(): void {
    const { clock, silentMsMax = SILENT_MS_MAX } = this.#deps;
    // A pause of our own counts as no more than one look: the media process is not to blame for it.
    const passedMs = Math.min(LOOK_MS, clock.now() - this.#lookedAt);
    this.#lookedAt = clock.now();
    const life = this.#life;
    if (life === undefined) return;
    life.silentMs += passedMs;
    if (life.silentMs > (life.ready ? silentMsMax : BEGIN_MS_MAX)) this.#kill(life, "it was silent");
    else if (life.frames.waitingBytes() > WAITING_BYTES_MAX) this.#kill(life, "it takes nothing any more");
  }

  /** It hangs, or says what it must not: it is not asked to stop. */
  #kill(life: Life, why: string): void {
    life.child.kill("SIGKILL");
    this.#over(life, why);
  }

  #over(life: Life, why: string): void {
    if (this.#life !== life) return;
    const { clock, problem } = this.#deps;
    this.#life = undefined;
    for (const { failed, stop } of life.asked.values()) {
      stop();
      failed(away());
    }
    for (const broadcast of this.#broadcasts.values()) broadcast.lost();
    if (this.#ending) return;
    this.#ends = clock.now() - life.beganAt > STEADY_MS ? 1 : this.#ends + 1;
    this.#restarts += 1;
    const waitMs = REVIVE_MS[Math.min(this.#ends, REVIVE_MS.length) - 1] ?? 0;
    const again = waitMs === 0 ? "at once" : `in ${waitMs / 1_000} s`;
    problem(`The media process has ended (${why}); machines and seats go on, and it is started again ${again}.`);
    if (waitMs === 0) this.#begin();
    else this.#stopWaiting = clock.after(waitMs, () => this.#begin());
  }

  #number(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  #ask(message: (ask: number) => CoreMessage, waitMs: number): Promise<MediaAnswer> {
    const life = this.#life;
    if (life === undefined) return Promise.reject(away());
    const number = this.#number();
    return new Promise((answered, failed) => {
      const stop = this.#deps.clock.after(waitMs, () => {
        life.asked.delete(number);
        failed(new OfferProblem("The media process did not answer in time; try again."));
      });
      life.asked.set(number, { answered, failed, stop });
      life.frames.send(message(number));
    });
  }
}

const away = (): Error => new OfferProblem("The pictures of this venue are being started again; try again.");

/**
 * Takes what one media process says: read by its schema, counted, and passed to the machine that it is about. `kill`: it says what it must not, or
 * too much.
 */
function listen(
  life: Life,
  broadcasts: ReadonlyMap<string, RemoteBroadcast>,
  { clock, start, problem, began }: MediaProcessDeps,
  kill: (why: string) => void,
): (message: unknown, bytes: number) => void {
  const messages = createBudget(clock, ...MESSAGES);
  const room = createBudget(clock, ...BYTES);
  const states = createBudget(clock, ...STATES);
  const sentences = createBudget(clock, ...SENTENCES);
  const memoryMax = (MEMORY_MB.always + MEMORY_MB.each * start.machines.length) * 1024 * 1024;

  function answered(answer: MediaAnswer): void {
    const asked = life.asked.get(answer.ask);
    life.asked.delete(answer.ask);
    asked?.stop();
    asked?.answered(answer);
  }

  function beat({ memory, lanes }: Extract<MediaMessage, { is: "beat" }>): void {
    life.silentMs = 0;
    life.memory = memory;
    for (const { machine, lanes: figures } of lanes) broadcasts.get(machine)?.figures(figures);
    if (memory > memoryMax) kill(`it holds ${Math.round(memory / 1024 / 1024)} MB`);
  }

  return (message, bytes) => {
    if (!messages.take(1) || !room.take(bytes)) return kill("it says too much");
    const parsed = MediaMessage.safeParse(message);
    if (!parsed.success) return kill("it says what cannot be read");
    const said = parsed.data;
    switch (said.is) {
      case "beat":
        return beat(said);
      case "ready":
        life.ready = true;
        began?.(life.child.pid);
        return;
      case "problem":
        if (sentences.take(1)) problem(said.sentence.replaceAll(/\p{Cc}/gu, " "), said.machine);
        return;
      case "state":
      case "candidate":
      case "press":
        if (said.is === "state" && !states.take(1)) return kill("its viewers come and go too often");
        broadcasts.get(said.machine)?.hear(said);
        return;
      default:
        answered(said);
    }
  };
}

/** What a program may need of its surroundings. A list of what is let through and not of what is kept back: keys and seeds are everywhere. */
const ENVIRONMENT =
  /^(PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|DISPLAY|XAUTHORITY|XDG_RUNTIME_DIR|LD_LIBRARY_PATH|NODE_(OPTIONS|ENV|COMPILE_CACHE|EXTRA_CA_CERTS)|PULSE_\w+|ALSA_\w+|UV_THREADPOOL_SIZE|FONTCONFIG_\w+)$/;

/** The part of an environment that holds no secret of the agent's. */
export function mediaEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => ENVIRONMENT.test(entry[0]) && entry[1] !== undefined,
    ),
  );
}

function spawnMedia({ start, environment, program }: MediaProcessDeps): ChildProcess {
  const heapMb = HEAP_MB.always + HEAP_MB.each * start.machines.length;
  const main = program ?? fileURLToPath(new URL("./media-main.ts", import.meta.url));
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", `--max-old-space-size=${heapMb}`, main],
    { env: mediaEnvironment(environment), stdio: ["ignore", "inherit", "inherit", "pipe"] },
  );
  // The exit event reports a process that has ended.
  child.stdio[3]?.on("error", () => undefined);
  return child;
}

/** It ends by itself when its pipe does. */
async function stopChild(child: ChildProcess | undefined, clock: Clock): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((settled) => child.once("exit", () => settled()));
  const stop = clock.after(STOP_MS_MAX, () => child.kill("SIGKILL"));
  child.stdio[3]?.destroy();
  await gone;
  stop();
}
