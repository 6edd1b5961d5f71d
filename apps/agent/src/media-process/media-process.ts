import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import type { EncoderName } from "../media/encoder/h264-encoders.ts";
import type { Clock, Stop } from "../ports/clock.ts";
import { OfferProblem } from "../ports/transport.ts";
import { createRateLimit } from "../rate-limit.ts";
import type { MakeBroadcast } from "../supervisor/opened.ts";
import type { MessageStream } from "./message-stream.ts";
import { openMessageStream } from "./message-stream.ts";
import type { CoreMessage, MediaAnswer, MediaStart } from "./messages.ts";
import { FROM_MEDIA_BYTES_MAX, MediaMessage } from "./messages.ts";
import type { MediaLink } from "./remote-broadcast.ts";
import { RemoteBroadcast } from "./remote-broadcast.ts";

/** A running media process without a heartbeat for this long hangs, ms. */
const SILENT_MS_MAX = 2_000;
/** Maximum start-up time, ms: its imports block its event loop. */
const BEGIN_MS_MAX = 20_000;
const LOOK_MS = 250;
/** Delays before a media process that keeps ending is started again, ms; the first time at once. */
const REVIVE_MS = [0, 500, 1_000, 2_000, 5_000, 10_000] as const;
/** After a run of this length earlier ends do not count any more, ms. */
const STEADY_MS = 60_000;
/** Maximum time to end in order, ms. */
const STOP_MS_MAX = 2_000;

/** With this many unread bytes it counts as hung. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;
/** Memory for scripts, and of the whole process, MB: always, and for each machine. */
const HEAP_MB = { always: 256, each: 16 } as const;
const MEMORY_MB = { always: 1_024, each: 128 } as const;

/** Limits on what it may send: messages and bytes of all kinds, changes of viewers, and sentences for the log. A second, and in a burst. */
const MESSAGES = [3_000, 8_000] as const;
const BYTES = [4 * 1024 * 1024, 16 * 1024 * 1024] as const;
const STATES = [200, 2_048] as const;
const SENTENCES = [5, 50] as const;

export interface MediaProcessDeps {
  readonly start: MediaStart;
  readonly clock: Clock;
  /** The environment that the media process is given; it must hold no secret. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly problem: (sentence: string, machineId?: string) => void;
  /** A process has begun. */
  readonly began?: (pid: number | undefined) => void;
  /** Maximum time without a heartbeat, ms; by default 2 s. */
  readonly silentMsMax?: number;
  /** The program; by default the real one. */
  readonly program?: string;
}

type OpenRequest = {
  readonly answered: (answer: MediaAnswer) => void;
  readonly failed: (problem: Error) => void;
  readonly stop: Stop;
};

/** One run of the media process, from its start to its end. */
type Run = {
  readonly child: ChildProcess;
  readonly stream: MessageStream;
  readonly beganAt: number;
  readonly requests: Map<number, OpenRequest>;
  ready: boolean;
  silentMs: number;
  memory: number;
  encoder: EncoderName;
};

/** The process that makes every machine's video and connections: whatever ends or blocks it, machines and seats continue. */
export class MediaProcess {
  readonly #deps: MediaProcessDeps;
  readonly #broadcasts = new Map<string, RemoteBroadcast>();
  readonly #stopLooking: Stop;
  #run: Run | undefined;
  #ending = false;
  #restarts = 0;
  /** Ends in a row. */
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
    const link: MediaLink = {
      send: (message) => this.#run?.stream.send(message),
      request: (message, waitMs) => this.#request(message, waitMs),
      newViewer: () => this.#number(),
      problem: (sentence) => this.#deps.problem(sentence, machineId),
      left: () => {
        if (this.#broadcasts.get(machineId) === made) this.#broadcasts.delete(machineId);
      },
    };
    const made = new RemoteBroadcast(machineId, glass, link);
    this.#broadcasts.set(machineId, made);
    made.begin();
    return made;
  };

  /** Whether it has started: earlier requests wait for that. */
  serves(): boolean {
    return this.#run?.ready === true;
  }

  /** How often it was started again. */
  restarts(): number {
    return this.#restarts;
  }

  /** Memory of the present process, bytes. */
  memory(): number {
    return this.#run?.memory ?? 0;
  }

  /** Whether another encoder of H.264 is used than the one that is wished for. */
  fellBack(): boolean {
    const { encoder = "x264" } = this.#deps.start;
    return (this.#run?.encoder ?? "x264") !== encoder;
  }

  pid(): number | undefined {
    return this.#run?.child.pid;
  }

  async end(): Promise<void> {
    this.#ending = true;
    this.#stopLooking();
    this.#stopWaiting();
    await stopChild(this.#run?.child, this.#deps.clock);
  }

  #begin(): void {
    const { clock, start } = this.#deps;
    const child = spawnMedia(this.#deps);
    const run: Run = {
      child,
      stream: openMessageStream(child.stdio[3] as unknown as Duplex, {
        bytesMax: FROM_MEDIA_BYTES_MAX,
        message: (message, bytes) => this.#run === run && read(message, bytes),
        broken: (sentence) => this.#kill(run, sentence),
      }),
      beganAt: clock.now(),
      requests: new Map(),
      ready: false,
      silentMs: 0,
      memory: 0,
      encoder: "x264",
    };
    const read = createReader(run, this.#broadcasts, this.#deps, (why) => this.#kill(run, why));
    this.#run = run;
    child.once("exit", (code, signal) => this.#over(run, signal ?? `code ${code}`));
    child.once("error", (error) => this.#over(run, error.message));
    // The driver of a graphics card may have ended the process before: it gets no second chance.
    const safe = this.#restarts === 0 ? {} : ({ encoder: "x264" } as const);
    run.stream.send({ is: "start", ...start, ...safe } satisfies CoreMessage);
    for (const broadcast of this.#broadcasts.values()) broadcast.begin();
  }

  #look(): void {
    const { clock, silentMsMax = SILENT_MS_MAX } = this.#deps;
    // A pause of this process counts as no more than one look: the media process did not cause it.
    const passedMs = Math.min(LOOK_MS, clock.now() - this.#lookedAt);
    this.#lookedAt = clock.now();
    const run = this.#run;
    if (run === undefined) return;
    run.silentMs += passedMs;
    if (run.silentMs > (run.ready ? silentMsMax : BEGIN_MS_MAX)) this.#kill(run, "it was silent");
    else if (run.stream.waitingBytes() > WAITING_BYTES_MAX) this.#kill(run, "it reads nothing any more");
  }

  /** It hangs, or sends what it must not: there is no orderly stop. */
  #kill(run: Run, why: string): void {
    run.child.kill("SIGKILL");
    this.#over(run, why);
  }

  #over(run: Run, why: string): void {
    if (this.#run !== run) return;
    const { clock, problem, start } = this.#deps;
    this.#run = undefined;
    for (const { failed, stop } of run.requests.values()) {
      stop();
      failed(away());
    }
    for (const broadcast of this.#broadcasts.values()) broadcast.lost();
    if (this.#ending) return;
    this.#ends = clock.now() - run.beganAt > STEADY_MS ? 1 : this.#ends + 1;
    this.#restarts += 1;
    const waitMs = REVIVE_MS[Math.min(this.#ends, REVIVE_MS.length) - 1] ?? 0;
    const again = waitMs === 0 ? "at once" : `in ${waitMs / 1_000} s`;
    const { encoder = "x264" } = start;
    const instead = this.#restarts === 1 && encoder !== "x264" ? ` From now on x264 encodes, not ${encoder}.` : "";
    problem(
      `The media process has ended (${why}); machines and seats go on, and it is started again ${again}.${instead}`,
    );
    if (waitMs === 0) this.#begin();
    else this.#stopWaiting = clock.after(waitMs, () => this.#begin());
  }

  #number(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  #request(message: (ask: number) => CoreMessage, waitMs: number): Promise<MediaAnswer> {
    const run = this.#run;
    if (run === undefined) return Promise.reject(away());
    const number = this.#number();
    return new Promise((answered, failed) => {
      const stop = this.#deps.clock.after(waitMs, () => {
        run.requests.delete(number);
        failed(new OfferProblem("The media process did not answer in time; try again."));
      });
      run.requests.set(number, { answered, failed, stop });
      run.stream.send(message(number));
    });
  }
}

const away = (): Error => new OfferProblem("The pictures of this venue are being started again; try again.");

/**
 * Reads the messages of one media process: checks each against its schema and the rate limits, and passes it to its machine. `kill` is called for
 * an invalid message, or too many.
 */
function createReader(
  run: Run,
  broadcasts: ReadonlyMap<string, RemoteBroadcast>,
  { clock, start, problem, began }: MediaProcessDeps,
  kill: (why: string) => void,
): (message: unknown, bytes: number) => void {
  const messageLimit = createRateLimit(clock, ...MESSAGES);
  const byteLimit = createRateLimit(clock, ...BYTES);
  const stateLimit = createRateLimit(clock, ...STATES);
  const sentenceLimit = createRateLimit(clock, ...SENTENCES);
  const memoryMax = (MEMORY_MB.always + MEMORY_MB.each * start.machines.length) * 1024 * 1024;

  function answered(answer: MediaAnswer): void {
    const request = run.requests.get(answer.ask);
    run.requests.delete(answer.ask);
    request?.stop();
    request?.answered(answer);
  }

  function beat({ memory, encoder = "x264", lanes }: Extract<MediaMessage, { is: "beat" }>): void {
    run.silentMs = 0;
    run.memory = memory;
    run.encoder = encoder;
    for (const { machine, lanes: figures, picturedAt } of lanes) broadcasts.get(machine)?.figures(figures, picturedAt);
    if (memory > memoryMax) kill(`it holds ${Math.round(memory / 1024 / 1024)} MB`);
  }

  return (message, bytes) => {
    if (!messageLimit.take(1) || !byteLimit.take(bytes)) return kill("it sends too much");
    const parsed = MediaMessage.safeParse(message);
    if (!parsed.success) return kill("it sends what cannot be read");
    const received = parsed.data;
    switch (received.is) {
      case "beat":
        return beat(received);
      case "ready":
        run.ready = true;
        began?.(run.child.pid);
        return;
      case "problem":
        if (sentenceLimit.take(1)) problem(received.sentence.replaceAll(/\p{Cc}/gu, " "), received.machine);
        return;
      case "state":
      case "candidate":
      case "press":
        if (received.is === "state" && !stateLimit.take(1)) return kill("its viewers come and go too often");
        broadcasts.get(received.machine)?.receive(received);
        return;
      case "recorded":
      case "unrecorded":
        if (!stateLimit.take(1)) return kill("it records too often");
        broadcasts.get(received.machine)?.recorded(received);
        return;
      default:
        answered(received);
    }
  };
}

/** Environment variables that a program may need. A list of allowed names, not of forbidden ones: keys and seeds have many names. */
const ENVIRONMENT =
  /^(PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|DISPLAY|XAUTHORITY|XDG_RUNTIME_DIR|LD_LIBRARY_PATH|NODE_(OPTIONS|ENV|COMPILE_CACHE|EXTRA_CA_CERTS)|PULSE_\w+|ALSA_\w+|UV_THREADPOOL_SIZE|MALLOC_\w+|FONTCONFIG_\w+|LIBVA_\w+)$/;

/**
 * Pools of glibc's memory, which it makes for threads that allocate at once. Encoders come and go on many threads, and each pool keeps what its largest
 * moment took: with glibc's own number (eight for each core) the process rose by 170 MB before it was level (docs/decisions/0149).
 */
const MEMORY_POOLS = "2";

/** The part of an environment without the agent's secrets. */
export function mediaEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Object.entries(environment).filter(
    (entry): entry is [string, string] => ENVIRONMENT.test(entry[0]) && entry[1] !== undefined,
  );
  return { MALLOC_ARENA_MAX: MEMORY_POOLS, ...Object.fromEntries(given) };
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

/** It ends by itself when its pipe closes. */
async function stopChild(child: ChildProcess | undefined, clock: Clock): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((settled) => child.once("exit", () => settled()));
  const stop = clock.after(STOP_MS_MAX, () => child.kill("SIGKILL"));
  child.stdio[3]?.destroy();
  await gone;
  stop();
}
