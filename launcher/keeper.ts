import type { Child, Exit, Program, Ready } from "./child.ts";
import { startChild } from "./child.ts";

/** Waits between two starts of a program that keeps ending, ms. */
const REVIVE_MS = [500, 1_000, 2_000, 5_000, 10_000] as const;
/** A program that ran this long starts again without the longer waits, ms. */
const STEADY_MS = 60_000;

/** A process that sends no beat for this long hangs, ms. */
const SILENT_MS = 10_000;
const CHECK_MS = 1_000;

export type KeeperOptions = Program & {
  /** Starts it again when it ends unasked, once it has served, and kills it for that when it hangs. */
  readonly revive: boolean;
  /** How long it may be silent, ms; by default 10 s. */
  readonly silentMs?: number;
  /** More for every start after the first time it served, such as the port that others know by now. */
  readonly keep?: (ready: Ready) => Kept;
  readonly say: (line: string) => void;
};

/** `env` is added to the program's environment; `args` takes the place of its command line. */
type Kept = { readonly env?: Readonly<Record<string, string>>; readonly args?: readonly string[] };

/** One program, kept running until it is stopped. */
export type Keeper = {
  /** Settles when the program says that it serves. Rejects when it ends before. */
  ready(): Promise<Ready>;
  pid(): number;
  /** Stops it in order; it is not started again. */
  stop(): Promise<Exit>;
  /** kill -9. With `revive` it comes back by itself. */
  kill(): Promise<Exit>;
  /** Settles when the process that runs now is gone. */
  exited(): Promise<Exit>;
  /** Starts it again after it ended, with more environment; for tests. */
  restart(env?: Readonly<Record<string, string>>): Promise<Ready>;
};

export function keepRunning(options: KeeperOptions): Keeper {
  let child: Child = startChild(options);
  let stopped = false;
  let ends = 0;
  let timer: NodeJS.Timeout | undefined;
  let served = false;
  let kept: Kept = {};

  // A first start that fails is reported by `ready`, and a second one would fail the same way.
  child.ready.then(
    (ready) => {
      served = true;
      kept = options.keep?.(ready) ?? {};
    },
    () => {},
  );

  function watch(): void {
    const startedAt = performance.now();
    const watched = child;
    const stopChecking = options.revive ? killWhenSilent(watched, options) : () => {};
    void watched.exited.then((exit) => {
      stopChecking();
      if (stopped || !served || !options.revive) return;
      ends = performance.now() - startedAt > STEADY_MS ? 0 : ends + 1;
      const waitMs = REVIVE_MS[Math.min(ends, REVIVE_MS.length) - 1] ?? REVIVE_MS[0];
      options.say(`The ${options.name} ended (${describe(exit)}); it is started again.`);
      timer = setTimeout(() => begin({}), waitMs);
    });
  }

  function begin(env: Readonly<Record<string, string>>): void {
    const args = kept.args ?? options.args;
    child = startChild({ ...options, ...(args && { args }), env: { ...options.env, ...kept.env, ...env } });
    // Its end reports a failure; no caller waits for this `ready`.
    child.ready.catch(() => {});
    if (!stopped) watch();
    else void child.stop();
  }

  watch();
  return {
    ready: () => child.ready,
    pid: () => child.pid,
    stop() {
      stopped = true;
      clearTimeout(timer);
      return child.stop();
    },
    kill: () => child.kill(),
    exited: () => child.exited,
    async restart(env = {}) {
      await child.exited;
      clearTimeout(timer);
      begin(env);
      return await child.ready;
    },
  };
}

/** A process that hangs does not end by itself. One that never sent a beat is ignored: it is still starting. */
function killWhenSilent(child: Child, { name, say, silentMs = SILENT_MS }: KeeperOptions): () => void {
  let silentFor = 0;
  let lastBeatAt: number | undefined;
  let checkedAt = performance.now();
  const timer = setInterval(
    () => {
      // A pause of our own process counts as one check at most: the program did not cause it.
      const passedMs = Math.min(CHECK_MS, performance.now() - checkedAt);
      checkedAt = performance.now();
      silentFor = child.lastBeatAt() === lastBeatAt && lastBeatAt !== undefined ? silentFor + passedMs : 0;
      lastBeatAt = child.lastBeatAt();
      if (silentFor < silentMs) return;
      clearInterval(timer);
      say(`The ${name} hangs: it sent no beat for ${Math.round(silentMs / 1_000)} s and is killed.`);
      void child.kill();
    },
    Math.min(CHECK_MS, silentMs / 2),
  );
  timer.unref();
  return () => clearInterval(timer);
}

export function describe({ code, signal }: Exit): string {
  return signal === null ? `code ${code}` : signal;
}
