import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { FromAgent, ToAgent } from "./agent.ts";
import { PROBE } from "./notes.ts";

/** The longest that an answer of a living agent takes on a busy computer, ms. */
const ANSWER_MS = 30_000;

export class AgentGone extends Error {}

/** The agent under attack, from outside. */
export class AgentProcess {
  readonly #child: ChildProcess;
  readonly #closed = new Map<string, string>();
  readonly #waiting = new Map<string, (message: FromAgent) => void>();
  #errors = "";
  #ending = false;
  #count = 0;

  constructor(env: Readonly<Record<string, string>>) {
    this.#child = fork(join(import.meta.dirname, "agent.ts"), {
      execArgv: ["--expose-gc", "--import", PROBE],
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#child.stderr?.on("data", (text: Buffer) => {
      this.#errors = (this.#errors + text.toString()).slice(-4_000);
    });
    this.#child.on("message", (message) => {
      const told = message as FromAgent;
      if (told.is === "closed") this.#closed.set(told.id, told.why);
      this.#waiting.get(told.id)?.(told);
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Why a viewer is gone; undefined: it is not. */
  closed(id: string): string | undefined {
    return this.#closed.get(id);
  }

  /** A sentence when it has ended by itself. */
  gone(): string | undefined {
    const { exitCode, signalCode } = this.#child;
    if (this.#ending || (exitCode === null && signalCode === null)) return undefined;
    return `The agent ended (${exitCode ?? signalCode}): ${this.#errors}`;
  }

  tell(message: ToAgent): void {
    if (this.#child.connected) this.#child.send(message);
  }

  /** Throws `AgentGone` when it has ended, or hangs. */
  async ask(message: ToAgent): Promise<FromAgent> {
    const late = new AbortController();
    try {
      return await new Promise<FromAgent>((resolve, reject) => {
        this.#waiting.set(message.id, resolve);
        const timer = setTimeout(() => reject(new AgentGone(this.gone() ?? "The agent hangs.")), ANSWER_MS);
        late.signal.addEventListener("abort", () => clearTimeout(timer));
        once(this.#child, "exit", { signal: late.signal }).then(
          () => reject(new AgentGone(this.gone() ?? "The agent was ended.")),
          () => undefined,
        );
        this.tell(message);
      });
    } finally {
      this.#waiting.delete(message.id);
      late.abort();
    }
  }

  async state(): Promise<Extract<FromAgent, { is: "state" }>> {
    this.#count += 1;
    const answer = await this.ask({ is: "state", id: `state ${this.#count}` });
    if (answer.is !== "state") throw new AgentGone(`The agent answered "${answer.is}" for its state.`);
    return answer;
  }

  async end(): Promise<void> {
    this.#ending = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}
