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
import type { MediaLine, RemoteBroadcast } from "./remote-broadcast.ts";
import { createRemoteBroadcast } from "./remote-broadcast.ts";

/** A media process that serves and is not heard for this long hangs, ms. */
const SILENT_MS_MAX = 2_000;
/** It may take so long to begin, ms: what it imports holds its event loop. */
const BEGIN_MS_MAX = 20_000;
const LOOK_MS = 250;
/** A pause of our own between two looks counts as no more than this, ms: the media process is not to blame for it. */
const LOOK_COUNTS_MS_MAX = 2 * LOOK_MS;
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

/** Pictures and connections of every machine, in a process of their own: whatever ends or holds that, machines and seats do not notice. */
export interface MediaProcess {
  readonly makeBroadcast: MakeBroadcast;
  /** Whether it has begun: what is asked before waits for that. */
  serves(): boolean;
  /** How often it had to be started again. */
  restarts(): number;
  /** Memory of the process that runs now, bytes. */
  memory(): number;
  pid(): number | undefined;
  end(): Promise<void>;
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

export function startMediaProcess(deps: MediaProcessDeps): MediaProcess {
  const { clock, start, silentMsMax = SILENT_MS_MAX } = deps;
  const broadcasts = new Map<string, RemoteBroadcast>();
  let life: Life | undefined;
  let ending = false;
  let restarts = 0;
  let ends = 0;
  let numbers = 0;
  let stopWaiting: Stop = () => undefined;

  function begin(): void {
    const child = spawnMedia(deps);
    const now: Life = {
      child,
      frames: openFrames(child.stdio[3] as unknown as Duplex, {
        bytesMax: FROM_MEDIA_BYTES_MAX,
        message: (message, bytes) => life === now && hear(message, bytes),
        broken: (sentence) => kill(now, sentence),
      }),
      beganAt: clock.now(),
      asked: new Map(),
      ready: false,
      silentMs: 0,
      memory: 0,
    };
    const hear = listen(now, {
      broadcasts,
      clock,
      problem: deps.problem,
      began: deps.began,
      kill: (why) => kill(now, why),
      machines: start.machines.length,
    });
    life = now;
    const gone = (why: string) => over(now, why);
    child.once("exit", (code, signal) => gone(signal ?? `code ${code}`));
    child.once("error", (error) => gone(error.message));
    now.frames.send({ is: "start", ...start } satisfies CoreMessage);
    for (const broadcast of broadcasts.values()) broadcast.begin();
  }

  /** It hangs, or says what it must not: it is not asked to stop. */
  function kill(now: Life, why: string): void {
    now.child.kill("SIGKILL");
    over(now, why);
  }

  function over(now: Life, why: string): void {
    if (life !== now) return;
    life = undefined;
    for (const { failed, stop } of now.asked.values()) {
      stop();
      failed(away());
    }
    for (const broadcast of broadcasts.values()) broadcast.lost();
    if (ending) return;
    ends = clock.now() - now.beganAt > STEADY_MS ? 1 : ends + 1;
    restarts += 1;
    const waitMs = REVIVE_MS[Math.min(ends, REVIVE_MS.length) - 1] ?? 0;
    const again = waitMs === 0 ? "at once" : `in ${waitMs / 1_000} s`;
    deps.problem(`The media process has ended (${why}); machines and seats go on, and it is started again ${again}.`);
    if (waitMs === 0) begin();
    else stopWaiting = clock.after(waitMs, begin);
  }

  let lookedAt = clock.now();
  const stopLooking = clock.every(LOOK_MS, () => {
    const passedMs = Math.min(LOOK_COUNTS_MS_MAX, clock.now() - lookedAt);
    lookedAt = clock.now();
    if (life === undefined) return;
    life.silentMs += passedMs;
    const allowedMs = life.ready ? silentMsMax : BEGIN_MS_MAX;
    if (life.silentMs > allowedMs) kill(life, "it was silent");
    else if (life.frames.waitingBytes() > WAITING_BYTES_MAX) kill(life, "it takes nothing any more");
  });

  function ask(message: (ask: number) => CoreMessage, waitMs: number): Promise<MediaAnswer> {
    const now = life;
    if (now === undefined) return Promise.reject(away());
    numbers += 1;
    const number = numbers;
    return new Promise((answered, failed) => {
      const stop = clock.after(waitMs, () => {
        now.asked.delete(number);
        failed(new OfferProblem("The media process did not answer in time; try again."));
      });
      now.asked.set(number, { answered, failed, stop });
      now.frames.send(message(number));
    });
  }

  begin();
  return {
    makeBroadcast: (machineId, { glass }) => {
      const line: MediaLine = {
        send: (message) => life?.frames.send(message),
        ask,
        newViewer: () => {
          numbers += 1;
          return numbers;
        },
        problem: (sentence) => deps.problem(sentence, machineId),
        left: () => {
          if (broadcasts.get(machineId) === made) broadcasts.delete(machineId);
        },
      };
      const made = createRemoteBroadcast(machineId, glass, line);
      broadcasts.set(machineId, made);
      made.begin();
      return made;
    },
    serves: () => life?.ready === true,
    restarts: () => restarts,
    memory: () => life?.memory ?? 0,
    pid: () => life?.child.pid,
    async end() {
      ending = true;
      stopLooking();
      stopWaiting();
      await stopChild(life?.child, clock);
    },
  };
}

const away = (): Error => new OfferProblem("The pictures of this venue are being started again; try again.");

type ListenDeps = {
  readonly broadcasts: ReadonlyMap<string, RemoteBroadcast>;
  readonly clock: Clock;
  readonly problem: MediaProcessDeps["problem"];
  readonly began: MediaProcessDeps["began"];
  readonly machines: number;
  /** It says what it must not, or too much. */
  readonly kill: (why: string) => void;
};

/** Takes what one media process says: read by its schema, counted, and passed to the machine that it is about. */
function listen(
  life: Life,
  { broadcasts, clock, problem, began, machines, kill }: ListenDeps,
): (message: unknown, bytes: number) => void {
  const messages = createBudget(clock, ...MESSAGES);
  const room = createBudget(clock, ...BYTES);
  const states = createBudget(clock, ...STATES);
  const sentences = createBudget(clock, ...SENTENCES);
  const memoryMax = (MEMORY_MB.always + MEMORY_MB.each * machines) * 1024 * 1024;

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
  // A process that has ended is told by its exit.
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
