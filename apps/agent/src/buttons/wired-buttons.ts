import type { Clock, Stop } from "../ports/clock.ts";
import type { KeySwitch, PressObstacle, PressPort, WiredPress } from "../ports/press.ts";
import type { Board, WiredButton, WiredButtons as Wiring } from "./config.ts";
import { lineOf, PULSE_MS_MAX, unitMsOf } from "./config.ts";
import type { DebouncedKey } from "./key-switch.ts";
import { createKeySwitch } from "./key-switch.ts";
import type { LineAnswer } from "./line.ts";
import { ModbusLine } from "./line.ts";
import type { ModbusRequest } from "./modbus.ts";
import { COIL_OFF } from "./modbus.ts";

/** The outputs are read this often, and a board without a key switch with them, so that a dead one is known before a player presses, ms. */
const LOOK_MS = 1_000;
/** The contacts of a relay need this long to open after its pulse, ms; no output of the machine is driven meanwhile. */
const RELEASE_MS = 20;

/** What Waveshare's boards can do (protocol V2): the flash-on command, reading of the outputs, no watchdog. */
const WAVESHARE = { kind: "flash-coil", flashOn: 0x0200, unitMs: 100, readBack: true } as const satisfies Board;

/** Exceptions that a board gives before it acts: unknown function, address or value, and busy (MODBUS V1.1b3, section 7). */
const NOT_DONE: ReadonlySet<number> = new Set([0x01, 0x02, 0x03, 0x06]);

export interface ButtonsDeps {
  /** Checked together with the other machines of the agent (`contradictionsOfButtons`). */
  readonly wiring: Wiring;
  readonly clock: Clock;
  /** A sentence for the log: the board is away, does nonsense, or is back. */
  readonly problem: (sentence: string) => void;
}

/** The open lines of this process, by where they end, and how many machines use each. */
const lines = new Map<string, { readonly line: ModbusLine; users: number }>();

/** Opens the wired buttons of one machine. Machines whose boards are on one line share it; the last one to close closes it. */
export function openButtons(deps: ButtonsDeps): PressPort {
  const { carrier } = deps.wiring;
  const name = lineOf(carrier);
  const shared = lines.get(name) ?? { line: new ModbusLine({ carrier, clock: deps.clock }), users: 0 };
  shared.users += 1;
  lines.set(name, shared);
  return new WiredButtons({ ...deps, line: shared.line }, async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    lines.delete(name);
    await shared.line.close();
  });
}

type WiredButtonsDeps = ButtonsDeps & { readonly line: ModbusLine };

/**
 * The wired buttons of one machine. Before the first press and after each loss of the board it turns its outputs off, once it is reached. It reads
 * the board all the time, so that a board which is away refuses a press at once instead of delaying it.
 */
class WiredButtons implements PressPort {
  readonly buttons: readonly string[];
  readonly #deps: WiredButtonsDeps;
  readonly #board: Extract<Board, { kind: "flash-coil" }>;
  readonly #outputs: readonly number[];
  readonly #key: DebouncedKey | undefined;
  readonly #stop: Stop;
  readonly #release: () => Promise<void>;
  readonly #lastPressed = new Map<string, number>();
  #pulseEnds = Number.NEGATIVE_INFINITY;
  /** The connection on which our outputs are known to be off. */
  #readyOn: number | undefined;
  #isAway = false;
  #outputsReadAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  /** Set once it is closed. */
  #closing: Promise<void> | undefined;

  constructor(deps: WiredButtonsDeps, release: () => Promise<void>) {
    this.#release = release;
    const { board, buttons, keySwitch } = deps.wiring;
    this.#deps = deps;
    this.#board = board.kind === "waveshare" ? WAVESHARE : board;
    this.buttons = Object.keys(buttons);
    this.#outputs = Object.values(buttons).map(({ output }) => output);
    this.#key = keySwitch && createKeySwitch(keySwitch, deps.clock);
    this.#stop = deps.clock.every(keySwitch?.pollMs ?? LOOK_MS, () => this.#lookOnce());
    this.#lookOnce();
  }

  press(button: string): Promise<WiredPress> {
    return this.#press(button, this.#deps.wiring.buttons[button]);
  }

  async pressLonger(button: string): Promise<number | undefined> {
    const way = this.#deps.wiring.buttons[button];
    const unitMs = unitMsOf(this.#board);
    const pulseMs = PULSE_MS_MAX - (PULSE_MS_MAX % unitMs);
    if (way === undefined || way.pulseMs >= pulseMs) return undefined;
    const { outcome } = await this.#press(button, { ...way, pulseMs });
    return outcome === "refused" ? undefined : pulseMs;
  }

  async #press(button: string, way: WiredButton | undefined): Promise<WiredPress> {
    const { clock } = this.#deps;
    const obstacle = way === undefined ? "unknownButton" : this.#obstacleTo(button, way);
    if (way === undefined || obstacle !== undefined) return refused(obstacle ?? "unknownButton");
    const sentAt = clock.now();
    this.#lastPressed.set(button, sentAt);
    this.#pulseEnds = sentAt + way.pulseMs;
    const value = way.pulseMs / unitMsOf(this.#board);
    const answer = await this.#request({ is: "writeCoil", address: this.#board.flashOn + way.output - 1, value });
    // The board starts the pulse when the command arrives, at the latest when its answer is here.
    this.#pulseEnds = clock.now() + way.pulseMs;
    return answer.is === "done" ? await this.#readBack(way.output, sentAt + way.pulseMs) : this.#failed(answer);
  }

  keySwitch(): KeySwitch {
    return this.#key === undefined ? "remote" : this.#key.position();
  }

  onKeySwitch(changed: () => void): () => void {
    return this.#key?.onChange(changed) ?? (() => undefined);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop();
    await this.#looking;
    if (this.#deps.line.connection() !== undefined) await this.#makeReady();
    await this.#release();
  }

  #request(request: ModbusRequest): Promise<LineAnswer> {
    return this.#deps.line.request(this.#deps.wiring.unit, request);
  }

  #isReady(): boolean {
    return this.#readyOn !== undefined && this.#readyOn === this.#deps.line.connection();
  }

  #obstacleTo(button: string, { minGapMs }: WiredButton): PressObstacle | undefined {
    if (this.#closing !== undefined) return "closed";
    const key = this.#key?.lastRead() ?? "remote";
    if (key !== "remote") return key === "local" ? "local" : "keyUnknown";
    if (!this.#isReady()) return "boardAway";
    const now = this.#deps.clock.now();
    const sincePress = now - (this.#lastPressed.get(button) ?? Number.NEGATIVE_INFINITY);
    return now < this.#pulseEnds + RELEASE_MS || sincePress < minGapMs ? "tooSoon" : undefined;
  }

  #failed(answer: Exclude<LineAnswer, { is: "done" }>): WiredPress {
    const says = saysOf(answer);
    if (answer.is === "exception") {
      return NOT_DONE.has(answer.code) ? { ...refused("boardRefused"), says } : { outcome: "unconfirmed", says };
    }
    this.#lost(answer);
    return answer.is === "notSent" ? { ...refused("boardAway"), says } : { outcome: "unconfirmed", says };
  }

  /** `until`: the pulse lasts at least that long, so an output that is off before has not followed the command. */
  async #readBack(output: number, until: number): Promise<WiredPress> {
    const unread = { outcome: "sent", readBack: "unread" } as const;
    if (!this.#board.readBack) return unread;
    const answer = await this.#request({ is: "readCoils", from: output - 1, count: 1 });
    if (answer.is !== "done") {
      if (answer.is !== "exception") this.#lost(answer);
      return unread;
    }
    if (answer.bits[0] === true) return { outcome: "sent", readBack: "on" };
    if (this.#deps.clock.now() >= until) return unread;
    return { outcome: "unconfirmed", says: "The board took the press, but its output was off during the pulse." };
  }

  #lost(answer: Exclude<LineAnswer, { is: "done" }>): void {
    this.#readyOn = undefined;
    if (!this.#isAway) this.#deps.problem(`${saysOf(answer)} No press is sent until the button board answers.`);
    this.#isAway = true;
  }

  /** Turns our outputs off, and starts the board's watchdog where it has one. */
  async #makeReady(): Promise<void> {
    const { watchdog } = this.#board;
    const requests: ModbusRequest[] = this.#outputs.map((output) => ({
      is: "writeCoil",
      address: output - 1,
      value: COIL_OFF,
    }));
    if (watchdog !== undefined)
      requests.push({ is: "writeRegister", address: watchdog.register, value: watchdog.value });
    for (const request of requests) {
      const answer = await this.#request(request);
      if (answer.is !== "done") return this.#lost(answer);
    }
    this.#readyOn = this.#deps.line.connection();
    if (this.#isAway) this.#deps.problem("The button board answers again.");
    this.#isAway = false;
  }

  #lookOnce(): void {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  async #look(): Promise<void> {
    const { clock } = this.#deps;
    if (!this.#isReady()) await this.#makeReady();
    if (this.#isReady()) await this.#readKey();
    else this.#key?.unread();
    // A board that counts in units may end a pulse one unit late.
    const restsAt = this.#pulseEnds + unitMsOf(this.#board);
    if (!this.#isReady() || clock.now() < Math.max(this.#outputsReadAt + LOOK_MS, restsAt)) return;
    this.#outputsReadAt = clock.now();
    if (this.#board.readBack) await this.#readOutputs();
    else await this.#makeReady();
  }

  async #readKey(): Promise<void> {
    const { keySwitch } = this.#deps.wiring;
    if (keySwitch === undefined) return;
    const answer = await this.#request({ is: "readInputs", from: keySwitch.input - 1, count: 1 });
    if (answer.is === "done") {
      this.#key?.read(answer.bits[0] === true);
      return;
    }
    this.#key?.unread();
    this.#lost(answer);
  }

  /** Ends an output that is on without a pulse of ours. */
  async #readOutputs(): Promise<void> {
    const answer = await this.#request({ is: "readCoils", from: 0, count: Math.max(...this.#outputs) });
    if (answer.is !== "done") return this.#lost(answer);
    const isQuiet = this.#deps.clock.now() > this.#pulseEnds;
    if (!isQuiet || !this.#outputs.some((output) => answer.bits[output - 1] === true)) return;
    this.#deps.problem("An output of the button board was on without a press; it is turned off.");
    await this.#makeReady();
  }
}

const SENTENCES = {
  unknownButton: "The button is not wired.",
  tooSoon: "The last press is too recent.",
  local: "The key switch is on local.",
  keyUnknown: "The key switch cannot be read.",
  boardAway: "The button board cannot be reached.",
  boardRefused: "The button board refused the command.",
  closed: "The buttons are closed.",
} as const satisfies Record<PressObstacle, string>;

function refused(reason: PressObstacle): Extract<WiredPress, { outcome: "refused" }> {
  return { outcome: "refused", reason, says: SENTENCES[reason] };
}

function saysOf(answer: Exclude<LineAnswer, { is: "done" }>): string {
  return answer.is === "exception" ? `The board answers with Modbus exception ${answer.code}.` : answer.says;
}
